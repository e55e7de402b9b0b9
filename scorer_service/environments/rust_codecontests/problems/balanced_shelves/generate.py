"""Inputs of Balanced Shelves: thicknesses of books and the number of shelves."""

import random
import re
from collections.abc import Iterator

MAX_N = 100_000
MAX_THICKNESS = 1_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(shelves: int, books: list[int]) -> str:
    return f"{len(books)} {shelves}\n{' '.join(map(str, books))}\n"


def _random(rng: random.Random, n: int, shelves: int, thinnest: int, thickest: int) -> str:
    return _text(shelves, [rng.randint(thinnest, thickest) for _ in range(n)])


def public() -> list[str]:
    return [
        _text(3, [4, 2, 5, 1, 3]),
        _text(1, [10, 0, 20]),
        _text(4, [2, 2, 2, 2, 2, 2]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [0])
    yield _text(1, [MAX_THICKNESS])
    yield _text(3, [7, 8, 9])
    yield _text(2, [0, 0, 0, 0])
    yield _text(5, [0, 0, 3, 0, 0, 3, 0, 0])
    yield _text(3, [1, 1, 1, 1])
    yield _text(5, [1] * 12)
    yield _text(7, [1] * 16)
    yield _text(2, [1, 1, 1, 100, 1, 1, 1])
    yield _text(3, [5, 1, 1, 1, 5, 1, 1, 1, 5])
    for n, shelves, thickest in ((12, 4, 5), (20, 7, 2), (30, 11, 20), (60, 13, 1), (100, 9, 1000)):
        yield _random(rng, n, shelves, 0, thickest)
    for shelves in (3, 40, 333, 999):
        yield _random(rng, 1000, shelves, 0, 12)
    yield _text(700, [3] * 1000)
    yield _random(rng, 2000, 500, 900, MAX_THICKNESS)
    yield _text(MAX_N, [rng.randint(0, 9) for _ in range(MAX_N)])
    yield _text(1, [MAX_THICKNESS] * MAX_N)
    yield _text(2, [rng.randint(0, 1) * MAX_THICKNESS for _ in range(MAX_N)])
    yield _text(33_333, [1] * MAX_N)
    yield _random(rng, MAX_N, 20_000, 0, 1)
    yield _random(rng, MAX_N, 44_444, 0, MAX_THICKNESS)
    yield _text(3_000, [rng.randint(0, 9) if i % 100 else MAX_THICKNESS for i in range(MAX_N)])


def small(rng: random.Random) -> str:
    n = rng.randint(1, 9)
    return _random(rng, n, rng.randint(1, n), 0, rng.choice([1, 2, 6, 30]))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    if len(lines) != 2:
        raise ValueError(f"{len(lines)} lines instead of 2")
    n, shelves = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 1 <= shelves <= n:
        raise ValueError(f"k = {shelves} is outside 1..{n}")
    for thickness in _integers(lines[1], n, "second line"):
        if not 0 <= thickness <= MAX_THICKNESS:
            raise ValueError(f"a = {thickness} is outside 0..{MAX_THICKNESS}")
