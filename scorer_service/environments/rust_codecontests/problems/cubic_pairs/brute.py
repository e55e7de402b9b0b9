"""Looks at every pair and searches for an integer cube root."""

import sys


def is_cube(value: int) -> bool:
    low, high = 1, 10**4
    while low < high:
        middle = (low + high) // 2
        if middle**3 < value:
            low = middle + 1
        else:
            high = middle
    return low**3 == value


def main() -> None:
    values = list(map(int, sys.stdin.read().split()))[1:]
    print(sum(is_cube(values[i] * values[j]) for j in range(len(values)) for i in range(j)))


main()
