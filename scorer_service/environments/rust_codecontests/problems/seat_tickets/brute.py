"""Keeps a sorted list of the free seats and indexes it from either side."""

import sys


def main() -> None:
    first, *events = sys.stdin.read().splitlines()
    free = list(range(1, int(first.split()[0]) + 1))
    for event in events:
        kind, word = event.split()
        number = int(word)
        if kind == "leave":
            free = sorted([*free, number])
        elif abs(number) > len(free):
            print(0)
        else:
            print(free.pop(number - 1 if number > 0 else number))


main()
