"""Finds a maximum matching by trying, for every parcel, each free locker and none."""

import sys


def most(parcels: list[int], lockers: list[int]) -> int:
    if not parcels:
        return 0
    first, rest = parcels[0], parcels[1:]
    best = most(rest, lockers)
    for index, size in enumerate(lockers):
        if first <= size <= 2 * first:
            best = max(best, 1 + most(rest, lockers[:index] + lockers[index + 1 :]))
    return best


def main() -> None:
    count, _, *sizes = map(int, sys.stdin.read().split())
    print(most(sizes[:count], sizes[count:]))


main()
