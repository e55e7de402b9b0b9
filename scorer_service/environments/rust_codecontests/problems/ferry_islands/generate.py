"""Inputs of Ferry Islands: the lines of a ferry network in the order in which they open."""

import random
import re
from collections.abc import Iterator

MAX_N = 100_000
MAX_M = 40_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(n: int, lines: list[tuple[int, int]]) -> str:
    return "".join(f"{a} {b}\n" for a, b in [(n, len(lines)), *lines])


def _random(rng: random.Random, n: int, m: int) -> str:
    return _text(n, [(rng.randint(1, n), rng.randint(1, n)) for _ in range(m)])


def _pairing_tree(n: int, m: int) -> list[tuple[int, int]]:
    """Merges islands pairwise, then the pairs, and so on: components stay equal in size."""
    lines: list[tuple[int, int]] = []
    step = 1
    while step < n and len(lines) < m:
        lines += [(i, i + step) for i in range(1, n - step + 1, 2 * step)]
        step *= 2
    return lines[:m]


def public() -> list[str]:
    return [
        _text(5, [(1, 2), (4, 5), (2, 4), (5, 1), (3, 5)]),
        _text(3, [(2, 3), (3, 1)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [(1, 1)])
    yield _text(2, [(2, 2), (2, 1), (1, 2)])
    yield _text(2, [(1, 1), (2, 2)])
    yield _text(6, [(1, 2), (2, 1), (1, 2), (3, 3), (2, 3), (1, 3)])
    yield _text(4, [(4, 3), (2, 1), (1, 4), (2, 3), (2, 3)])
    for n, m in ((7, 12), (10, 5), (10, 30), (30, 40), (50, 30), (50, 120)):
        yield _random(rng, n, m)
    for n, m in ((400, 300), (700, 1500), (1000, 1000)):
        yield _random(rng, n, m)
    yield _text(500, [(i, i + 1) for i in range(1, 500)])
    yield _text(500, [(i, i + 1) for i in range(499, 0, -1)])
    yield _text(800, [(400, i) for i in range(1, 801)])
    yield _text(1000, _pairing_tree(1000, 1000))
    yield _text(MAX_N, [(MAX_N, 1)])
    yield _text(MAX_N, [(9, 9), (10, 11)])
    yield _text(30_000, [(i + 1, i) for i in range(1, 30_000)])
    yield _text(MAX_N, [(i, i + 1) for i in range(1, MAX_M + 1)])
    yield _random(rng, 20_000, MAX_M)
    yield _text(MAX_N, _pairing_tree(MAX_N, MAX_M))


def small(rng: random.Random) -> str:
    return _random(rng, rng.randint(1, 7), rng.randint(1, 9))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    n, m = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 1 <= m <= MAX_M:
        raise ValueError(f"m = {m} is outside 1..{MAX_M}")
    if len(lines) != m + 1:
        raise ValueError(f"{len(lines)} lines instead of {m + 1}")
    for number, line in enumerate(lines[1:], 2):
        for island in _integers(line, 2, f"line {number}"):
            if not 1 <= island <= n:
                raise ValueError(f"line {number}: island {island} is outside 1..{n}")
