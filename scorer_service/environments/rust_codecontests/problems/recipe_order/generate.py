"""Inputs of Recipe Order: notes that ask for one step before another."""

import random
import re
from collections.abc import Iterator

MAX_N = 50_000
MAX_M = 50_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(n: int, notes: list[tuple[int, int]]) -> str:
    return "".join(f"{a} {b}\n" for a, b in [(n, len(notes)), *notes])


def _consistent(rng: random.Random, n: int, m: int) -> list[tuple[int, int]]:
    """Notes that a random order of the steps meets."""
    order = rng.sample(range(1, n + 1), n)
    notes = []
    for _ in range(m):
        i, j = sorted(rng.sample(range(n), 2))
        notes.append((order[i], order[j]))
    return notes


def _with_circle(rng: random.Random, n: int, m: int, length: int) -> list[tuple[int, int]]:
    """Consistent notes among most steps, and one circle that they lead into and that leads out again."""
    steps = rng.sample(range(1, n + 1), n)
    circle = steps[n // 2 : n // 2 + length]
    notes = [(circle[i - 1], circle[i]) for i in range(length)]
    outside = [*steps[: n // 2], circle[0], *steps[n // 2 + length :]]
    while len(notes) < m:
        i, j = sorted(rng.sample(range(len(outside)), 2))
        notes.append((outside[i], outside[j]))
    rng.shuffle(notes)
    return notes


def public() -> list[str]:
    return [
        _text(5, [(2, 4), (4, 1), (2, 1), (5, 1)]),
        _text(4, [(1, 2), (2, 3), (3, 4), (4, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [])
    yield _text(1, [(1, 1)])
    yield _text(2, [(2, 1), (2, 1)])
    yield _text(2, [(2, 1), (1, 2)])
    yield _text(5, [(1, 2), (2, 3), (3, 3), (3, 4), (4, 5)])
    yield _text(4, [(1, 2), (1, 3), (2, 4), (3, 4)])
    yield _text(6, [(1, 2), (2, 1), (3, 4), (4, 3), (2, 5), (4, 6)])
    yield _text(7, [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (5, 7)])
    yield _text(40, [])
    for n, m in ((8, 10), (12, 30), (60, 40), (60, 300), (900, 1200)):
        yield _text(n, _consistent(rng, n, m))
    for n, m, length in ((10, 12, 3), (15, 30, 2), (40, 60, 7), (500, 700, 1), (900, 1500, 100)):
        yield _text(n, _with_circle(rng, n, m, length))
    yield _text(300, [(rng.randint(1, 300), rng.randint(1, 300)) for _ in range(600)])
    yield _text(MAX_N, [(i + 1, i) for i in range(1, MAX_N)])
    yield _text(MAX_N, [(i, i % MAX_N + 1) for i in range(1, MAX_N + 1)])
    yield _text(MAX_N, _consistent(rng, MAX_N, MAX_M))
    yield _text(20_000, _with_circle(rng, 20_000, MAX_M, 5_000))


def small(rng: random.Random) -> str:
    n = rng.randint(1, 6)
    m = rng.randint(0, 8)
    if n > 1 and rng.randrange(2):
        return _text(n, _consistent(rng, n, m))
    return _text(n, [(rng.randint(1, n), rng.randint(1, n)) for _ in range(m)])


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    n, m = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 0 <= m <= MAX_M:
        raise ValueError(f"m = {m} is outside 0..{MAX_M}")
    if len(lines) != m + 1:
        raise ValueError(f"{len(lines)} lines instead of {m + 1}")
    for number, line in enumerate(lines[1:], 2):
        for step in _integers(line, 2, f"line {number}"):
            if not 1 <= step <= n:
                raise ValueError(f"line {number}: step {step} is outside 1..{n}")
