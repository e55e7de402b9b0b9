"""Inputs of Vending Change: boxes of coins and the sum to pay."""

import random
import re
from collections.abc import Iterator

MAX_N = 60
MAX_SUM = 100_000
MAX_WORTH = 1_000_000_000
MAX_COUNT = 1_000_000_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(amount: int, boxes: list[tuple[int, int]]) -> str:
    return "".join(f"{a} {b}\n" for a, b in [(len(boxes), amount), *boxes])


def _random(rng: random.Random, n: int, amount: int, max_worth: int, max_count: int) -> str:
    return _text(amount, [(rng.randint(1, max_worth), rng.randint(0, max_count)) for _ in range(n)])


def public() -> list[str]:
    return [
        _text(12, [(5, 1), (3, 4), (1, 10)]),
        _text(10, [(7, 3), (4, 2), (9, 1)]),
        _text(0, [(6, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(0, [(1, 0)])
    yield _text(5, [(5, 0)])
    yield _text(5, [(5, 1)])
    yield _text(6, [(4, 9), (3, 2)])
    yield _text(12, [(9, 1), (4, 3), (1, 3)])
    yield _text(20, [(5, 2), (5, 2), (1, 9)])
    yield _text(7, [(1000, 3), (7, 1)])
    yield _text(8, [(3, 2), (MAX_WORTH, MAX_COUNT), (2, 1), (1, 1)])
    yield _text(MAX_SUM, [(MAX_SUM, 1), (1, MAX_COUNT)])
    yield _text(MAX_SUM, [(1, MAX_COUNT)])
    yield _text(MAX_SUM, [(1, MAX_SUM - 1)])
    yield _text(99_999, [(2, MAX_COUNT), (4, MAX_COUNT), (6, MAX_COUNT)])
    yield _text(65_535, [(1 << i, 1) for i in range(16)])
    yield _text(65_536, [(1 << i, 1) for i in range(16)])
    for n, amount, max_worth, max_count in (
        (3, 30, 12, 4),
        (5, 100, 30, 5),
        (8, 500, 90, 9),
        (20, 3_000, 400, 3),
        (40, 5_000, 200, 40),
        (60, 20_000, 2_000, 1),
    ):
        yield _random(rng, n, amount, max_worth, max_count)
    yield _text(MAX_SUM, [(2 * rng.randint(1, 900), rng.randint(1, 60)) for _ in range(59)] + [(999, 1)])
    yield _text(MAX_SUM - 1, [(2 * rng.randint(1, 900), rng.randint(1, 60)) for _ in range(59)] + [(999, 1)])
    yield _random(rng, MAX_N, MAX_SUM, 5_000, 30)
    yield _random(rng, MAX_N, MAX_SUM, 60, MAX_COUNT)
    yield _text(MAX_SUM, [(i, MAX_SUM) for i in range(1, MAX_N + 1)])
    yield _text(MAX_SUM, [(3, MAX_COUNT)] * 30 + [(1, MAX_SUM)] * 30)


def small(rng: random.Random) -> str:
    n = rng.randint(1, 4)
    return _random(rng, n, rng.randint(0, 20), rng.choice([5, 9, 25]), rng.choice([1, 4]))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    n, amount = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 0 <= amount <= MAX_SUM:
        raise ValueError(f"s = {amount} is outside 0..{MAX_SUM}")
    if len(lines) != n + 1:
        raise ValueError(f"{len(lines)} lines instead of {n + 1}")
    for number, line in enumerate(lines[1:], 2):
        worth, count = _integers(line, 2, f"line {number}")
        if not 1 <= worth <= MAX_WORTH:
            raise ValueError(f"line {number}: d = {worth} is outside 1..{MAX_WORTH}")
        if not 0 <= count <= MAX_COUNT:
            raise ValueError(f"line {number}: c = {count} is outside 0..{MAX_COUNT}")
