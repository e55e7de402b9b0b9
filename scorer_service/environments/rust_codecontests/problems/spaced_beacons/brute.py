"""Tries every set of sites."""

import sys
from itertools import pairwise


def main() -> None:
    n, gap, *values = map(int, sys.stdin.read().split())
    best = (0, 0)
    for mask in range(1 << n):
        lit = [i for i in range(n) if mask >> i & 1]
        if all(right - left > gap for left, right in pairwise(lit)):
            best = max(best, (sum(values[i] for i in lit), -len(lit)))
    print(best[0], -best[1])


main()
