"""Every sequence of steps, one after the other."""

import itertools
import sys


def main() -> None:
    n, s = map(int, sys.stdin.read().split())
    for steps in itertools.product("DU", repeat=n - 1):
        heights = list(itertools.accumulate((1 if step == "U" else -1 for step in steps), initial=0))
        if min(heights) >= 0 and sum(heights) == s:
            print("YES")
            print("".join(steps))
            return
    print("NO")


main()
