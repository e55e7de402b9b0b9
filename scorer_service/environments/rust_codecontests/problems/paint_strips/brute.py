"""Keeps the colour of each plank and groups equal neighbours."""

import sys
from itertools import groupby


def main() -> None:
    first, *events = sys.stdin.read().splitlines()
    colours = [0] * int(first.split()[0])
    for event in events:
        kind, *numbers = event.split()
        left, right = int(numbers[0]) - 1, int(numbers[1])
        if kind == "P":
            for plank in range(left, right):
                colours[plank] = int(numbers[2])
        else:
            lengths = [len(list(strip)) for _, strip in groupby(colours[left:right])]
            print(len(lengths), max(lengths))


main()
