"""Compares every ring with the first of each design, by a look for its label in the other one doubled."""

import sys


def main() -> None:
    _, *labels = sys.stdin.read().split()
    designs: list[list[str]] = []
    for label in labels:
        for design in designs:
            if len(design[0]) == len(label) and label in design[0] * 2:
                design.append(label)
                break
        else:
            designs.append([label])
    ranking = []
    for design in designs:
        readings = [design[0][start:] + design[0][:start] for start in range(len(design[0]))]
        ranking.append((-len(design), min(readings)))
    count, reading = min(ranking)
    print(len(designs))
    print(-count, reading)


main()
