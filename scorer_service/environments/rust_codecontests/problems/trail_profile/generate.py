"""Tests of trail_profile: the lowest and the highest sums, one beyond them, wrong parity, random sums."""

import random
import re
from collections.abc import Iterator

MAX_N = 200_000
MAX_SUM = 10**11


def _format(n: int, s: int) -> str:
    return f"{n} {s}\n"


def _lowest(n: int) -> int:
    return n // 2


def _highest(n: int) -> int:
    return n * (n - 1) // 2


def public() -> list[str]:
    return [_format(5, 4), _format(4, 3)]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format(1, 0)
    yield _format(1, 1)
    yield _format(2, 1)
    yield _format(2, 0)
    yield _format(2, 3)
    yield _format(3, 1)
    yield _format(3, 3)
    yield _format(3, 2)
    yield _format(6, 3)
    yield _format(6, 1)
    yield _format(7, 0)
    for n in (10, 11, 1_000, 46_342, MAX_N - 1, MAX_N):
        low, high = _lowest(n), _highest(n)
        yield _format(n, low)
        yield _format(n, high)
        if n > 1_000:
            yield _format(n, high - 2 * rng.randrange(1, high // 4))
    yield _format(MAX_N, _lowest(MAX_N) - 2)
    yield _format(MAX_N, _highest(MAX_N) + 2)
    yield _format(MAX_N, _highest(MAX_N) - 1)
    yield _format(MAX_N, MAX_SUM)
    # The sum seen through 32 bits would be reachable.
    yield _format(1_000, 2**32 + 500)
    yield _format(65_537, _highest(65_537) - 2 * 12_345)
    for _ in range(4):
        n = rng.randint(150_000, MAX_N)
        yield _format(n, _lowest(n) + 2 * rng.randint(0, (_highest(n) - _lowest(n)) // 2))
    for _ in range(3):
        n = rng.randint(5, 60)
        yield _format(n, rng.randint(0, _highest(n) + 2))


def small(rng: random.Random) -> str:
    n = rng.randint(1, 9)
    return _format(n, rng.randint(0, _highest(n) + 3))


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    match = re.fullmatch(r"([1-9][0-9]*) (0|[1-9][0-9]*)\n", text)
    if not match:
        raise ValueError(f"not one line 'n s': {text[:80]!r}")
    n, s = map(int, match.groups())
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is not in 1..{MAX_N}")
    if not 0 <= s <= MAX_SUM:
        raise ValueError(f"s = {s} is not in 0..{MAX_SUM}")
