"""What the checker should say, written down plainly: tokens by splitting, numbers as fractions.

Slow where exponents are large; who draws inputs bounds those. Nothing here is shared with the checker.
"""

import itertools
import re
from fractions import Fraction

SPACE = re.compile(rb"[ \t\n\r\x0b\x0c]+")
NUMBER = re.compile(rb"[+-]?(?:(0|[1-9][0-9]*)(?:\.([0-9]*))?|()\.([0-9]+))(?:[eE]([+-]?[0-9]+))?")
EXPONENT_DIGITS_LIMIT = 17
LINES_LIMIT = 6

Tolerance = tuple[Fraction, Fraction]
"""Absolute and relative."""


def tokens(text: bytes) -> list[bytes]:
    """The parts between white space of ASCII."""
    return [part for part in SPACE.split(text) if part]


def value(token: bytes) -> Fraction | None:
    """The number that a token is; None for text."""
    match = NUMBER.fullmatch(token)
    if match is None:
        return None
    exponent = (match.group(5) or b"0").lstrip(b"+-").lstrip(b"0")
    if len(exponent) > EXPONENT_DIGITS_LIMIT:
        return None
    mantissa, _, power = token.lower().partition(b"e")
    whole, _, fraction = mantissa.partition(b".")
    digits = int((whole.lstrip(b"+-") + fraction) or b"0")
    sign = -1 if whole.startswith(b"-") else 1
    return sign * Fraction(digits) * Fraction(10) ** (int(power or b"0") - len(fraction))


def is_integer(token: bytes) -> bool:
    """Written without a point and without an exponent."""
    return value(token) is not None and token.lstrip(b"+-").isdigit()


def equal(a: bytes, b: bytes, tolerance: Tolerance | None, *, integers_too: bool) -> bool | None:
    """Whether two tokens are equal; None at the very border of a tolerance, where floats may round."""
    if _lower(a) == _lower(b):
        return True
    x, y = value(a), value(b)
    if x is None or y is None:
        return False
    if x == y:
        return True
    if tolerance is None or (not integers_too and is_integer(a) and is_integer(b)):
        return False
    absolute, relative = tolerance
    allowed = max(absolute, relative * max(abs(x), abs(y)))
    difference = abs(x - y)
    border = Fraction(1, 10**8)
    if difference <= allowed * (1 - border):
        return True
    return None if difference <= allowed * (1 + border) else False


def accepts(
    expected: bytes, output: bytes, tolerance: Tolerance | None, *, integers_too: bool = False
) -> bool | None:
    """Whether outputs have equal tokens in order; None where that hangs on a border."""
    first, second = tokens(expected), tokens(output)
    if len(first) != len(second):
        return False
    found = [equal(a, b, tolerance, integers_too=integers_too) for a, b in zip(first, second, strict=True)]
    return False if False in found else None if None in found else True


def accepts_lines(expected: bytes, output: bytes, tolerance: Tolerance | None) -> bool | None:
    """Whether lines are equal in some order, by trying every order; None where those are too many."""
    first = [line for line in expected.split(b"\n") if tokens(line)]
    second = [line for line in output.split(b"\n") if tokens(line)]
    if len(first) != len(second):
        return False
    if len(first) > LINES_LIMIT:
        return None
    answers = set()
    for order in itertools.permutations(second):
        pairs = [accepts(a, b, tolerance) for a, b in zip(first, order, strict=True)]
        answers.add(False if False in pairs else None if None in pairs else True)
    return True if True in answers else None if None in answers else False


def _lower(text: bytes) -> bytes:
    return bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in text)
