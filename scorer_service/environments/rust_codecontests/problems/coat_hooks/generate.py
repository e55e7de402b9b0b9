"""Inputs of Coat Hooks: coats that come and go on a circle of hooks."""

import random
import re
from collections.abc import Iterator

MAX_N = 1_000_000_000
MAX_Q = 50_000

Event = tuple[str, int]


def _text(n: int, events: list[Event]) -> str:
    return f"{n} {len(events)}\n" + "".join(f"{kind} {hook}\n" for kind, hook in events)


def _random(rng: random.Random, n: int, q: int, low: int, high: int, taken_of_ten: int) -> str:
    """Events at hooks from low to high."""
    return _text(
        n, [("T" if rng.randrange(10) < taken_of_ten else "H", rng.randint(low, high)) for _ in range(q)]
    )


def _crowd_then_holes(rng: random.Random, n: int, start: int, coats: int, q: int) -> str:
    """All guests come in at one hook; then coats are taken from the middle and hung again."""
    events: list[Event] = [("H", start)] * coats
    while len(events) < q:
        hook = (start - 1 + rng.randrange(coats)) % n + 1
        events.append(("T", hook))
        events.append(("H", rng.choice([start, hook, hook % n + 1])))
    return _text(n, events[:q])


def public() -> list[str]:
    return [
        _text(4, [("H", 3), ("H", 3), ("H", 3), ("T", 4), ("T", 4), ("H", 3), ("H", 1), ("H", 2)]),
        _text(10, [("H", 5), ("H", 6), ("H", 5), ("T", 6), ("H", 5)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [("H", 1), ("H", 1), ("T", 1), ("T", 1), ("H", 1)])
    yield _text(1, [("T", 1)])
    yield _text(2, [("H", 2), ("H", 2), ("H", 1), ("T", 2), ("H", 1), ("T", 1), ("H", 2)])
    yield _text(MAX_N, [("H", MAX_N), ("H", MAX_N), ("H", MAX_N), ("T", MAX_N), ("T", 1), ("H", MAX_N)])
    yield _text(5, [("H", 4), ("H", 4), ("H", 2), ("H", 4), ("T", 5), ("H", 4), ("H", 3), ("H", 3), ("H", 3)])
    yield _text(9, [("H", 2), ("H", 4), ("H", 3), ("T", 3), ("H", 2), ("H", 2), ("T", 2), ("T", 5), ("H", 2)])
    for n, q, taken in ((3, 30, 4), (5, 60, 3), (8, 100, 4), (12, 200, 5), (20, 300, 3)):
        yield _random(rng, n, q, 1, n, taken)
    yield _random(rng, 1_000, 2_000, 1, 1_000, 2)
    yield _random(rng, 1_000, 3_000, 990, 1_000, 4)
    yield _random(rng, 300, 3_000, 1, 300, 5)
    yield _crowd_then_holes(rng, 1_000, 500, 900, 3_000)
    yield _crowd_then_holes(rng, 1_000, 1_000, 1_000, 3_000)
    yield _random(rng, MAX_N, 2_000, 1, MAX_N, 3)
    yield _random(rng, MAX_N, 3_000, MAX_N - 900, MAX_N, 3)
    yield _crowd_then_holes(rng, MAX_N, MAX_N - 5_000, 30_000, MAX_Q)
    yield _text(MAX_N, [("H", 7)] * MAX_Q)
    yield _text(40_000, [("H", 40_000 - i % 40_000) for i in range(MAX_Q)])
    yield _random(rng, 30_000, MAX_Q, 1, 30_000, 3)


def small(rng: random.Random) -> str:
    n = rng.randint(1, 7)
    return _random(rng, n, rng.randint(1, 25), 1, n, rng.randint(1, 5))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    first = re.fullmatch(r"([1-9][0-9]{0,9}) ([1-9][0-9]{0,9})", lines[0])
    if not first:
        raise ValueError(f"first line: not two positive integers: {lines[0][:60]!r}")
    n, q = int(first[1]), int(first[2])
    if n > MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if q > MAX_Q:
        raise ValueError(f"q = {q} is outside 1..{MAX_Q}")
    if len(lines) != q + 1:
        raise ValueError(f"{len(lines)} lines instead of {q + 1}")
    for number, line in enumerate(lines[1:], 2):
        event = re.fullmatch(r"[HT] ([1-9][0-9]{0,9})", line)
        if not event:
            raise ValueError(f"line {number}: not an event: {line[:60]!r}")
        if int(event[1]) > n:
            raise ValueError(f"line {number}: hook {event[1]} is outside 1..{n}")
