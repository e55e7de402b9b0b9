"""Tests of garden_rope: one post, all on a line, slivers with a tiny area, strictly convex clouds."""

import math
import random
import re
from collections.abc import Iterator

MAX_N = 80_000
MAX_COORDINATE = 10**9
MAX_RADIUS = 10**9

Point = tuple[int, int]


def _format(radius: int, points: list[Point]) -> str:
    return f"{len(points)} {radius}\n" + "".join(f"{x} {y}\n" for x, y in points)


def _random_points(rng: random.Random, n: int, limit: int) -> list[Point]:
    return [(rng.randint(-limit, limit), rng.randint(-limit, limit)) for _ in range(n)]


def _convex_polygon(rng: random.Random, n: int) -> list[Point]:
    """Return n corners of a strictly convex polygon, from different edge vectors sorted by direction."""
    edges: list[Point] = []
    bound = 1
    while len(edges) < n // 4:
        bound += 1
        edges += [(bound, k) for k in range(1, bound) if math.gcd(bound, k) == 1]
        edges += [(k, bound) for k in range(1, bound) if math.gcd(bound, k) == 1]
    edges = edges[: n // 4]
    edges.sort(key=lambda edge: (edge[1] * (1 << 40)) // edge[0])
    x = y = 0
    corners = []
    for turn in range(4):
        for dx, dy in edges:
            corners.append((x, y))
            for _ in range(turn):
                dx, dy = -dy, dx
            x, y = x + dx, y + dy
    min_x, min_y = min(p[0] for p in corners), min(p[1] for p in corners)
    reach = max(max(p[0] - min_x, p[1] - min_y) for p in corners)
    factor = 2 * MAX_COORDINATE // reach
    moved = [
        ((px - min_x) * factor - MAX_COORDINATE, (py - min_y) * factor - MAX_COORDINATE) for px, py in corners
    ]
    rng.shuffle(moved)
    return moved


def public() -> list[str]:
    return [
        _format(1, [(0, 0), (4, 0), (4, 3), (3, 1)]),
        _format(0, [(0, 0), (2, 2), (1, 1)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    big = MAX_COORDINATE
    yield _format(0, [(5, -5)])
    yield _format(1, [(0, 0)])
    yield _format(MAX_RADIUS, [(big, big)])
    yield _format(3, [(7, 7)] * 5)
    yield _format(2, [(0, 0), (0, 0), (3, 4), (3, 4)])
    yield _format(0, [(0, 0), (3, 4)])
    yield _format(1, [(0, y) for y in (5, -3, 0, 5, 9)])
    yield _format(1, [(x, 4) for x in (5, -3, 0, 5, 9)])
    yield _format(10, [(2 * k, -3 * k) for k in rng.sample(range(-1000, 1000), 200)])
    # Points on the edges of a square, corners included, every one twice.
    ring = [(k, 0) for k in range(11)] + [(10, k) for k in range(11)] + [(k, 10) for k in range(11)]
    yield _format(1, (ring + [(0, k) for k in range(11)]) * 2)
    # Slivers: the area is a few units, the products of the coordinates are near 10^18.
    yield _format(0, [(big, big), (big - 1, big - 1), (big - 2, big - 1)])
    yield _format(0, [(-big, -big), (big, big), (big - 1, big)])
    yield _format(0, [(-big, big), (0, 1), (big, -big), (1, 0)])
    yield _format(0, [(big - k, big - 3 * k) for k in range(1000)] + [(big, big - 1)])
    # Extreme turns, which overflow 32 bits and round in doubles.
    yield _format(MAX_RADIUS, [(-big, -big), (big, -big), (big, big), (-big, big)])
    yield _format(0, [(-big, -big), (big, big), (0, 1), (0, -1), (1, 1), (-1, -1)])
    yield _format(5, [(-big, -big), (big, big - 1), (0, 0), (0, -1), (big, big)])
    yield _format(1, [(-70_000, 0), (70_000, 0), (0, 70_000), (0, -70_000), (40_000, 40_000)])
    for n, limit, radius in ((10, 5, 2), (100, 8, 0), (1_000, 1_000, 7), (3_000, 10**6, 10**5)):
        yield _format(radius, _random_points(rng, n, limit))
    yield _format(123_456_789, _random_points(rng, 30_000, big))
    yield _format(0, _convex_polygon(rng, MAX_N))
    yield _format(0, [(x, x * x // 2 - big + 1) for x in rng.sample(range(-25_000, 25_000), 20_000)])


def small(rng: random.Random) -> str:
    n = rng.randint(1, 7)
    points = _random_points(rng, n, rng.choice([1, 2, 5, 100]))
    if rng.randrange(4) == 0:
        dx, dy = rng.randint(-2, 2), rng.randint(-2, 2)
        points = [(x * dx, x * dy) for x, _ in points]
    return _format(rng.randint(0, 3), points)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    number = r"(?:0|-?[1-9][0-9]*)"
    first, *lines = text[:-1].split("\n")
    if not re.fullmatch(rf"{number} {number}", first):
        raise ValueError(f"line 1 is not 'n r': {first[:80]!r}")
    n, radius = map(int, first.split(" "))
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is not in 1..{MAX_N}")
    if not 0 <= radius <= MAX_RADIUS:
        raise ValueError(f"r = {radius} is not in 0..{MAX_RADIUS}")
    if len(lines) != n:
        raise ValueError(f"{len(lines)} lines of centres, not n = {n}")
    for index, line in enumerate(lines, start=2):
        if not re.fullmatch(rf"{number} {number}", line):
            raise ValueError(f"line {index} is not two integers: {line[:80]!r}")
        if any(abs(int(token)) > MAX_COORDINATE for token in line.split(" ")):
            raise ValueError(f"line {index}: {line!r} is not in -{MAX_COORDINATE}..{MAX_COORDINATE}")
