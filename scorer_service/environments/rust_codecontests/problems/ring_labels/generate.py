"""Inputs of "Ring Labels": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_RINGS = 100_000
MAX_LETTERS = 500_000


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    return [_text(["tar", "rat", "art", "tra", "rta"]), _text(["b", "ab", "ba", "b", "aab"])]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text(["z"])
    yield _text(["z", "zz", "zzz"])
    yield _text(["ab", "aab", "abab", "baba", "aba", "ba", "baa"])
    yield _text(["aabaac", "aacaab", "abaaca", "acaaba"])
    yield _text(["abcabd", "abdabc", "cabdab"])
    yield _text(["abc", "cba", "acb"])
    yield _text(["aabb", "abab", "abba", "baba"])
    yield _text(["banana", "ananab", "nanaba", "anabna"])
    yield _text(["y", "x", "y", "x"])
    yield _text(["aaab", "aaaab", "aaabaaaab", "aaaabaaab", "baaab"])
    for ring_count, longest, letters in ((10, 4, "ab"), (100, 6, "ab"), (1000, 8, "abc"), (1000, 40, "xyz")):
        yield _random_rings(rng, ring_count, longest, letters)
    yield _random_rings(rng, 60_000, 5, "abcdefghijklmnopqrstuvwxyz")
    # Periodic labels on which a search restarts late and a comparison of two readings runs long.
    yield _text(["a" * (MAX_LETTERS - 1) + "b"])
    yield _text(["a" * 200_000])
    yield _text(["a" * 50_000 + "b" + "a" * 50_001 + "b", "a" * 50_001 + "b" + "a" * 50_000 + "b"])
    yield _text([_rotated("ab" * 50_000 + "b", shift) for shift in (0, 1, 50_000, 99_999)])
    yield _text([_rotated(_fibonacci_word(200_000), rng.randrange(200_000))])
    yield _text([_rotated("abcde" * 40, rng.randrange(200)) for _ in range(1500)])
    yield _text([rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(MAX_RINGS)])


def small(rng: random.Random) -> str:
    """Return a few short labels over few letters."""
    return _random_rings(rng, rng.randint(1, 7), rng.randint(1, 6), rng.choice(("a", "ab", "ab", "abc")))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    count_line, *labels = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", count_line) or int(count_line) > MAX_RINGS:
        raise ValueError(f"n must be 1 to {MAX_RINGS}, got {count_line!r}")
    if len(labels) != int(count_line):
        raise ValueError(f"n is {count_line}, but {len(labels)} labels follow")
    for label in labels:
        if not re.fullmatch(r"[a-z]+", label):
            raise ValueError(f"not a label: {label[:60]!r}")
    if sum(map(len, labels)) > MAX_LETTERS:
        raise ValueError(f"the labels have more than {MAX_LETTERS} letters")


def _text(labels: list[str]) -> str:
    return "\n".join([str(len(labels)), *labels]) + "\n"


def _rotated(label: str, shift: int) -> str:
    return label[shift:] + label[:shift]


def _fibonacci_word(length: int) -> str:
    shorter, longer = "a", "ab"
    while len(longer) < length:
        shorter, longer = longer, longer + shorter
    return longer[:length]


def _random_rings(rng: random.Random, ring_count: int, longest: int, letters: str) -> str:
    labels: list[str] = []
    for _ in range(ring_count):
        if labels and rng.randrange(2):
            label = rng.choice(labels)
            labels.append(_rotated(label, rng.randrange(len(label))))
        else:
            labels.append("".join(rng.choice(letters) for _ in range(rng.randint(1, longest))))
    return _text(labels)
