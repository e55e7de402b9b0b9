"""The ledger kept with Python's own integers."""

import math
import sys


def main() -> None:
    sys.set_int_max_str_digits(0)
    a, b = map(int, sys.stdin.read().split())
    divisor = math.gcd(a, b)
    steps = 0
    while b:
        a, b = b, a % b
        steps += 1
    assert a == divisor
    print(steps)
    print(divisor)


main()
