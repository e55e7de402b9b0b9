"""Nearest point of each segment in exact rationals, then a bisection to either side of it."""

import itertools
import math
import sys
from fractions import Fraction

HALVINGS = 60


def boundary(inside: Fraction, outside: Fraction, ax: int, ay: int, dx: int, dy: int, r: int) -> Fraction:
    """Parameter between the two at which the segment leaves the disc."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if (ax + middle * dx) ** 2 + (ay + middle * dy) ** 2 <= r * r:
            inside = middle
        else:
            outside = middle
    return inside


def covered(ax: int, ay: int, bx: int, by: int, r: int) -> float:
    dx, dy = bx - ax, by - ay
    squared = dx * dx + dy * dy
    if squared == 0:
        return 0.0
    nearest = min(max(Fraction(-(ax * dx + ay * dy), squared), Fraction(0)), Fraction(1))
    if (ax + nearest * dx) ** 2 + (ay + nearest * dy) ** 2 > r * r:
        return 0.0
    ends = []
    for end, (px, py) in ((Fraction(0), (ax, ay)), (Fraction(1), (bx, by))):
        ends.append(end if px * px + py * py <= r * r else boundary(nearest, end, ax, ay, dx, dy, r))
    return float(ends[1] - ends[0]) * math.sqrt(squared)


def main() -> None:
    numbers = list(map(int, sys.stdin.read().split()))
    n, x, y, r = numbers[:4]
    points = [(numbers[4 + 2 * i] - x, numbers[5 + 2 * i] - y) for i in range(n)]
    print(f"{sum(covered(*a, *b, r) for a, b in itertools.pairwise(points)):.9f}")


main()
