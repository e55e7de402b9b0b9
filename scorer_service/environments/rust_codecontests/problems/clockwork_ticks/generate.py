"""Tests of clockwork_ticks: equal readings, one tick back, long borrows, wheels of one position."""

import random
import re
from collections.abc import Iterator

MAX_N = 15_000
MAX_POSITIONS = 10**9

Wheel = tuple[int, int, int]


def _format(wheels: list[Wheel]) -> str:
    return f"{len(wheels)}\n" + "".join(f"{b} {s} {t}\n" for b, s, t in wheels)


def _random_wheels(rng: random.Random, n: int, least: int, most: int) -> list[Wheel]:
    sizes = [rng.randint(least, most) for _ in range(n)]
    return [(b, rng.randrange(b), rng.randrange(b)) for b in sizes]


def _readings(sizes: list[int], start: int, ticks: int) -> list[Wheel]:
    """Return the wheels for the reading number start and the one that comes the given ticks later."""
    wheels = []
    target = start + ticks
    for size in sizes:
        wheels.append((size, start % size, target % size))
        start //= size
        target //= size
    return wheels


def public() -> list[str]:
    return [
        _format([(60, 50, 10), (60, 59, 1), (24, 22, 0)]),
        _format([(1000, 1, 0), (1000, 0, 0)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    big = MAX_POSITIONS
    yield _format([(1, 0, 0)])
    yield _format([(2, 1, 0)])
    yield _format([(big, 0, big - 1)])
    yield _format([(big, big - 1, 0)])
    yield _format([(big, 5, 5), (big, 7, 7), (big, 0, 0)])
    yield _format([(1, 0, 0)] * 10)
    yield _format([(1, 0, 0), (7, 3, 2), (1, 0, 0), (1, 0, 0), (5, 1, 1), (1, 0, 0)])
    # One tick back: a borrow through every wheel, and round the whole counter.
    yield _format([(10, 0, 9)] * 30)
    yield _format([(10, 1, 0)] + [(10, 0, 0)] * 30)
    yield _format([(b, 0, b - 1) for b in (7, 2, 1, 1, 9, big)] + [(3, 2, 1)])
    # The answer is a power of ten or next to one: limbs of zeros and nines inside.
    yield _format(_readings([10] * 60, 123_456_789, 10**40))
    yield _format(_readings([10] * 60, 10**50, 10**45 - 1))
    yield _format(_readings([big] * 12, 999, 10**72 + 10**27 + 5))
    yield _format(_readings([big] * 9 + [2], 10**80, 10**18))
    # Products that fill 32, 64 and 128 bits, and one more.
    for power in (32, 64, 128):
        yield _format(_readings([2] * (power + 2), 3, 2**power - 1))
        yield _format(_readings([2] * (power + 2), 3, 2**power))
    # T is before S in every wheel but one, and the answer is short although there are many wheels.
    yield _format([(rng.randint(2, big), 0, 0) for _ in range(MAX_N - 1)] + [(2, 1, 1)])
    yield _format([(100, 40, 39), (100, 39, 40)] + [(big, k, k) for k in range(500)])
    for n, least, most in ((5, 1, 4), (40, 1, 3), (300, 2, 1_000), (2_000, 1, 60), (3_000, big // 2, big)):
        yield _format(_random_wheels(rng, n, least, most))
    yield _format(_random_wheels(rng, MAX_N, big - 1_000, big))
    yield _format([(big, 0, big - 1)] * MAX_N)
    yield _format([(b, b - 1, 0) for b in (rng.randint(big - 9, big) for _ in range(MAX_N))])
    yield _format(_random_wheels(rng, MAX_N, 1, 20))


def small(rng: random.Random) -> str:
    n = rng.randint(1, 6)
    wheels = _random_wheels(rng, n, 1, rng.choice([2, 4, 12, 10**9]))
    if rng.randrange(3) == 0:
        same = rng.randrange(n + 1)
        wheels[same:] = [(b, s, s) for b, s, _ in wheels[same:]]
    return _format(wheels)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    first, *lines = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", first) or int(first) > MAX_N:
        raise ValueError(f"n = {first[:80]!r} is not an integer in 1..{MAX_N}")
    if len(lines) != int(first):
        raise ValueError(f"{len(lines)} lines of wheels, not n = {first}")
    number = r"(?:0|[1-9][0-9]*)"
    for index, line in enumerate(lines, start=2):
        if not re.fullmatch(rf"{number} {number} {number}", line):
            raise ValueError(f"line {index} is not three integers: {line[:80]!r}")
        b, s, t = map(int, line.split(" "))
        if not 1 <= b <= MAX_POSITIONS:
            raise ValueError(f"line {index}: b = {b} is not in 1..{MAX_POSITIONS}")
        if not max(s, t) < b:
            raise ValueError(f"line {index}: a position of {line!r} is not below {b}")
