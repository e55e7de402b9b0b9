"""Looks at every number of the range."""

import sys
from itertools import pairwise


def main() -> None:
    step, divisor, low, high = map(int, sys.stdin.read().split())
    count = 0
    for x in range(-(-low // divisor) * divisor, high + 1, divisor):
        if all(abs(int(a) - int(b)) <= step for a, b in pairwise(str(x))):
            count += 1
    print(count % 1_000_000_007)


main()
