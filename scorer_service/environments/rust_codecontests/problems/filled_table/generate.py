"""Inputs of "Filled Table": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_CELLS = 500_000
MAX_CHARACTERS = 3_000_000

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_REPEAT = "."

_Row = list[str]


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = [["oak", "tall", "old"], ["elm", ".", "old"], [".", "low", "."], ["fir", ".", "young"]]
    return [_text(first), _text([["a", "b"], ["c", "."]])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text([["x"]])
    yield _text([["x"], ["."]])
    yield _text([["x"], ["."], ["."], ["y"], ["."]])
    yield _text([["a", "bb", "ccc"]])
    yield _text([["abcdefgh", "ijklmnop"], [".", "."], [".", "."], [".", "z"]])
    yield _text([["same", "same"], ["same", "same"]])
    for rows, columns in ((2, 3), (3, 2), (7, 7), (1, 100), (100, 1), (30, 20), (13, 999), (1500, 3)):
        yield _random_table(rng, rows, columns, 8, rng.choice((0, 50, 90)))
    yield _random_table(rng, 10_000, 1, 8, 99)
    yield _random_table(rng, 1, 10_000, 8, 0)
    yield _random_table(rng, 200, 300, 1, 30)
    yield _random_table(rng, 3, 20_000, 2, 50)
    yield _random_table(rng, 20_000, 3, 2, 50)
    # The limits: a square, one row, and one column of which almost every cell repeats the first.
    yield _random_table(rng, 707, 707, 5, 30)
    yield _random_table(rng, 1, MAX_CELLS, 2, 0)
    yield _text([["q"], *([_REPEAT] for _ in range(MAX_CELLS - 1))])


def small(rng: random.Random) -> str:
    """Return a tiny table, many cells of which repeat others."""
    return _random_table(rng, rng.randint(1, 5), rng.randint(1, 5), 2, rng.choice((0, 40, 80)))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    first, *lines = text[:-1].split("\n")
    match = re.fullmatch(r"([1-9][0-9]*) ([1-9][0-9]*)", first)
    if not match:
        raise ValueError(f"the first line must hold r and c, got {first[:60]!r}")
    rows, columns = int(match[1]), int(match[2])
    if rows * columns > MAX_CELLS:
        raise ValueError(f"the table must have at most {MAX_CELLS} cells, got {rows} x {columns}")
    if len(lines) != rows:
        raise ValueError(f"r is {rows}, but {len(lines)} lines follow")
    above: _Row = []
    filled_size = 0
    for line in lines:
        cells = line.split(" ")
        if len(cells) != columns or not re.fullmatch(r"[a-z. ]*", line):
            raise ValueError(f"a row must hold {columns} cells, got {line[:60]!r}")
        for column, cell in enumerate(cells):
            if cell == _REPEAT and above:
                cells[column] = above[column]
            elif not cell.isalpha() or len(cell) > 8:
                raise ValueError(f"not a cell that may stand there: {cell[:60]!r}")
        filled_size += sum(map(len, cells)) + columns
        above = cells
    if max(len(text), filled_size) > MAX_CHARACTERS:
        raise ValueError(f"the input or the output has more than {MAX_CHARACTERS} characters")


def _text(rows: list[_Row]) -> str:
    return "\n".join([f"{len(rows)} {len(rows[0])}", *map(" ".join, rows)]) + "\n"


def _random_table(rng: random.Random, rows: int, columns: int, longest: int, repeat_percent: int) -> str:
    words = ["".join(rng.choice(_ALPHABET) for _ in range(rng.randint(1, longest))) for _ in range(5000)]
    table = [[rng.choice(words) for _ in range(columns)]]
    for _ in range(rows - 1):
        table.append(
            [_REPEAT if rng.randrange(100) < repeat_percent else rng.choice(words) for _ in range(columns)]
        )
    return _text(table)
