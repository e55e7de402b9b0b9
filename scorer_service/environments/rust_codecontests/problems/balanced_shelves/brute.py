"""Tries every way to cut the row of books into k runs."""

import sys
from itertools import combinations, pairwise


def main() -> None:
    n, shelves, *books = map(int, sys.stdin.read().split())
    print(
        min(
            sum(sum(books[start:end]) ** 2 for start, end in pairwise([0, *cuts, n]))
            for cuts in combinations(range(1, n), shelves - 1)
        )
    )


main()
