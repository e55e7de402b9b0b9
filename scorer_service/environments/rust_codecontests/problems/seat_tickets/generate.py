"""Inputs of "Seat Tickets": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Callable, Iterator

MAX_SEATS = 200_000
MAX_EVENTS = 200_000
MAX_ORDINAL = 10**9

_EVENT = re.compile(r"(take|leave) (-?)([1-9][0-9]*)")


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = ["take 2", "take 2", "take -1", "leave 2", "take 2", "take 4", "take -2"]
    return [_text(5, first), _text(1, ["take 1", "take 1", "leave 1", "take 1"])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text(1, ["take 1"])
    yield _text(1, ["take -1"])
    yield _text(1, ["take 2", "take -2", f"take {MAX_ORDINAL}", f"take -{MAX_ORDINAL}"])
    yield _text(1, ["take -1", "take -1", "leave 1", "take -1", "leave 1", "take 1", "take 1"])
    yield _text(2, ["take -2", "take -2", "take -1", "take 1", "leave 2", "take -1", "leave 1", "take -1"])
    yield _text(4, ["take 4", "take 4", "take 3", "take 2", "take 2", "take 1", "take 1"])
    yield _text(7, ["take -7", "take -6", "take -1", "take 4", "take 1", "take -2", "take -1", "take -1"])
    yield _text(8, [f"take {(-1) ** index * (index + 1)}" for index in range(8)])
    yield _text(
        MAX_SEATS, [f"take {MAX_SEATS}", f"take -{MAX_SEATS}", f"take -{MAX_SEATS - 1}", f"take {MAX_SEATS}"]
    )
    for seats, events in ((3, 20), (10, 50), (64, 300), (65, 300), (1000, 3000), (5000, 3000)):
        yield _random_row(rng, seats, events, 30)
    yield _random_row(rng, 20_000, 30_000, 45)
    yield _random_row(rng, MAX_SEATS, 30_000, 30)
    # Large rows: all seats taken from the left, from the middle, and in random order.
    yield _fill(MAX_SEATS, lambda free: 1)
    yield _fill(MAX_SEATS // 2, lambda free: -(free // 2 + 1))
    yield _fill(MAX_SEATS, lambda free: rng.randint(1, free))
    taken = ["take -1"] * (MAX_EVENTS // 4)
    yield _text(MAX_SEATS, taken + [f"leave {MAX_SEATS - index}" for index in range(MAX_EVENTS // 4)])


def small(rng: random.Random) -> str:
    """Return a short row that is often full or left empty."""
    return _random_row(rng, rng.randint(1, 6), rng.randint(1, 12), rng.choice((0, 30, 50)))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    first, *lines = text[:-1].split("\n")
    match = re.fullmatch(r"([1-9][0-9]*) ([1-9][0-9]*)", first)
    if not match:
        raise ValueError(f"the first line must hold n and q, got {first[:60]!r}")
    seats, events = int(match[1]), int(match[2])
    if seats > MAX_SEATS or events > MAX_EVENTS or len(lines) != events:
        raise ValueError(f"n and q are {first!r}, which is too many or does not fit the {len(lines)} events")
    if not lines[0].startswith("take"):
        raise ValueError(f"the first event must be a take, got {lines[0][:60]!r}")
    row = _Row(seats)
    for line in lines:
        event = _EVENT.fullmatch(line)
        if not event or int(event[3]) > MAX_ORDINAL or event[1] + event[2] == "leave-":
            raise ValueError(f"not an event: {line[:60]!r}")
        if event[1] == "take":
            row.take(int(event[2] + event[3]))
        elif not row.leave(int(event[3])):
            raise ValueError(f"a guest leaves a seat that is not taken: {line!r}")


class _Row:
    """The seats of a row as leaves of a binary tree of the numbers of free seats."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.leaves = 1 << (seats - 1).bit_length()
        self.free = [0] * self.leaves + [1] * seats + [0] * (self.leaves - seats)
        for node in range(self.leaves - 1, 0, -1):
            self.free[node] = self.free[2 * node] + self.free[2 * node + 1]

    @property
    def free_count(self) -> int:
        """The number of free seats."""
        return self.free[1]

    def take(self, ordinal: int) -> int:
        """Take a seat and return its number, or 0 where there are too few free ones."""
        rank = ordinal if ordinal > 0 else self.free_count + 1 + ordinal
        if not 1 <= rank <= self.free_count:
            return 0
        free, node = self.free, 1
        while True:
            free[node] -= 1
            if node >= self.leaves:
                return node - self.leaves + 1
            node *= 2
            if rank > free[node]:
                rank -= free[node]
                node += 1

    def leave(self, number: int) -> bool:
        """Free a seat; return False where it does not exist or is free already."""
        node = self.leaves + number - 1
        if number > self.seats or self.free[node]:
            return False
        while node:
            self.free[node] += 1
            node //= 2
        return True


def _text(seats: int, events: list[str]) -> str:
    return "\n".join([f"{seats} {len(events)}", *events]) + "\n"


def _fill(seats: int, ordinal: Callable[[int], int]) -> str:
    return _text(seats, [f"take {ordinal(free)}" for free in range(seats, 0, -1)])


def _random_row(rng: random.Random, seats: int, event_count: int, leave_percent: int) -> str:
    row = _Row(seats)
    taken: list[int] = []
    events: list[str] = []
    for _ in range(event_count):
        if taken and rng.randrange(100) < leave_percent:
            position = rng.randrange(len(taken))
            taken[position], taken[-1] = taken[-1], taken[position]
            seat = taken.pop()
            row.leave(seat)
            events.append(f"leave {seat}")
            continue
        ordinal = rng.randint(1, max(1, row.free_count + rng.randint(0, 1))) * rng.choice((1, -1))
        seat = row.take(ordinal)
        if seat:
            taken.append(seat)
        events.append(f"take {ordinal}")
    return _text(seats, events)
