"""Lays every row of beads and keeps those that are the least of all their turns and flips."""

import sys


def rows(counts: list[int], row: list[int], total: int) -> int:
    """Number of least rows that continue this one."""
    if len(row) == total:
        turns = [row[i:] + row[:i] for i in range(total)]
        return int(row == min(turns + [turn[::-1] for turn in turns]))
    found = 0
    for colour, left in enumerate(counts):
        # The least of all turns and flips starts with the least colour.
        if left and (row or colour == 0):
            counts[colour] -= 1
            found += rows(counts, [*row, colour], total)
            counts[colour] += 1
    return found


def main() -> None:
    numbers = iter(map(int, sys.stdin.read().split()))
    for _ in range(next(numbers)):
        counts = [next(numbers) for _ in range(next(numbers))]
        print(rows(counts, [], sum(counts)) % 998244353)


main()
