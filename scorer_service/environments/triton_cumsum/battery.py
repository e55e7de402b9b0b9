"""The battery: sizes and contents at which a function has to be right, off the clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

EVERY_SIZE = (
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    127,
    128,
    129,
    1000,
    1023,
    1024,
    1025,
    4095,
    4096,
    4097,
    9999,
    65535,
    65536,
    65537,
)
"""0, 1, odd ones, and those around powers of two, with the contents that are timed."""

EVERY_CONTENTS = (
    "positive",
    "negative",
    "zeros",
    "sparse",
    "first positive",
    "last positive",
    "full range",
    "largest",
    "smallest after positive",
)
"""Of `public_inputs.CONTENTS`, at the sizes below."""

CONTENTS_SIZES = (257, 4096)
"""One of them odd. The timed size follows."""

PARTS_OF_TIMED_SIZE = (0.5, 0.97, 1.0, 1.03)
"""Sizes near the timed one: a function may not know the one size that is timed. Each is shifted by a
little."""

LARGEST_PART = 1.04
"""Of the timed size; no case is larger, but for the fixed sizes."""

_SHIFT_PART = 0.01


@dataclass(frozen=True)
class Case:
    """One input of the battery."""

    contents: str
    """A key of `public_inputs.CONTENTS`."""
    size: int

    def __str__(self) -> str:
        return f"n = {self.size}, contents: {self.contents}"


def cases(timed_size: int, shift: Callable[[int], int]) -> Sequence[Case]:
    """Every case, the smallest first within each part of the table.

    `shift(limit)` chooses from -limit .. limit: by a fixed rule for the public cases, at random for hidden
    ones.
    """
    limit = int(timed_size * _SHIFT_PART)
    near = [max(0, round(timed_size * part) + shift(limit)) for part in PARTS_OF_TIMED_SIZE]
    return [
        *(Case("digits", size) for size in EVERY_SIZE),
        *(Case(contents, size) for size in CONTENTS_SIZES for contents in EVERY_CONTENTS),
        *(Case("digits", size) for size in near),
        *(Case(contents, timed_size) for contents in EVERY_CONTENTS),
    ]


def public_shift(limit: int) -> int:
    """The rule of the public cases."""
    return limit // 3


def largest_size(timed_size: int) -> int:
    """The most elements that any case has."""
    return max(*EVERY_SIZE, int(timed_size * LARGEST_PART) + 1)
