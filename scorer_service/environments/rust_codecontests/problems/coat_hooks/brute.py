"""Walks from hook to hook."""

import sys


def main() -> None:
    first, *events = sys.stdin.read().splitlines()
    n = int(first.split()[0])
    taken = [False] * n
    for event in events:
        kind, number = event.split()
        hook = int(number) - 1
        if kind == "T":
            print("TAKEN" if taken[hook] else "EMPTY")
            taken[hook] = False
            continue
        for step in range(n):
            place = (hook + step) % n
            if not taken[place]:
                taken[place] = True
                print(place + 1)
                break
        else:
            print("FULL")


main()
