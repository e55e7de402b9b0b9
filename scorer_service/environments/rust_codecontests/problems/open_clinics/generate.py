"""Inputs of Open Clinics: a tree with lengths, and clinics that open and close on it."""

import random
import re
from collections.abc import Iterator

MAX_N = 40_000
MAX_Q = 40_000
MAX_LENGTH = 1_000_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"

Road = tuple[int, int, int]
Event = tuple[str, int]


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(n: int, roads: list[Road], events: list[Event]) -> str:
    lines = [f"{n} {len(events)}"]
    lines += [f"{u} {v} {length}" for u, v, length in roads]
    lines += [f"{kind} {village}" for kind, village in events]
    return "\n".join(lines) + "\n"


def _tree(rng: random.Random, n: int, reach: int, longest: int, renumber: bool) -> list[Road]:
    """Village i hangs on one of the `reach` villages before it: 1 makes a path, n a bushy tree."""
    names = rng.sample(range(1, n + 1), n) if renumber else list(range(1, n + 1))
    roads = []
    for i in range(1, n):
        ends = [names[i], names[rng.randrange(max(0, i - reach), i)]]
        rng.shuffle(ends)
        roads.append((ends[0], ends[1], rng.randint(1, longest)))
    if renumber:
        rng.shuffle(roads)
    return roads


def _events(rng: random.Random, n: int, q: int, villages: int, needs_of_ten: int) -> list[Event]:
    """Changes among a few villages and needs everywhere."""
    places = rng.sample(range(1, n + 1), min(n, villages))
    events: list[Event] = []
    for _ in range(q - 1):
        if rng.randrange(10) < needs_of_ten:
            events.append(("N", rng.randint(1, n)))
        else:
            events.append(("C", rng.choice(places)))
    return [*events, ("N", rng.randint(1, n))]


def public() -> list[str]:
    return [
        _text(
            5,
            [(1, 2, 4), (2, 3, 1), (2, 4, 2), (4, 5, 9)],
            [("C", 3), ("N", 5), ("N", 3), ("C", 1), ("C", 4), ("N", 1), ("N", 5), ("C", 4), ("N", 5)],
        ),
        _text(2, [(1, 2, 7)], [("C", 2), ("N", 1), ("C", 1), ("C", 2), ("N", 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, [], [("N", 1)])
    yield _text(1, [], [("C", 1), ("N", 1), ("C", 1), ("N", 1), ("C", 1), ("N", 1)])
    yield _text(2, [(2, 1, MAX_LENGTH)], [("C", 1), ("N", 2), ("C", 2), ("N", 2), ("C", 2), ("N", 2)])
    yield _text(
        3, [(1, 2, 1), (2, 3, 1)], [("C", 1), ("C", 1), ("N", 3), ("C", 1), ("N", 3), ("C", 2), ("N", 3)]
    )
    for n, q, reach, longest in (
        (4, 20, 4, 3),
        (7, 40, 1, 5),
        (9, 60, 9, 4),
        (15, 100, 3, 9),
        (40, 200, 40, 20),
        (300, 600, 2, 1),
        (700, 1_500, 700, 1_000),
        (1_000, 2_000, 1, MAX_LENGTH),
    ):
        yield _text(n, _tree(rng, n, reach, longest, True), _events(rng, n, q, n, 5))
    star = [(1, i, i % 9 + 1) for i in range(2, 1_001)]
    yield _text(1_000, star, _events(rng, 1_000, 2_000, 30, 5))
    path = _tree(rng, 6_000, 1, MAX_LENGTH, False)
    far = [("C", 1), ("N", 6_000), ("C", 6_000), ("N", 3_000), ("C", 6_000), ("N", 6_000), ("N", 2)]
    yield _text(6_000, [(u, v, MAX_LENGTH) for u, v, _ in path], far)
    yield _text(6_000, path, _events(rng, 6_000, 1_000, 2, 6))
    broom = [(i, i + 1, 1) for i in range(1, 400)] + [(400, i, 2) for i in range(401, 801)]
    yield _text(800, broom, _events(rng, 800, 2_000, 800, 5))
    for n, q, reach, places, needs in (
        (2_000, 4_000, 5, 20, 3),
        (3_000, 4_000, 3_000, 3_000, 8),
    ):
        yield _text(n, _tree(rng, n, reach, 99, True), _events(rng, n, q, places, needs))
    yield _text(MAX_N, _tree(rng, MAX_N, MAX_N, 9, True), _events(rng, MAX_N, MAX_Q, 5, 5))
    yield _text(MAX_N, _tree(rng, MAX_N, 1, 9, False), _events(rng, MAX_N, MAX_Q, 9, 9))
    yield _text(MAX_N, _tree(rng, MAX_N, 3, MAX_LENGTH, True), _events(rng, MAX_N, MAX_Q, MAX_N, 5))


def small(rng: random.Random) -> str:
    n = rng.randint(1, 8)
    roads = _tree(rng, n, rng.choice([1, 2, n]), rng.choice([1, 9]), True)
    return _text(n, roads, _events(rng, n, rng.randint(1, 20), rng.randint(1, n), rng.randint(2, 8)))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    n, q = _integers(lines[0], 2, "first line")
    if not 1 <= n <= MAX_N:
        raise ValueError(f"n = {n} is outside 1..{MAX_N}")
    if not 1 <= q <= MAX_Q:
        raise ValueError(f"q = {q} is outside 1..{MAX_Q}")
    if len(lines) != n + q:
        raise ValueError(f"{len(lines)} lines instead of {n + q}")
    group = list(range(n + 1))
    for number, line in enumerate(lines[1:n], 2):
        u, v, length = _integers(line, 3, f"line {number}")
        for village in (u, v):
            if not 1 <= village <= n:
                raise ValueError(f"line {number}: village {village} is outside 1..{n}")
        if not 1 <= length <= MAX_LENGTH:
            raise ValueError(f"line {number}: w = {length} is outside 1..{MAX_LENGTH}")
        roots = []
        for village in (u, v):
            while group[village] != village:
                group[village] = group[group[village]]
                village = group[village]
            roots.append(village)
        if roots[0] == roots[1]:
            raise ValueError(f"line {number}: the road {u} {v} closes a circle")
        group[roots[0]] = roots[1]
    for number, line in enumerate(lines[n:], n + 1):
        event = re.fullmatch(r"[CN] ([1-9][0-9]*)", line)
        if not event:
            raise ValueError(f"line {number}: not an event: {line[:60]!r}")
        if int(event[1]) > n:
            raise ValueError(f"line {number}: village {event[1]} is outside 1..{n}")
    if not any(line.startswith("N") for line in lines[n:]):
        raise ValueError("there is no event N")
