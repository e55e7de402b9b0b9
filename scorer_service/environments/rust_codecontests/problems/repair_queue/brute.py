"""Tries every ordered choice of repairs and simulates the bench minute counts as the statement tells them."""

import sys
from itertools import permutations


def in_time(order: tuple[int, ...], repairs: list[tuple[int, int]], cleaning: int) -> bool:
    now = 0
    for position, index in enumerate(order):
        now += (cleaning if position else 0) + repairs[index][0]
        if now > repairs[index][1]:
            return False
    return True


def main() -> None:
    count, cleaning, *numbers = map(int, sys.stdin.read().split())
    repairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    for size in range(count, -1, -1):
        for order in permutations(range(count), size):
            if in_time(order, repairs, cleaning):
                print(size)
                print(*(index + 1 for index in order))
                return


main()
