"""Follows every journey that visits no stop twice, minute by minute at the stops."""

import sys
from collections.abc import Iterator

Journey = tuple[int, list[int]]


def main() -> None:
    n, m, *numbers = map(int, sys.stdin.read().split())
    lines = [tuple(numbers[5 * i : 5 * i + 5]) for i in range(m)]

    def journeys(stop: int, time: int, rides: list[int], visited: set[int]) -> Iterator[Journey]:
        if stop == n:
            yield time, rides
            return
        for i, (u, v, first, period, duration) in enumerate(lines, 1):
            if u == stop and v not in visited:
                departure = time
                while departure < first or (departure - first) % period:
                    departure += 1
                yield from journeys(v, departure + duration, [*rides, i], visited | {v})

    best = min(journeys(1, 0, [], {1}), default=None)
    if best is None:
        print(-1)
    else:
        print(best[0], len(best[1]))
        print(*best[1])


main()
