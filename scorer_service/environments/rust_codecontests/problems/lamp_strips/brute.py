"""Tries all ways to choose strips among those that end at a picture, fewest first."""

import sys
from itertools import combinations


def main() -> None:
    _, length, *pictures = map(int, sys.stdin.read().split())
    candidates = [end - length for end in sorted(set(pictures))]
    for count in range(1, len(candidates) + 1):
        for starts in combinations(candidates, count):
            if all(any(start <= x <= start + length for start in starts) for x in pictures):
                print(count)
                print(*starts)
                return


main()
