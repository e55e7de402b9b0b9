"""Inputs of "Justified Column": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_WIDTH = 10_000
MAX_CHARACTERS = 700_000

_WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;!?-"


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = (
        "16\nThe lock opens at dawn.\nBoats that   wait\nmove in by turns; the rest wait.\n\nBring a rope.\n"
    )
    second = "5\n\n a b c\nd incomprehensible e\n"
    return [first, second]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield "1\na\n"
    yield "1\na b\n"
    yield "10000\nword\n"
    yield "3\n\n\n  abc  \n\n   \n\nde f\n\n"
    yield "2\nlong words everywhere in here\n"
    yield "4\nlonger a b c\n\nlonger\n\na longer\n\na b longer c\n"
    yield "7\na b c d\na b c d e\n"
    yield "8\na b c d e f g h\n"
    yield "5\nab cd\nab cde\nab cdef\n"
    yield "12\nx\n\ny\n \nz\n"
    yield "9\none two\nthree four\nfive six seven eight nine ten\n"
    yield "6\n" + "aaa bb " * 3 + "\n"
    for width in (1, 2, 7, 20, 80):
        yield _random_text(rng, width, 200, 9)
    yield _random_text(rng, 72, 8000, 14)
    yield _random_text(rng, MAX_WIDTH, 4000, 3)
    yield _random_text(rng, 5, 20_000, 8)
    yield f"80\n{'a ' * 240_000}\n"
    yield f"3\n{chr(10).join(['b'] * 150_000)}\n"
    yield f"{MAX_WIDTH}\n{'a' * (MAX_WIDTH - 2)} b\n\n{'c' * MAX_WIDTH} d\n\n{'e' * (MAX_WIDTH + 1)} f\n"
    yield f"1\n{'x' * 100_000}\n\ny\n"


def small(rng: random.Random) -> str:
    """Return a short text with words near the width of the column."""
    width = rng.randint(1, 12)
    return _random_text(rng, width, rng.randint(1, 12), max(2, width // rng.choice((1, 2, 3)) + 1))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    width, _, body = text.partition("\n")
    if not re.fullmatch(r"[1-9][0-9]*", width) or int(width) > MAX_WIDTH:
        raise ValueError(f"W must be 1 to {MAX_WIDTH}, got {width!r}")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the input has {len(text)} characters, more than {MAX_CHARACTERS}")
    if not re.fullmatch(r"[ -~\n]*", body):
        raise ValueError("the text holds a character that is not printable ASCII")
    if not body.split():
        raise ValueError("the text has no word")


def _random_text(rng: random.Random, width: int, word_count: int, longest: int) -> str:
    pieces = [f"{width}\n"]
    for _ in range(word_count):
        pieces.append("".join(rng.choice(_WORD_CHARACTERS) for _ in range(rng.randint(1, longest))))
        pieces.append(rng.choice((" ", " ", " ", " ", "  ", "\n", "\n", "\n ", " \n")))
        if rng.randrange(12) == 0:
            pieces.append(rng.choice(("\n\n", "\n \n", "\n\n\n")))
    return "".join(pieces) + "\n"
