"""Inputs of "Key Presses": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_KEYS = 2_000_000

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text("crt<<a[/]s<<"), _text("ab-c--"), _text("no<w")]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    for keys in (
        "a",
        "-",
        "/",
        "<",
        "]",
        "<a",
        ">a",
        "-a",
        "/a",
        "a>b",
        "a/b",
        "ab[-c",
        "ab[/c",
        "ab<<<c",
        "ab<</c",
    ):
        yield _text(keys)
    yield _text("abc[]/-<->d[>e]<<<<<f")
    yield _text("ab[c]d[e]f<-/[-]/")
    for count, keys in ((30, "ab<>-/"), (300, "abc<>[]-/"), (5000, "xyz<<<>>[]-/"), (5000, "a<-")):
        yield _text(_random_keys(rng, count, keys))
    yield _text(_random_keys(rng, 200_000, _ALPHABET + "<<<<<>>>>>-/"))
    # At the limits: typing at the start of a long text, jumps between its ends, walks through it.
    yield _text("".join(rng.choice(_ALPHABET) + "[" for _ in range(MAX_KEYS // 2)))
    ends = "".join(rng.choice(_ALPHABET) for _ in range(500_000))
    yield _text(ends + "[a]b" * 250_000 + "[/]-" * 100_000)
    yield _text(ends[:300_000] + "<" * 150_000 + _random_keys(rng, 1_000_000, "abcd<>-/"))
    yield _text(ends[:200_000] + "[" + "/" * 100_000 + "]" + "-" * 99_999)


def small(rng: random.Random) -> str:
    """Return a short log with many keys at the ends of the text."""
    return _text(
        _random_keys(rng, rng.randint(1, 25), rng.choice(("ab<>[]-/", "abcde<>[]-/", "abcd<<>", "ab[]")))
    )


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    lines = text.split("\n")
    if len(lines) != 3 or lines[2]:
        raise ValueError("the input must be two lines, each ended by a newline")
    if not 1 <= len(lines[1]) <= MAX_KEYS or lines[0] != str(len(lines[1])):
        raise ValueError(f"n is {lines[0][:20]!r}, but {len(lines[1])} keys follow (1 to {MAX_KEYS})")
    if not re.fullmatch(r"[a-z<>\[\]/-]+", lines[1]):
        raise ValueError("a key is not one of the known ones")


def _text(keys: str) -> str:
    return f"{len(keys)}\n{keys}\n"


def _random_keys(rng: random.Random, count: int, keys: str) -> str:
    return "".join(rng.choice(keys) for _ in range(count))
