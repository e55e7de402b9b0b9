"""Goes through every number of coins from every box."""

import sys
from itertools import product


def main() -> None:
    _, amount, *numbers = map(int, sys.stdin.read().split())
    worths, counts = numbers[0::2], numbers[1::2]
    best = -1
    for taken in product(*(range(count + 1) for count in counts)):
        paid = sum(worth * coins for worth, coins in zip(worths, taken, strict=True))
        if paid == amount and (best < 0 or sum(taken) < best):
            best = sum(taken)
    print(best)


main()
