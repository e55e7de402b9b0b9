"""Replaces literals by objects of a class with checked operators and lets Python evaluate the line."""

import re
import sys
from dataclasses import dataclass


class Failure(Exception):
    pass


@dataclass
class Quantity:
    amount: int
    power: int  # 1 for a duration, 0 for a number, like the exponent of a unit of time

    def __add__(self, other: "Quantity") -> "Quantity":
        if self.power != other.power:
            raise Failure("type error")
        return Quantity(self.amount + other.amount, self.power)

    def __neg__(self) -> "Quantity":
        return Quantity(-self.amount, self.power)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return self + -other

    def __mul__(self, other: "Quantity") -> "Quantity":
        if self.power + other.power > 1:
            raise Failure("type error")
        return Quantity(self.amount * other.amount, self.power + other.power)

    def __truediv__(self, other: "Quantity") -> "Quantity":
        if self.power - other.power < 0:
            raise Failure("type error")
        if other.amount == 0:
            raise Failure("division by zero")
        quotient = self.amount // other.amount
        if quotient < 0 and quotient * other.amount != self.amount:
            quotient += 1
        return Quantity(quotient, self.power - other.power)

    def __str__(self) -> str:
        if self.power == 0:
            return str(self.amount)
        minutes, seconds = divmod(abs(self.amount), 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        parts = ((days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s"))
        text = "".join(f"{value}{unit}" for value, unit in parts if value)
        return ("-" if self.amount < 0 else "") + (text or "0s")


def quantity(match: re.Match[str]) -> str:
    if match[0].isdigit():
        return f"Quantity({int(match[0])}, 0)"
    factor = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
    parts = re.findall("([0-9]+)([dhms])", match[0])
    return f"Quantity({sum(int(digits) * factor[unit] for digits, unit in parts)}, 1)"


def main() -> None:
    for line in sys.stdin.read().split("\n")[1:-1]:
        try:
            print(eval(re.sub("[0-9dhms]+", quantity, line).strip()))  # noqa: S307 - only generated expressions
        except Failure as failure:
            print(failure)


main()
