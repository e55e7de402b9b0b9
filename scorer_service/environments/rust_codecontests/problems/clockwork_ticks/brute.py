"""Values of both readings as Python integers; for few readings also by ticking."""

import sys

MAX_TICKS = 5000


def main() -> None:
    sys.set_int_max_str_digits(0)
    numbers = list(map(int, sys.stdin.read().split()))[1:]
    sizes, start, target = numbers[0::3], numbers[1::3], numbers[2::3]
    weight = 1
    difference = 0
    for size, s, t in zip(sizes, start, target, strict=True):
        difference += (t - s) * weight
        weight *= size
    ticks = difference % weight
    if ticks <= MAX_TICKS:
        reading = list(start)
        for _ in range(ticks):
            for wheel, size in enumerate(sizes):
                reading[wheel] = (reading[wheel] + 1) % size
                if reading[wheel]:
                    break
        assert reading == target
    print(ticks)


main()
