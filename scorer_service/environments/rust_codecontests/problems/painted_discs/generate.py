"""Tests of painted_discs: coinciding, nested, touching, holes, dense clouds at the limits."""

import random
import re
from collections.abc import Iterator

MAX_N = 1000
MAX_COORDINATE = 10_000
MAX_RADIUS = 10_000

Disc = tuple[int, int, int]


def _format(discs: list[Disc]) -> str:
    return f"{len(discs)}\n" + "".join(f"{x} {y} {r}\n" for x, y, r in discs)


def _random_discs(rng: random.Random, n: int, limit: int, least: int, most: int) -> list[Disc]:
    return [
        (rng.randint(-limit, limit), rng.randint(-limit, limit), rng.randint(least, most)) for _ in range(n)
    ]


def public() -> list[str]:
    return [
        _format([(0, 0, 1), (1, 0, 1)]),
        _format([(0, 0, 3), (5, 0, 2), (-3, 0, 1), (0, 4, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    far = MAX_COORDINATE
    yield _format([(0, 0, 1)])
    yield _format([(far, -far, MAX_RADIUS)])
    yield _format([(0, 0, 9), (1, 1, 2), (2, 1, 9)])
    yield _format([(3, 4, 5), (3, 4, 5)])
    yield _format([(-7, 2, 3)] * 7 + [(-7, 2, 2)] * 2)
    # Touching from outside, from inside, in slanted directions.
    yield _format([(0, 0, 5), (10, 0, 5), (5, 5, 1)])
    yield _format([(0, 0, 10), (3, 4, 5), (-3, -4, 5), (0, 0, 1)])
    yield _format([(0, 0, 985), (697 * 2, 696 * 2, 985), (697 * 3, 696 * 3, 985), (697, 696, 985)])
    yield _format([(0, 0, 9), (1, 1, 9), (0, 1, 9), (1, 0, 9), (0, 0, 10)])
    yield _format([(-far, -far, 1), (far, far, 1), (-far, far, 1), (far, -far, 1)])
    yield _format([(0, 0, k) for k in range(1, 101)])
    yield _format([(k, 0, k) for k in range(1, 201)])
    # Three circles through one point; three discs that leave a hole between them.
    yield _format([(5, 0, 5), (-5, 0, 5), (0, 5, 5), (0, -5, 5)])
    yield _format([(0, 0, 100), (190, 0, 100), (95, 165, 100)])
    # A ring of discs round a hole, and the same ring in two rows.
    ring = [(63, 16), (56, 33), (39, 52), (33, 56), (16, 63), (0, 65)]
    ring += [(-x, y) for x, y in ring] + [(x, -y) for x, y in ring] + [(-x, -y) for x, y in ring]
    yield _format([(10 * x, 10 * y, 150) for x, y in ring])
    yield _format([(10 * x, 10 * y, 150) for x, y in ring] + [(14 * x, 14 * y, 300) for x, y in ring])
    # The same centre to one side: intervals that cross the angle pi.
    yield _format([(0, 0, 10), (-12, 0, 10), (-12, 1, 9), (-12, -1, 9), (12, 0, 4)])
    # A grid in which each disc touches its neighbours, and one in which it overlaps them.
    yield _format([(100 * i, 100 * j, 50) for i in range(-15, 16) for j in range(-15, 16)])
    yield _format([(100 * i, 100 * j, 75) for i in range(-15, 16) for j in range(-15, 16)])
    for n, limit, least, most in ((5, 6, 1, 6), (30, 50, 1, 30), (200, 200, 1, 20), (500, 2_000, 1, 200)):
        yield _format(_random_discs(rng, n, limit, least, most))
    yield _format(_random_discs(rng, MAX_N, far, 1, 300))
    yield _format(_random_discs(rng, MAX_N, far, 1, 1_500))
    yield _format(_random_discs(rng, MAX_N, 400, 9_000, 9_010))
    yield _format(_random_discs(rng, MAX_N, 2_000, 5_000, 5_000))
    yield _format([(k * 20 - far, (k * k) // 100 - 5_000, 3_000) for k in range(MAX_N)])


def small(rng: random.Random) -> str:
    limit = rng.choice([2, 4, 10])
    discs = _random_discs(rng, rng.randint(1, 6), limit, 1, rng.choice([2, 5]))
    if rng.randrange(3) == 0:
        discs += [rng.choice(discs) for _ in range(2)]
    return _format(discs)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    first, *lines = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", first) or int(first) > MAX_N:
        raise ValueError(f"n = {first[:80]!r} is not an integer in 1..{MAX_N}")
    if len(lines) != int(first):
        raise ValueError(f"{len(lines)} lines of discs, not n = {first}")
    number = r"(?:0|-?[1-9][0-9]*)"
    for index, line in enumerate(lines, start=2):
        if not re.fullmatch(rf"{number} {number} {number}", line):
            raise ValueError(f"line {index} is not three integers: {line[:80]!r}")
        x, y, r = map(int, line.split(" "))
        if max(abs(x), abs(y)) > MAX_COORDINATE:
            raise ValueError(
                f"line {index}: the centre {x} {y} is not in -{MAX_COORDINATE}..{MAX_COORDINATE}"
            )
        if not 1 <= r <= MAX_RADIUS:
            raise ValueError(f"line {index}: r = {r} is not in 1..{MAX_RADIUS}")
