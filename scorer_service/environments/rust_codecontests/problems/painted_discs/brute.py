"""Vertical slabs between all special abscissas; in a slab the union is made of regions between two arcs."""

import itertools
import math
import sys

Disc = tuple[int, int, int]


def special_abscissas(discs: list[Disc]) -> list[float]:
    xs: list[float] = []
    for i, (ax, ay, ar) in enumerate(discs):
        xs += [ax - ar, ax + ar]
        for bx, by, br in discs[:i]:
            dx, dy = bx - ax, by - ay
            d2 = dx * dx + dy * dy
            if d2 == 0 or d2 > (ar + br) ** 2 or d2 < (ar - br) ** 2:
                continue
            along = (ar * ar - br * br + d2) / (2 * d2)
            across = math.sqrt(max(0.0, ar * ar / d2 - along * along))
            xs += [ax + along * dx - across * dy, ax + along * dx + across * dy]
    return sorted(xs)


def under_half_circle(u: float, r: int) -> float:
    """Integral of sqrt(r^2 - t^2) for t from 0 to u."""
    u = max(-r, min(r, u))
    return (u * math.sqrt(r * r - u * u) + r * r * math.asin(u / r)) / 2


def area_in_slab(discs: list[Disc], left: float, right: float) -> float:
    middle = (left + right) / 2
    spans = []
    for x, y, r in discs:
        if abs(middle - x) < r:
            half = math.sqrt(r * r - (middle - x) ** 2)
            bulge = under_half_circle(right - x, r) - under_half_circle(left - x, r)
            base = y * (right - left)
            spans.append((y - half, y + half, base - bulge, base + bulge))
    spans.sort()
    area, top, top_integral = 0.0, -math.inf, 0.0
    for low, high, low_integral, high_integral in spans:
        if low > top:
            area += high_integral - low_integral
            top, top_integral = high, high_integral
        elif high > top:
            area += high_integral - top_integral
            top, top_integral = high, high_integral
    return area


def main() -> None:
    numbers = list(map(int, sys.stdin.read().split()))[1:]
    discs = list(zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True))
    xs = special_abscissas(discs)
    total = sum(area_in_slab(discs, a, b) for a, b in itertools.pairwise(xs) if b - a > 1e-12)
    print(f"{total:.9f}")


main()
