"""Tries every order of the steps, then every circle."""

import sys
from itertools import pairwise, permutations


def main() -> None:
    n, m, *numbers = map(int, sys.stdin.read().split())
    notes = {(numbers[2 * i], numbers[2 * i + 1]) for i in range(m)}
    for order in permutations(range(1, n + 1)):
        place = {step: i for i, step in enumerate(order)}
        if all(place[u] < place[v] for u, v in notes):
            print("ORDER")
            print(*order)
            return
    for length in range(1, n + 1):
        for circle in permutations(range(1, n + 1), length):
            if all(pair in notes for pair in pairwise([*circle, circle[0]])):
                print("CYCLE")
                print(length)
                print(*circle)
                return


main()
