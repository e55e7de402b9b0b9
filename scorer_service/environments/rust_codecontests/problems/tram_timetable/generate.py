"""Inputs of Tram Timetable: lines with a first departure, a period and a travel time."""

import random
import re
from collections.abc import Iterator

MAX_N = 40_000
MAX_M = 60_000
MAX_TIME = 1_000_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"

Line = tuple[int, int, int, int, int]


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(n: int, lines: list[Line]) -> str:
    return f"{n} {len(lines)}\n" + "".join(" ".join(map(str, line)) + "\n" for line in lines)


def _random_line(rng: random.Random, u: int, v: int, latest: int) -> Line:
    return (u, v, rng.randint(0, latest), rng.randint(1, max(1, latest)), rng.randint(1, max(1, latest)))


def _random(rng: random.Random, n: int, m: int, latest: int) -> str:
    return _text(n, [_random_line(rng, rng.randint(1, n), rng.randint(1, n), latest) for _ in range(m)])


def _long_walk(rng: random.Random, n: int, m: int, latest: int) -> str:
    """One random chain through all stops, and lines that skip at most three stops of it."""
    chain = [1, *rng.sample(range(2, n), n - 2), n]
    lines = [_random_line(rng, chain[i], chain[i + 1], latest) for i in range(n - 1)]
    while len(lines) < m:
        i = rng.randrange(n)
        j = min(n - 1, i + rng.randint(-3, 3))
        lines.append(_random_line(rng, chain[i], chain[max(0, j)], latest))
    rng.shuffle(lines)
    return _text(n, lines)


def public() -> list[str]:
    return [
        _text(4, [(1, 2, 0, 4, 3), (1, 3, 3, 10, 2), (3, 4, 0, 5, 4), (1, 4, 1, 7, 10)]),
        _text(3, [(1, 2, 6, 6, 1), (2, 3, 2, 5, 2), (2, 3, 0, 9, 1), (3, 1, 0, 1, 1)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [])
    yield _text(1, [(1, 1, 0, 1, 1)])
    yield _text(2, [])
    yield _text(2, [(2, 1, 0, 1, 1)])
    yield _text(2, [(1, 2, 5, 3, 7), (1, 2, 6, 1, 6)])
    yield _text(3, [(1, 2, 0, 1, 5), (2, 3, 5, 100, 1), (2, 3, 6, 100, 1)])
    yield _text(3, [(1, 2, 1, 1, 1), (2, 3, 50, 1, 1), (2, 3, 49, 4, 1), (1, 3, 0, 1, 51)])
    yield _text(4, [(1, 2, 0, 9, 1), (2, 3, 0, 1, 1), (1, 3, 0, 2, 9), (2, 1, 0, 1, 1), (2, 2, 0, 1, 1)])
    yield _text(3, [(1, 2, MAX_TIME, MAX_TIME, MAX_TIME), (2, 3, 1, MAX_TIME, MAX_TIME)])
    for n, m, latest in ((5, 9, 3), (6, 15, 9), (30, 60, 20), (30, 200, 5), (400, 1200, 1)):
        yield _random(rng, n, m, latest)
    for n, m, latest in ((40, 60, 6), (300, 500, 100), (999, 1999, MAX_TIME)):
        yield _long_walk(rng, n, m, latest)
    yield _text(5_000, [(i, i + 1, 999_999, MAX_TIME, 999_999) for i in range(1, 5_000)])
    yield _random(rng, 9_000, MAX_M, 99)
    yield _long_walk(rng, 15_000, 20_000, MAX_TIME)
    yield _text(
        MAX_N,
        [(i, i + 1, 0, 7, i % 5 + 1) for i in range(MAX_N - 1, 0, -1)]
        + [(i + 1, i, 0, 1, 1) for i in range(MAX_M - MAX_N + 1, 0, -1)],
    )


def small(rng: random.Random) -> str:
    n = rng.randint(1, 5)
    return _random(rng, n, rng.randint(0, 9), rng.choice([1, 3, 8]))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    n, m = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 0 <= m <= MAX_M:
        raise ValueError(f"m = {m} is outside 0..{MAX_M}")
    if len(lines) != m + 1:
        raise ValueError(f"{len(lines)} lines instead of {m + 1}")
    for number, line in enumerate(lines[1:], 2):
        u, v, first, period, duration = _integers(line, 5, f"line {number}")
        for stop in (u, v):
            if not 1 <= stop <= n:
                raise ValueError(f"line {number}: stop {stop} is outside 1..{n}")
        if not 0 <= first <= MAX_TIME:
            raise ValueError(f"line {number}: s = {first} is outside 0..{MAX_TIME}")
        for name, value in (("p", period), ("d", duration)):
            if not 1 <= value <= MAX_TIME:
                raise ValueError(f"line {number}: {name} = {value} is outside 1..{MAX_TIME}")
