"""Inputs of Painted Strips: ranges of planks that are painted and looked at."""

import random
import re
from collections.abc import Iterator

MAX_N = 250_000
MAX_Q = 60_000
MAX_COLOUR = 1_000_000_000

Event = tuple[str | int, ...]


def _text(n: int, events: list[Event]) -> str:
    return f"{n} {len(events)}\n" + "".join(" ".join(map(str, event)) + "\n" for event in events)


def _random(rng: random.Random, n: int, q: int, colours: int, widest: int) -> str:
    events: list[Event] = []
    for i in range(q):
        left = rng.randint(1, n)
        right = min(n, left + rng.randrange(widest))
        if i < q - 1 and rng.randrange(2):
            events.append(("P", left, right, rng.randrange(colours)))
        else:
            events.append(("Q", left, right))
    return _text(n, events)


def _scattered_then_whole(rng: random.Random, n: int, q: int) -> str:
    """Single planks in bright colours, then looks at nearly the whole fence."""
    events: list[Event] = []
    for i in range(q // 2):
        plank = 1 + i * 2 * n // q
        events.append(("P", plank, plank, rng.randint(1, MAX_COLOUR)))
    while len(events) < q:
        events.append(("Q", rng.randint(1, 9), n - rng.randrange(9)))
    return _text(n, events)


def public() -> list[str]:
    return [
        _text(5, [("Q", 1, 5), ("P", 2, 3, 7), ("Q", 1, 5), ("Q", 2, 4), ("P", 4, 5, 7), ("Q", 1, 5)]),
        _text(
            8,
            [
                ("P", 1, 8, 3),
                ("P", 4, 6, 1),
                ("P", 5, 5, 2),
                ("Q", 3, 8),
                ("Q", 5, 5),
                ("P", 5, 5, 1),
                ("Q", 1, 8),
            ],
        ),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [("Q", 1, 1)])
    yield _text(1, [("P", 1, 1, MAX_COLOUR), ("Q", 1, 1), ("P", 1, 1, 0), ("Q", 1, 1)])
    yield _text(2, [("P", 2, 2, 1), ("Q", 1, 2), ("P", 1, 1, 1), ("Q", 1, 2)])
    yield _text(4, [("P", 1, 4, 5), ("P", 1, 4, 0), ("P", 2, 2, 5), ("Q", 1, 4), ("Q", 3, 4)])
    yield _text(6, [("P", 1, 6, 9), ("P", 2, 5, 0), ("P", 3, 3, 9), ("Q", 1, 6), ("Q", 2, 5), ("Q", 3, 3)])
    yield _text(7, [("P", 1, 3, 1), ("P", 4, 7, 1), ("Q", 1, 7), ("Q", 3, 4), ("P", 4, 4, 2), ("Q", 1, 7)])
    for n, q, colours, widest in (
        (3, 20, 2, 3),
        (6, 40, 2, 6),
        (10, 80, 3, 10),
        (13, 100, 2, 5),
        (100, 300, 4, 30),
        (1_000, 1_500, 2, 20),
        (1_000, 1_500, 3, 1_000),
        (1_023, 1_500, 5, 100),
        (1_024, 1_500, 5, 100),
        (1_025, 1_500, 5, 100),
    ):
        yield _random(rng, n, q, colours, widest)
    yield _text(MAX_N, [("P", 1, MAX_N, MAX_COLOUR), ("P", MAX_N, MAX_N, 0), ("Q", 1, MAX_N), ("Q", 1, 1)])
    yield _text(MAX_N, [("P", 1, MAX_N, i % 4) if i % 2 == 0 else ("Q", 1, MAX_N) for i in range(10_000)])
    yield _random(rng, MAX_N, 50_000, 2, MAX_N)
    yield _random(rng, 150_000, 20_000, 3, 40)
    yield _scattered_then_whole(rng, MAX_N, MAX_Q)


def small(rng: random.Random) -> str:
    n = rng.randint(1, 9)
    return _random(rng, n, rng.randint(1, 20), rng.randint(1, 3), n)


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
        event = re.fullmatch(r"[PQ] ([1-9][0-9]*) ([1-9][0-9]*)(?: (0|[1-9][0-9]*))?", line)
        if not event or (line[0] == "P") != (event[3] is not None):
            raise ValueError(f"line {number}: not an event: {line[:60]!r}")
        left, right = int(event[1]), int(event[2])
        if not 1 <= left <= right <= n:
            raise ValueError(f"line {number}: {left} to {right} is not a range within 1..{n}")
        if event[3] is not None and int(event[3]) > MAX_COLOUR:
            raise ValueError(f"line {number}: c = {event[3]} is outside 0..{MAX_COLOUR}")
    if not any(line.startswith("Q") for line in lines[1:]):
        raise ValueError("there is no event Q")
