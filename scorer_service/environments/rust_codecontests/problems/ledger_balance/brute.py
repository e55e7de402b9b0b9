"""Drops the voided lines first, then adds the rest up as exact fractions."""

import sys
from fractions import Fraction


def main() -> None:
    lines = [line.partition("#")[0].split() for line in sys.stdin.read().split("\n")]
    voided = {int(words[1]) for words in lines if words[:1] == ["void"]}
    balances: dict[str, Fraction] = {}
    for number, words in enumerate(lines):
        if number == 0 or number in voided or not words or words[0] == "void":
            continue
        amount = Fraction(words[-1].replace(",", ""))
        if words[0] != "in":
            balances[words[1]] = balances.get(words[1], Fraction(0)) - amount
        if words[0] != "out":
            balances[words[-2]] = balances.get(words[-2], Fraction(0)) + amount
    owed = {name: int(value * 100) for name, value in balances.items() if value}
    for name, cents in sorted(owed.items()):
        digits = str(abs(cents)).rjust(3, "0")
        print(name, ("-" if cents < 0 else "") + digits[:-2] + "." + digits[-2:])
    if not owed:
        print("settled")


main()
