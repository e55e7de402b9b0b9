"""Inputs of "Repair Queue": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_REPAIRS = 100_000
MAX_CLEANING = 10**9
MAX_DURATION = 10**9
MAX_DEADLINE = 10**14

_NUMBER = re.compile(r"0|[1-9][0-9]*")

_Repair = tuple[int, int]


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text(2, [(4, 11), (3, 5), (5, 13)]), _text(0, [(6, 5)])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text(MAX_CLEANING, [(1, 1)])
    yield _text(0, [(2, 1), (3, 2), (1, 1)])
    yield _text(5, [(2, 1), (3, 3)])
    yield _text(3, [(1, 1), (1, 5), (1, 9)])
    yield _text(3, [(1, 1), (1, 4), (1, 8)])
    yield _text(0, [(5, 5), (5, 10), (5, 15)])
    # One long repair with an early deadline stands in the way of two short ones.
    yield _text(0, [(10, 10), (4, 11), (4, 12)])
    yield _text(1, [(7, 8), (3, 9), (3, 9), (2, 14)])
    # The shortest repairs are due too late to matter, so they must not be all done first.
    yield _text(0, [(2, 100), (3, 3), (4, 8), (1, 100)])
    yield _text(MAX_CLEANING, [(MAX_DURATION, MAX_DEADLINE)] * 10)
    yield _text(MAX_CLEANING, [(MAX_DURATION, (2 * index + 1) * MAX_DURATION) for index in range(3000)])
    for count, top in ((5, 6), (20, 30), (200, 1000), (1000, 20)):
        yield _random_workshop(rng, count, 3, top, top * count // 3)
    yield _random_workshop(rng, 1000, MAX_CLEANING, MAX_DURATION, 10**12)
    yield _random_workshop(rng, 10_000, 0, 1000, 10**7)
    yield _random_workshop(rng, 20_000, 5, 10**6, 10**10)
    # Every later repair is shorter and due a little later: half of the chosen ones get replaced.
    yield _text(0, [(20_000 - index // 10, 10**9 + index) for index in range(MAX_REPAIRS)])
    yield _random_workshop(rng, 15_000, 0, 10, 10**6)
    yield _text(7, [(1, MAX_DEADLINE)] * 30_000)


def small(rng: random.Random) -> str:
    """Return a tiny workshop whose deadlines are often met exactly."""
    top = rng.choice((2, 5, 9))
    return _random_workshop(rng, rng.randint(1, 6), rng.randint(0, 3), top, rng.choice((top, 3 * top)))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    rows: list[list[int]] = []
    for line in text[:-1].split("\n"):
        words = line.split(" ")
        if len(words) != 2 or not all(_NUMBER.fullmatch(word) for word in words):
            raise ValueError(f"a line must hold two plain whole numbers, got {line!r}")
        rows.append([int(word) for word in words])
    count, cleaning = rows[0]
    if not 1 <= count <= MAX_REPAIRS:
        raise ValueError(f"n must be 1 to {MAX_REPAIRS}, got {count}")
    if cleaning > MAX_CLEANING:
        raise ValueError(f"c must be at most {MAX_CLEANING}, got {cleaning}")
    if len(rows) - 1 != count:
        raise ValueError(f"n is {count}, but {len(rows) - 1} repairs follow")
    for duration, deadline in rows[1:]:
        if not 1 <= duration <= MAX_DURATION or not 1 <= deadline <= MAX_DEADLINE:
            raise ValueError(f"a repair is out of range: {duration} {deadline}")


def _text(cleaning: int, repairs: list[_Repair]) -> str:
    return "\n".join([f"{len(repairs)} {cleaning}", *(f"{t} {d}" for t, d in repairs)]) + "\n"


def _random_workshop(rng: random.Random, count: int, cleaning: int, longest: int, latest: int) -> str:
    return _text(cleaning, [(rng.randint(1, longest), rng.randint(1, latest)) for _ in range(count)])
