"""Inputs of "Echo Counts": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_LETTERS = 200_000
MAX_QUESTIONS = 100_000
MAX_TIMES = 10**9

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text("banana", [1, 2, 3, 4]), _text("aaaa", [1, 3])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text("q", [1])
    yield _text("q", [2, 1, MAX_TIMES])
    yield _text("ab", [1, 2])
    yield _text("aa", [1, 2, 3])
    yield _text("abcbc", [1, 2, 3])
    yield _text("abab", [2, 1])
    yield _text("aabaab", [1, 2, 3, 4, 5])
    yield _text("abbbabbba", list(range(1, 11)))
    yield _text(_ALPHABET, [1, 2])
    yield _text("mississippi" * 3, list(range(1, 35)))
    for length, letters in ((30, "ab"), (200, "abc"), (1000, "a"), (1000, "ab"), (3000, _ALPHABET)):
        yield _random_text(rng, length, letters, 200)
    yield _random_text(rng, MAX_LETTERS, _ALPHABET, 5000)
    yield _random_text(rng, MAX_LETTERS, "ab", 5000)
    yield _text("a" * MAX_LETTERS, _times(rng, 5000, MAX_LETTERS))
    yield _text("a" * (MAX_LETTERS // 2) + "b" + "a" * (MAX_LETTERS // 2 - 1), _times(rng, 5000, 300))
    yield _text(_fibonacci_word(MAX_LETTERS), _times(rng, 5000, 20_000))
    yield _text("ab" * (MAX_LETTERS // 2), [1, 2, 3, MAX_LETTERS // 2, MAX_LETTERS // 2 + 1])
    block = "".join(rng.choice(_ALPHABET) for _ in range(1000))
    yield _text(block * (MAX_LETTERS // 1000), _times(rng, 1000, 220))
    yield _text(_ALPHABET * 7, [1] * MAX_QUESTIONS)


def small(rng: random.Random) -> str:
    """Return a short text over few letters."""
    length = rng.randint(1, 12)
    return _random_text(rng, length, rng.choice(("a", "ab", "ab", "abc")), rng.randint(1, 6))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3]:
        raise ValueError("the input must be three lines, each ended by a newline")
    if not re.fullmatch(r"[a-z]+", lines[0]) or len(lines[0]) > MAX_LETTERS:
        raise ValueError(f"the text must be 1 to {MAX_LETTERS} letters, got {lines[0][:60]!r}")
    words = lines[2].split(" ")
    if lines[1] != str(len(words)) or len(words) > MAX_QUESTIONS:
        raise ValueError(f"q is {lines[1]!r}, but {len(words)} questions follow (at most {MAX_QUESTIONS})")
    for word in words:
        if not re.fullmatch(r"[1-9][0-9]*", word) or int(word) > MAX_TIMES:
            raise ValueError(f"k must be 1 to {MAX_TIMES}, got {word!r}")


def _text(text: str, times: list[int]) -> str:
    return f"{text}\n{len(times)}\n{' '.join(map(str, times))}\n"


def _times(rng: random.Random, count: int, top: int) -> list[int]:
    return [rng.randint(1, rng.choice((4, top, top + 1))) for _ in range(count)]


def _random_text(rng: random.Random, length: int, letters: str, question_count: int) -> str:
    text = "".join(rng.choice(letters) for _ in range(length))
    return _text(text, _times(rng, question_count, rng.choice((3, length))))


def _fibonacci_word(length: int) -> str:
    shorter, longer = "a", "ab"
    while len(longer) < length:
        shorter, longer = longer, longer + shorter
    return longer[:length]
