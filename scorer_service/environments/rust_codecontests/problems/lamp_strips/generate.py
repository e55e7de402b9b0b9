"""Inputs of "Lamp Strips": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_PICTURES = 100_000
MAX_LENGTH = 2 * 10**9
MAX_POSITION = 2 * 10**9

_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text(4, [4, -3, 6, 1, -1]), _text(0, [5, 7, 5])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text(0, [0])
    yield _text(MAX_LENGTH, [-MAX_POSITION])
    yield _text(3, [7] * 10)
    yield _text(5, [0, 5])
    yield _text(5, [0, 6])
    yield _text(5, [11, 0, 5, 6])
    yield _text(MAX_LENGTH, [MAX_POSITION, 1, 0, -1, -MAX_POSITION])
    yield _text(MAX_LENGTH, [MAX_POSITION, -MAX_POSITION, 0])
    yield _text(MAX_LENGTH, [MAX_POSITION, MAX_POSITION - 1, 1_500_000_000])
    yield _text(10, [9, 10, 11, 20, 21, 31, 32])
    yield _text(10, [-1, -11, -12, -22, 3])
    for count, span in ((6, 10), (50, 100), (1000, 5000), (1000, MAX_POSITION)):
        yield _random_wall(rng, count, span, rng.randint(0, span // 8))
    yield _random_wall(rng, 20_000, 10**6, 37)
    # Every picture needs a strip of its own.
    spaced = [3 * index - 150_000 for index in range(MAX_PICTURES)]
    rng.shuffle(spaced)
    yield _text(2, spaced)
    yield _text(3, list(range(0, 2 * MAX_PICTURES, 2)))
    yield _random_wall(rng, 20_000, MAX_POSITION, MAX_LENGTH)
    yield _random_wall(rng, 30_000, MAX_POSITION, 100_000)
    yield _text(0, [rng.randint(-30_000, 30_000) for _ in range(MAX_PICTURES // 2)])
    yield _text(1, [MAX_POSITION - index // 3 for index in range(3000)])


def small(rng: random.Random) -> str:
    """Return a tiny wall; gaps of exactly L and of L + 1 are frequent."""
    return _random_wall(rng, rng.randint(1, 7), rng.choice((2, 6, 12)), rng.randint(0, 5))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    lines = text.split("\n")
    if len(lines) != 3 or lines[2]:
        raise ValueError("the input must be two lines, each ended by a newline")
    numbers: list[list[int]] = []
    for line in lines[:2]:
        words = line.split(" ")
        for word in words:
            if not _NUMBER.fullmatch(word):
                raise ValueError(f"not a plain whole number: {word!r}")
        numbers.append([int(word) for word in words])
    if len(numbers[0]) != 2:
        raise ValueError(f"the first line must hold n and L, got {lines[0]!r}")
    count, length = numbers[0]
    if not 1 <= count <= MAX_PICTURES:
        raise ValueError(f"n must be 1 to {MAX_PICTURES}, got {count}")
    if not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"L must be 0 to {MAX_LENGTH}, got {length}")
    if len(numbers[1]) != count:
        raise ValueError(f"n is {count}, but {len(numbers[1])} positions follow")
    for position in numbers[1]:
        if abs(position) > MAX_POSITION:
            raise ValueError(f"positions must be within {MAX_POSITION}, got {position}")


def _text(length: int, positions: list[int]) -> str:
    return f"{len(positions)} {length}\n{' '.join(map(str, positions))}\n"


def _random_wall(rng: random.Random, count: int, span: int, length: int) -> str:
    return _text(length, [rng.randint(-span, span) for _ in range(count)])
