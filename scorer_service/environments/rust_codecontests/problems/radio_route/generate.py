"""Tests of radio_route: tangents, ends on the circle, standing still, long random routes."""

import random
import re
from collections.abc import Iterator

MAX_N = 50_000
MAX_COORDINATE = 1000
MAX_RADIUS = 1000

Point = tuple[int, int]


def _format(station: Point, radius: int, route: list[Point]) -> str:
    lines = [f"{len(route)} {station[0]} {station[1]} {radius}"]
    lines += [f"{x} {y}" for x, y in route]
    return "\n".join(lines) + "\n"


def _random_route(rng: random.Random, n: int, limit: int) -> list[Point]:
    return [(rng.randint(-limit, limit), rng.randint(-limit, limit)) for _ in range(n)]


def _along_tangent(leg: int, other: int, radius: int, passes: int) -> str:
    """Back and forth on the tangent that touches the circle at station + (leg, other); the length is 0."""
    ends = [(-other, leg), (other, -leg)]
    return _format((-leg, -other), radius, [ends[k % 2] for k in range(passes + 1)])


def public() -> list[str]:
    return [
        _format((0, 0), 5, [(-8, 3), (8, 3), (8, -3)]),
        _format((1, 1), 2, [(1, 1), (4, 5), (1, 1), (1, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format((0, 0), 1, [(0, 0)])
    yield _format((0, 0), 1, [(0, 0), (0, 0), (0, 0)])
    yield _format((3, 3), 10, [(5, 5), (5, 5), (9, 9), (9, 9), (900, 9)])
    # Slanted tangents: a discriminant in floating point is not zero here.
    yield _format((0, 0), 65, [(63 + 16 * k, 16 - 63 * k) for k in (-7, 5)])
    for leg, other, radius in (
        (697, 696, 985),
        (372, 925, 997),
        (533, 756, 925),
        (-615, 728, 953),
        (231, -520, 569),
    ):
        yield _along_tangent(leg, other, radius, 99)
    yield _format((7, -11), 65, [(7 + 33 + 56 * k, -11 + 56 - 33 * k) for k in (-3, 4, -5, 2, -1, 1)] * 5)
    yield _format((1, 2), 130, [(1 + 2 * 39 + 52 * k, 2 + 2 * 52 - 39 * k) for k in (-6, 3, -2, 5)] * 50)
    # On the line of the segment, but before its start or behind its end.
    yield _format((0, 0), 5, [(10, 0), (100, 0), (-6, 0), (-900, 0)])
    yield _format((0, 0), 3, [(4, 4), (900, 899), (4, 4)])
    # Vertices exactly on the circle.
    yield _format((0, 0), 5, [(3, 4), (-3, -4), (4, 3), (0, 5), (5, 0), (9, 12), (3, 4)])
    yield _format((-1000, -1000), 1000, [(1000, 1000), (-1000, -1000), (0, -1000), (-1000, 0), (1000, -1000)])
    yield _format((1000, 1000), 1, [(-1000, -1000), (1000, 1000)])
    yield _format((0, 0), 1000, [(1000, 1000), (1000, -1000), (-1000, -1000), (-1000, 1000), (1000, 1000)])
    for n, limit, radius in ((10, 10, 5), (100, 30, 12), (500, 1000, 1), (500, 1000, 1000), (2000, 50, 40)):
        station = (rng.randint(-limit, limit), rng.randint(-limit, limit))
        yield _format(station, radius, _random_route(rng, n, limit))
    yield _format((0, 0), 700, _random_route(rng, MAX_N, MAX_COORDINATE))
    yield _format((-999, 1000), 3, _random_route(rng, MAX_N, MAX_COORDINATE))
    yield _format((0, 0), 65, [(63 + 16 * k, 16 - 63 * k) for k in (-7, 5)] * (MAX_N // 2))
    walk = [(0, 0)]
    while len(walk) < MAX_N:
        x, y = walk[-1]
        step = (x + rng.randint(-3, 3), y + rng.randint(-3, 3))
        if max(abs(step[0]), abs(step[1])) <= 60:
            walk.append(step)
    yield _format((0, 0), 50, walk)


def small(rng: random.Random) -> str:
    n = rng.randint(1, 5)
    if rng.randrange(3) == 0:
        radius, (ux, uy) = rng.choice([(5, (3, 4)), (5, (-4, 3)), (13, (5, -12)), (10, (8, 6))])
        route = [(ux - uy * k, uy + ux * k) for k in (rng.randint(-3, 3) for _ in range(n))]
    else:
        radius = rng.randint(1, 8)
        route = _random_route(rng, n, rng.choice([2, 10]))
    sx, sy = rng.randint(-5, 5), rng.randint(-5, 5)
    return _format((sx, sy), radius, [(sx + x, sy + y) for x, y in route])


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    lines = text[:-1].split("\n")
    number = r"(?:0|-?[1-9][0-9]*)"
    if not re.fullmatch(rf"{number}(?: {number}){{3}}", lines[0]):
        raise ValueError(f"line 1 is not 'n x y r': {lines[0]!r}")
    n, x, y, radius = map(int, lines[0].split(" "))
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is not in 1..{MAX_N}")
    if not 1 <= radius <= MAX_RADIUS:
        raise ValueError(f"r = {radius} is not in 1..{MAX_RADIUS}")
    if len(lines) != n + 1:
        raise ValueError(f"{len(lines) - 1} lines of vertices, not n = {n}")
    for index, line in enumerate(lines[1:], start=2):
        if not re.fullmatch(rf"{number} {number}", line):
            raise ValueError(f"line {index} is not two integers: {line!r}")
    for line in (f"{x} {y}", *lines[1:]):
        if any(abs(int(token)) > MAX_COORDINATE for token in line.split(" ")):
            raise ValueError(f"a coordinate of {line!r} is not in -{MAX_COORDINATE}..{MAX_COORDINATE}")
