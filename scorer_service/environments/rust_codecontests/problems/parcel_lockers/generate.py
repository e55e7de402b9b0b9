"""Inputs of "Parcel Lockers": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_COUNT = 100_000
MAX_SIZE = 2 * 10**9

_NUMBER = re.compile(r"[1-9][0-9]*")


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text([3, 5, 2], [9, 5]), _text([4, 4], [4, 8, 9, 3])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text([1], [1])
    yield _text([1], [2])
    yield _text([1], [3])
    yield _text([2], [1])
    yield _text([7] * 5, [14] * 3)
    yield _text([7] * 3, [7] * 5)
    yield _text([8, 9, 10], [4, 5, 6])
    yield _text([1, 2, 3], [7, 8, 9, 10])
    yield _text([MAX_SIZE], [MAX_SIZE])
    yield _text([1_200_000_000, 1_500_000_000, MAX_SIZE], [MAX_SIZE, 1_900_000_000, 1_300_000_000])
    yield _text([1_073_741_824, 1_073_741_823], [1_999_999_999, MAX_SIZE])
    # The smaller parcel may use both lockers, the larger one only the larger locker.
    yield _text([3, 5], [5, 4])
    yield _text([4, 3], [7, 6])
    for parcel_count, locker_count, top in (
        (5, 8, 12),
        (40, 30, 60),
        (800, 1000, 3000),
        (1000, 1000, MAX_SIZE),
    ):
        yield _random_point(rng, parcel_count, locker_count, 1, top)
    yield _random_point(rng, 20_000, 30_000, MAX_SIZE // 3, MAX_SIZE)
    yield _text([999] * MAX_COUNT, [1000] * (MAX_COUNT - 1) + [1999])
    yield _text([500] * MAX_COUNT, [999] * (MAX_COUNT // 2) + [1001] * (MAX_COUNT // 2))
    yield _random_point(rng, MAX_COUNT, MAX_COUNT // 2, 10**6, MAX_SIZE // 1000)
    yield _random_point(rng, 1, 10_000, 1, 10**5)
    yield _random_point(rng, 10_000, 1, 1, 10**5)


def small(rng: random.Random) -> str:
    """Return a tiny pick-up point with sizes close to each other."""
    top = rng.choice((3, 8, 14))
    return _random_point(rng, rng.randint(1, 6), rng.randint(1, 6), 1, top)


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3]:
        raise ValueError("the input must be three lines, each ended by a newline")
    numbers: list[list[int]] = []
    for line in lines[:3]:
        words = line.split(" ")
        for word in words:
            if not _NUMBER.fullmatch(word):
                raise ValueError(f"not a plain positive whole number: {word!r}")
        numbers.append([int(word) for word in words])
    if [len(numbers[1]), len(numbers[2])] != numbers[0]:
        raise ValueError(
            f"n and m are {lines[0]!r}, but {len(numbers[1])} and {len(numbers[2])} sizes follow"
        )
    if max(numbers[0]) > MAX_COUNT:
        raise ValueError(f"n and m must be at most {MAX_COUNT}, got {lines[0]!r}")
    if max(numbers[1] + numbers[2]) > MAX_SIZE:
        raise ValueError(f"sizes must be at most {MAX_SIZE}, got {max(numbers[1] + numbers[2])}")


def _text(parcels: list[int], lockers: list[int]) -> str:
    counts = f"{len(parcels)} {len(lockers)}"
    return f"{counts}\n{' '.join(map(str, parcels))}\n{' '.join(map(str, lockers))}\n"


def _random_point(rng: random.Random, parcel_count: int, locker_count: int, low: int, high: int) -> str:
    parcels = [rng.randint(low, high) for _ in range(parcel_count)]
    lockers = [rng.randint(low, high) for _ in range(locker_count)]
    return _text(parcels, lockers)
