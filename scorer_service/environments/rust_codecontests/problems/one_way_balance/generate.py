"""Tests of one_way_balance: loops, parallel streets, stars, long paths, odd squares in many components."""

import random
import re
from collections.abc import Iterator

MAX_SQUARES = 100_000
MAX_STREETS = 100_000

Street = tuple[int, int]


def _format(n: int, streets: list[Street]) -> str:
    return f"{n} {len(streets)}\n" + "".join(f"{u} {v}\n" for u, v in streets)


def _random_streets(rng: random.Random, n: int, m: int) -> list[Street]:
    return [(rng.randint(1, n), rng.randint(1, n)) for _ in range(m)]


def _flipped(rng: random.Random, streets: list[Street]) -> list[Street]:
    """Return the streets in another order, each written in either way."""
    turned = [(u, v) if rng.randrange(2) else (v, u) for u, v in streets]
    rng.shuffle(turned)
    return turned


def public() -> list[str]:
    return [
        _format(4, [(1, 2), (1, 3), (1, 4), (2, 3)]),
        _format(2, [(1, 2), (2, 1), (1, 2), (2, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format(1, [(1, 1)])
    yield _format(1, [(1, 1)] * 5)
    yield _format(2, [(1, 2)])
    yield _format(2, [(2, 1), (2, 1)])
    yield _format(2, [(1, 2)] * 7)
    yield _format(3, [(1, 2), (1, 3), (1, 1)])
    yield _format(4, [(1, 2), (1, 3), (1, 4), (1, 1), (2, 2)])
    # A path whose first square in number is not one of its ends.
    yield _format(5, [(3, 1), (1, 2), (4, 3), (2, 5)])
    yield _format(7, [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)])
    yield _format(100_000, [(50_000, 99_999)])
    # Complete graphs with an odd and an even number of squares.
    for n in (5, 6, 40, 41):
        yield _format(n, _flipped(rng, [(u, v) for u in range(1, n + 1) for v in range(1, u)]))
    # Loops at squares of odd degree.
    yield _format(30, _flipped(rng, [(u, u) for u in range(1, 31)] + _random_streets(rng, 30, 45)))
    for n, m in ((4, 9), (20, 15), (300, 400), (1_000, 5_000)):
        yield _format(n, _random_streets(rng, n, m))
    # A tree in which most squares have degree 3: a greedy choice street by street fails.
    yield _format(4_000, _flipped(rng, [(u, u // 2) for u in range(2, 4_001)]))
    # All squares of a long path and of a long cycle, in a random numbering.
    names = list(range(1, 30_001))
    rng.shuffle(names)
    yield _format(30_000, _flipped(rng, [(names[k], names[k + 1]) for k in range(29_999)]))
    yield _format(30_000, _flipped(rng, [(names[k - 1], names[k]) for k in range(30_000)]))
    yield _format(2, [(1, 2)] * MAX_STREETS)
    yield _format(1, [(1, 1)] * MAX_STREETS)
    yield _format(MAX_SQUARES, [(1, k) for k in range(2, MAX_SQUARES + 1)])
    yield _format(30_000, _random_streets(rng, 30_000, 40_000))


def small(rng: random.Random) -> str:
    n = rng.randint(1, 6)
    return _format(n, _random_streets(rng, n, rng.randint(1, 9)))


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    first, *lines = text[:-1].split("\n")
    number = r"[1-9][0-9]*"
    if not re.fullmatch(rf"{number} {number}", first):
        raise ValueError(f"line 1 is not 'n m': {first[:80]!r}")
    n, m = map(int, first.split(" "))
    if n > MAX_SQUARES:
        raise ValueError(f"n = {n} is not in 1..{MAX_SQUARES}")
    if m > MAX_STREETS:
        raise ValueError(f"m = {m} is not in 1..{MAX_STREETS}")
    if len(lines) != m:
        raise ValueError(f"{len(lines)} lines of streets, not m = {m}")
    for index, line in enumerate(lines, start=2):
        if not re.fullmatch(rf"{number} {number}", line):
            raise ValueError(f"line {index} is not two positive integers: {line[:80]!r}")
        if any(int(token) > n for token in line.split(" ")):
            raise ValueError(f"line {index}: {line!r} is not in 1..{n}")
