"""Tries every ordered pair of centres as an edge of the hull."""

import math
import sys


def main() -> None:
    _, r, *rest = map(int, sys.stdin.read().split())
    points = sorted(set(zip(rest[0::2], rest[1::2], strict=True)))
    length, twice_area = 0.0, 0
    for px, py in points:
        for qx, qy in points:
            if (px, py) == (qx, qy):
                continue
            for x, y in points:
                side = (qx - px) * (y - py) - (qy - py) * (x - px)
                between = (px - x) * (qx - x) + (py - y) * (qy - y) <= 0
                if side < 0 or (side == 0 and not between):
                    break
            else:
                length += math.dist((px, py), (qx, qy))
                twice_area += px * qy - py * qx
    print(f"{length + 2 * math.pi * r:.9f} {twice_area / 2 + length * r + math.pi * r * r:.9f}")


main()
