"""Inputs of Quiet Hall: quarrels between drummers and flautists."""

import random
import re
from collections.abc import Iterator

MAX_SIDE = 40_000
MAX_M = 100_000
_INTEGER = r"(?:0|-?[1-9][0-9]*)"

Quarrels = list[tuple[int, int]]


def _integers(line: str, count: int, what: str) -> list[int]:
    if not re.fullmatch(rf"{_INTEGER}(?: {_INTEGER})*", line):
        raise ValueError(f"{what}: not integers split by single spaces: {line[:60]!r}")
    values = [int(token) for token in line.split(" ")]
    if len(values) != count:
        raise ValueError(f"{what}: {len(values)} integers instead of {count}")
    return values


def _text(a: int, b: int, quarrels: Quarrels) -> str:
    return f"{a} {b} {len(quarrels)}\n" + "".join(f"{x} {y}\n" for x, y in quarrels)


def _random(rng: random.Random, a: int, b: int, m: int) -> str:
    return _text(a, b, [(rng.randint(1, a), rng.randint(1, b)) for _ in range(m)])


def _shuffled(rng: random.Random, a: int, b: int, quarrels: Quarrels) -> str:
    """The same quarrels with all musicians renumbered and the lines mixed."""
    drummers = rng.sample(range(1, a + 1), a)
    flautists = rng.sample(range(1, b + 1), b)
    renamed = [(drummers[x - 1], flautists[y - 1]) for x, y in quarrels]
    rng.shuffle(renamed)
    return _text(a, b, renamed)


def _chain(length: int) -> Quarrels:
    """Drummer i quarrels with flautists i and i + 1."""
    return [(i, i + j) for i in range(1, length) for j in (0, 1)]


def _blocks(count: int) -> Quarrels:
    """Pieces of four drummers and four flautists in which a careless matching gets stuck."""
    piece = [(1, 1), (1, 2), (2, 1), (3, 2), (3, 3), (4, 3), (4, 4), (2, 4)]
    return [(4 * i + x, 4 * i + y) for i in range(count) for x, y in piece]


def _crowd(rng: random.Random, a: int, b: int, m: int) -> str:
    """The first b drummers have many quarrels each; others have one and mostly stay unmatched."""
    quarrels = [(x, rng.randint(1, b)) for x in range(b + 1, a + 1)]
    while len(quarrels) < m:
        quarrels.append((rng.randint(1, b), rng.randint(1, b)))
    rng.shuffle(quarrels)
    return _text(a, b, quarrels)


def public() -> list[str]:
    return [
        _text(3, 3, [(1, 2), (2, 2), (3, 1), (3, 3), (1, 1), (1, 3)]),
        _text(4, 2, [(1, 1), (2, 1), (3, 1), (4, 2), (3, 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _text(1, 1, [])
    yield _text(1, 1, [(1, 1)])
    yield _text(1, 1, [(1, 1), (1, 1)])
    yield _text(1, 5, [(1, y) for y in range(1, 6)])
    yield _text(2, 5, [(1, 4), (2, 5), (2, 4)])
    yield _text(5, 5, [(x, y) for x in range(1, 6) for y in range(1, 6)])
    yield _text(4, 4, [(1, 1), (1, 2), (2, 1), (3, 3), (3, 4), (4, 3)])
    yield _text(6, 6, [(1, 1), (2, 1), (3, 1), (4, 2), (4, 3), (4, 4), (1, 2)])
    yield _text(3, 9, [])
    for a, b, m in ((6, 6, 9), (10, 12, 20), (40, 30, 60), (30, 60, 70), (90, 90, 120), (100, 100, 900)):
        yield _random(rng, a, b, m)
    yield _shuffled(rng, 60, 60, _chain(60))
    yield _shuffled(rng, 400, 400, _blocks(100))
    yield _random(rng, 900, 900, 1_400)
    yield _random(rng, 1_000, 1_300, 1_700)
    yield _shuffled(rng, 1_000, 1_000, _chain(1_000))
    yield _text(MAX_SIDE, MAX_SIDE, [(MAX_SIDE, 1)])
    yield _random(rng, 30_000, 30_000, 45_000)
    yield _shuffled(rng, 20_000, 20_000, _chain(20_000))
    yield _crowd(rng, MAX_SIDE, 12_000, MAX_M)


def small(rng: random.Random) -> str:
    a, b = rng.randint(1, 6), rng.randint(1, 6)
    return _random(rng, a, b, rng.randint(0, 10))


def validate(text: str) -> None:
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    lines = text[:-1].split("\n")
    a, b, m = _integers(lines[0], 3, "first line")
    for name, side in (("a", a), ("b", b)):
        if not 1 <= side <= MAX_SIDE:
            raise ValueError(f"{name} = {side} is outside 1..{MAX_SIDE}")
    if not 0 <= m <= MAX_M:
        raise ValueError(f"m = {m} is outside 0..{MAX_M}")
    if len(lines) != m + 1:
        raise ValueError(f"{len(lines)} lines instead of {m + 1}")
    for number, line in enumerate(lines[1:], 2):
        x, y = _integers(line, 2, f"line {number}")
        if not 1 <= x <= a:
            raise ValueError(f"line {number}: drummer {x} is outside 1..{a}")
        if not 1 <= y <= b:
            raise ValueError(f"line {number}: flautist {y} is outside 1..{b}")
