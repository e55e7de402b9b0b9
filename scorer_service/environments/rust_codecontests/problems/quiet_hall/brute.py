"""Tries every set of drummers and invites each flautist who has no quarrel with any of them."""

import sys


def main() -> None:
    a, b, m, *numbers = map(int, sys.stdin.read().split())
    quarrels = {(numbers[2 * i], numbers[2 * i + 1]) for i in range(m)}
    best: tuple[list[int], list[int]] = ([], [])
    for mask in range(1 << a):
        drummers = [x for x in range(1, a + 1) if mask >> (x - 1) & 1]
        flautists = [y for y in range(1, b + 1) if all((x, y) not in quarrels for x in drummers)]
        if len(drummers) + len(flautists) > len(best[0]) + len(best[1]):
            best = (drummers, flautists)
    print(len(best[0]), len(best[1]))
    print(*best[0])
    print(*best[1])


main()
