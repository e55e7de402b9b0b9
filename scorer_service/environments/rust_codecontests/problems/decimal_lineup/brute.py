"""The records as exact fractions."""

import sys
from fractions import Fraction


def main() -> None:
    sys.set_int_max_str_digits(0)
    numbers = [Fraction(record) for record in sys.stdin.read().split()[1:]]
    print(len(set(numbers)), numbers.index(min(numbers)) + 1, numbers.index(max(numbers)) + 1)


main()
