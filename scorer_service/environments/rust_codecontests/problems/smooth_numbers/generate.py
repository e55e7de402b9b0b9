"""Inputs of Smooth Numbers on Plates: a rule for neighbouring digits and a range of long numbers."""

import random
import re
from collections.abc import Iterator

MAX_STEP = 9
MAX_DIVISOR = 100
MAX_DIGITS = 500
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(step: int, divisor: int, low: int, high: int) -> str:
    return f"{step} {divisor}\n{low}\n{high}\n"


def _with_digits(rng: random.Random, digits: int) -> int:
    return rng.randrange(10 ** (digits - 1), 10**digits)


def _smooth(rng: random.Random, step: int, digits: int) -> int:
    text = str(rng.randint(1, 9))
    while len(text) < digits:
        last = int(text[-1])
        text += str(rng.randint(max(0, last - step), min(9, last + step)))
    return int(text)


def public() -> list[str]:
    return [
        _text(1, 2, 9, 35),
        _text(2, 1, 100, 139),
        _text(9, 7, 1, 1_000_000),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(0, 1, 1, 1)
    yield _text(0, 2, 1, 1)
    yield _text(0, 100, 1, 9_999)
    yield _text(9, 1, 1, 9)
    yield _text(1, 1, 10, 10)
    yield _text(1, 1, 90, 91)
    yield _text(1, 1, 1, 100)
    yield _text(3, 1, 7, 7_000)
    yield _text(2, 3, 1234, 1234)
    yield _text(1, 11, 99, 1_011)
    for digits in (3, 5, 7, 9):
        low, high = sorted((_with_digits(rng, digits - 1), _with_digits(rng, digits)))
        yield _text(rng.randint(1, 5), rng.randint(1, 30), low, high)
    yield _text(4, 13, 1, 10**11)
    yield _text(9, 1, 1, 1_000_000_007)
    yield _text(9, 1, 1, 10**18 - 1)
    yield _text(2, 97, 10**17, 10**18)
    yield _text(5, 6, 10**19, 2 * 10**19)
    yield _text(0, 37, 1, 10**40)
    yield _text(9, 100, 1, 10**MAX_DIGITS - 1)
    yield _text(1, 1, 1, 10**MAX_DIGITS - 1)
    for digits in (100, 250):
        low, high = sorted((_with_digits(rng, digits), _with_digits(rng, digits)))
        yield _text(rng.randint(1, 8), rng.randint(1, MAX_DIVISOR), low, high)
    for step in (1, 3):
        low, high = sorted((_smooth(rng, step, MAX_DIGITS), _smooth(rng, step, MAX_DIGITS)))
        yield _text(step, 1, low, high)
        yield _text(step, 90 + step, low, high)
        number = _smooth(rng, step, MAX_DIGITS)
        yield _text(step, next(m for m in range(MAX_DIVISOR, 0, -1) if number % m == 0), number, number)


def small(rng: random.Random) -> str:
    bound = rng.choice([9, 30, 120, 2_000])
    low, high = sorted((rng.randint(1, bound), rng.randint(1, bound)))
    return _text(rng.randint(0, MAX_STEP), rng.choice([1, 2, 3, 7, 11, 10]), low, high)


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    if len(lines) != 3:
        raise ValueError(f"{len(lines)} lines instead of 3")
    step, divisor = _integers(lines[0], 2, "first line")
    if not 0 <= step <= MAX_STEP:
        raise ValueError(f"d = {step} is outside 0..{MAX_STEP}")
    if not 1 <= divisor <= MAX_DIVISOR:
        raise ValueError(f"m = {divisor} is outside 1..{MAX_DIVISOR}")
    bounds = []
    for name, line in zip("lr", lines[1:], strict=True):
        if not re.fullmatch(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}", line):
            raise ValueError(f"{name} is not a number of 1 to {MAX_DIGITS} digits: {line[:60]!r}")
        bounds.append(int(line))
    if bounds[0] > bounds[1]:
        raise ValueError("l is larger than r")
