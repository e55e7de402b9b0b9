"""Tests of bead_bracelets: one bead, one colour, none to three odd counts, common divisors, many boxes."""

import random
import re
from collections.abc import Iterator

MAX_BOXES = 2_000
MAX_COLOURS = 100_000
MAX_BEADS = 1_000_000


def _format(boxes: list[list[int]]) -> str:
    lines = [str(len(boxes))]
    for counts in boxes:
        lines += [str(len(counts)), " ".join(map(str, counts))]
    return "\n".join(lines) + "\n"


def _random_box(rng: random.Random, colours: int, beads: int, divisor: int = 1) -> list[int]:
    """Return counts that are multiples of the divisor, with at most the given number of beads in all."""
    cuts = sorted(rng.randint(0, beads // divisor - colours) for _ in range(colours))
    steps = [high - low for low, high in zip([0, *cuts], cuts, strict=False)]
    return [(step + 1) * divisor for step in steps]


def public() -> list[str]:
    return [_format([[2, 2], [3, 2], [5], [1, 1, 1]])]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format([[1]])
    yield _format([[1], [2], [3], [4]])
    yield _format([[1, 1], [2, 1], [3, 1], [1, 4]])
    yield _format([[2, 2, 2], [4, 2], [4, 4], [6, 6]])
    yield _format([[3, 1], [3, 3], [5, 3, 2], [1, 1, 4]])
    yield _format([[1, 1, 1, 1], [3, 3, 1], [3, 3, 3], [1, 1, 1, 2]])
    yield _format([[1] * k for k in range(1, 13)])
    yield _format([[k] for k in range(1, 101)])
    yield _format([[a, b] for a in range(1, 15) for b in range(1, 15)])
    yield _format([[a, b, c] for a in range(1, 8) for b in range(1, 8) for c in range(1, 8)])
    yield _format([[MAX_BEADS]])
    yield _format([[MAX_BEADS // 2] * 2])
    yield _format([[999_983]])
    yield _format([[1, MAX_BEADS - 1], [2, MAX_BEADS - 2], [MAX_BEADS // 2 + 1, MAX_BEADS // 2 - 1]])
    yield _format([[720_720], [360_360, 360_360], [240_240, 480_480], [277_200, 554_400]])
    yield _format([[1] * MAX_COLOURS])
    yield _format([[10] * MAX_COLOURS])
    yield _format([[2] * 50_000 + [6] * 49_999 + [3]])
    for colours, divisor in ((2, 1), (5, 2), (30, 12), (200, 60), (3_000, 1)):
        yield _format(
            [_random_box(rng, colours, rng.randint(500_000, MAX_BEADS), divisor) for _ in range(20)]
        )
    yield _format([[rng.randint(1, 40) for _ in range(rng.randint(1, 6))] for _ in range(MAX_BOXES)])
    yield _format([[rng.randint(MAX_BEADS - 5_000, MAX_BEADS)] for _ in range(MAX_BOXES)])
    yield _format([_random_box(rng, 50, MAX_BEADS, rng.choice([1, 2, 3, 4, 6])) for _ in range(MAX_BOXES)])
    yield _format(
        [[2 * rng.randint(1, 200_000), 2 * rng.randint(1, 200_000) + k % 2] for k in range(MAX_BOXES)]
    )


def small(rng: random.Random) -> str:
    boxes = []
    for _ in range(rng.randint(1, 3)):
        factor = rng.choice([1, 1, 2, 3])
        counts: list[int] = []
        while not counts or (sum(counts) < 6 and rng.randrange(3)):
            counts.append(factor * rng.randint(1, 3))
        while len(counts) > 1 and (sum(counts) > 8 or (len(counts) > 4 and sum(counts) > 7)):
            counts.pop()
        boxes.append(counts)
    return _format(boxes)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    first, *lines = text[:-1].split("\n")
    number = r"[1-9][0-9]*"
    if not re.fullmatch(number, first) or int(first) > MAX_BOXES:
        raise ValueError(f"q = {first[:80]!r} is not an integer in 1..{MAX_BOXES}")
    if len(lines) != 2 * int(first):
        raise ValueError(f"{len(lines)} lines of boxes, not 2 * q = {2 * int(first)}")
    colours = 0
    for size, line in zip(lines[0::2], lines[1::2], strict=True):
        if not re.fullmatch(number, size):
            raise ValueError(f"m = {size[:80]!r} is not a positive integer")
        if not re.fullmatch(rf"{number}(?: {number})*", line):
            raise ValueError(f"not a line of positive integers: {line[:80]!r}")
        counts = list(map(int, line.split(" ")))
        if len(counts) != int(size):
            raise ValueError(f"{len(counts)} counts, not m = {size}")
        if sum(counts) > MAX_BEADS:
            raise ValueError(f"{sum(counts)} beads in a box, more than {MAX_BEADS}")
        colours += len(counts)
    if colours > MAX_COLOURS:
        raise ValueError(f"{colours} colours in all boxes, more than {MAX_COLOURS}")
