"""Inputs of Spaced Beacons: a gap and a row of values."""

import random
import re
from collections.abc import Iterator

MAX_N = 100_000
MAX_VALUE = 1_000_000_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(gap: int, values: list[int]) -> str:
    return f"{len(values)} {gap}\n{' '.join(map(str, values))}\n"


def public() -> list[str]:
    return [
        _text(2, [5, 4, -1, 6, 5, 3, 2]),
        _text(1, [3, 7, 4, -2]),
        _text(0, [2, 0, 2, -3, 1]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(0, [0])
    yield _text(0, [-1])
    yield _text(MAX_N, [7])
    yield _text(5, [1, 2, 3])
    yield _text(3, [4, 4, 4, 4])
    yield _text(1, [0, 0, 0, 0, 0])
    yield _text(0, [-5, -4, -3, -2, -1])
    yield _text(1, [MAX_VALUE, 0, MAX_VALUE, 0, MAX_VALUE])
    yield _text(2, [1, 2, 2, 1, 2, 2, 1, 0, 1])
    for _ in range(8):
        n = rng.randint(20, 60)
        yield _text(rng.randint(0, 6), [rng.randint(-4, 6) for _ in range(n)])
    for gap in (0, 1, 30, 999, 1000):
        yield _text(gap, [rng.randint(-50, 100) for _ in range(1000)])
    yield _text(0, [MAX_VALUE] * 30_000)
    yield _text(MAX_N, [rng.randint(-MAX_VALUE, MAX_VALUE) for _ in range(20_000)])
    yield _text(1, [rng.randint(-9, 9) for _ in range(MAX_N)])
    yield _text(3, [rng.randint(0, 99) for _ in range(MAX_N)])
    yield _text(0, [rng.randint(-9, 99) for _ in range(MAX_N)])
    yield _text(MAX_N - 1, [rng.randint(0, 999) for _ in range(MAX_N)])


def small(rng: random.Random) -> str:
    n = rng.randint(1, 9)
    reach = rng.choice([1, 3, 10])
    return _text(rng.choice([0, 1, 2, 3, n, n + 2]), [rng.randint(-reach, reach) for _ in range(n)])


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    if len(lines) != 2:
        raise ValueError(f"{len(lines)} lines instead of 2")
    n, gap = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 0 <= gap <= MAX_N:
        raise ValueError(f"g = {gap} is outside 0..{MAX_N}")
    for value in _integers(lines[1], n, "second line"):
        if not -MAX_VALUE <= value <= MAX_VALUE:
            raise ValueError(f"v = {value} is outside -{MAX_VALUE}..{MAX_VALUE}")
