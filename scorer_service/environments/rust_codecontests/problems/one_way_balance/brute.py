"""Every choice of directions, one after the other."""

import itertools
import sys


def main() -> None:
    n, m, *rest = map(int, sys.stdin.read().split())
    streets = list(zip(rest[0::2], rest[1::2], strict=True))
    for choice in itertools.product("<>", repeat=m):
        surplus = [0] * (n + 1)
        for mark, (u, v) in zip(choice, streets, strict=True):
            source, target = (u, v) if mark == ">" else (v, u)
            surplus[source] -= 1
            surplus[target] += 1
        if max(map(abs, surplus)) <= 1:
            print("".join(choice))
            return


main()
