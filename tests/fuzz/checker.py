"""The checker of the launcher, against a model that is written down plainly."""

import os
import random
from fractions import Fraction
from typing import Any

import scorer_launcher
from leftovers import resident_bytes

from tests.fuzz import checker_model
from tests.fuzz.campaign import Fault

CODE_CONTESTS = (Fraction(1, 10**5), Fraction(1, 10**5))
_TOLERANCES = (0.0, 1e-9, 1e-6, 1e-5, 0.01, 0.5, 0.999)
_DIGITS = b"0123456789"
_ODD = (
    *(b"nan", b"inf", b"-inf", b"0x10", b"1_0", b"1e", b".", b"-", b"+", b"e5", b"1.e5", b".e1", b"--1"),
    *(b"\xd9\xa1", b"\xe2\x85\xa7", b"\xc3\xa9", b"\xff", b"\0", b"5\0", b"00", b"-00", b"0e9", b"1e00"),
    *(b"1e999999999", b"-1E-999999999", b"1e99999999999999999", b"1e100000000000000000", b"YES", b"yes"),
)
_EXPONENTS = (0, 1, -1, 5, 308, -308, -324, 400, -400, -401, 1999, -1999)
_SPACES = (b" ", b"\n", b"\t", b"\r\n", b"\x0b", b"\x0c", b"  ", b"\n\n")
EXPONENT_LIMIT = 2000
"""Of what the model computes exactly; beyond, both sides must agree with the token's own text alone."""


class CheckerSurface:
    """Pairs of outputs, each by every checker, in both orders."""

    name = "checker"
    growth_limit_bytes = 32 << 20

    def attempt(self, chance: random.Random) -> str:
        """One pair of outputs."""
        expected = _text(chance)
        output = _near(expected, chance) if chance.random() < 0.8 else _text(chance)
        decimals = scorer_launcher.has_decimals(expected)
        numbers = [part for part in checker_model.tokens(expected) if _is_number(part)]
        if decimals != any(not part.lstrip(b"+-").isdigit() for part in numbers):
            raise Fault(f"has_decimals({expected!r}) is {decimals}")
        outcome = "different"
        computable = _is_computable(expected) and _is_computable(output)
        for name, checker, model in _checkers(chance):
            found = checker.accepts(stdin=b"", expected=expected, output=output)
            if found != checker.accepts(stdin=b"", expected=output, output=expected):
                raise Fault(f"{name} depends on the order of {expected!r} and {output!r}")
            if not checker.accepts(stdin=b"", expected=expected, output=expected):
                raise Fault(f"{name} does not take {expected!r} for itself")
            wanted = model(expected, output) if computable else None
            if wanted is not None and found != wanted:
                raise Fault(f"{name} says {found} of {expected!r} and {output!r}")
            if found:
                outcome = "equal"
        return outcome if computable else "not computed"

    def resident_bytes(self) -> int:
        """Of this process."""
        return resident_bytes(os.getpid())

    def close(self) -> None:
        """Nothing was started."""


def _checkers(chance: random.Random) -> list[tuple[str, Any, Any]]:
    absolute, relative = chance.choice(_TOLERANCES), chance.choice(_TOLERANCES)
    exact = (Fraction(absolute), Fraction(relative))
    found: list[tuple[str, Any, Any]] = [
        ("exact", scorer_launcher.Checker.exact(), lambda a, b: _trimmed(a) == _trimmed(b)),
        (
            f"floats({absolute}, {relative})",
            scorer_launcher.Checker.floats(absolute=absolute, relative=relative),
            lambda a, b: checker_model.accepts(a, b, exact, integers_too=True),
        ),
    ]
    for decimals in (False, True):
        tolerance = CODE_CONTESTS if decimals else None
        found += [
            (
                f"tokens({decimals})",
                scorer_launcher.Checker.tokens(decimals=decimals),
                lambda a, b, t=tolerance: checker_model.accepts(a, b, t),
            ),
            (
                f"unordered_lines({decimals})",
                scorer_launcher.Checker.unordered_lines(decimals=decimals),
                lambda a, b, t=tolerance: (
                    checker_model.accepts_lines(a, b, t) if a.count(b"\n") < 6 else None
                ),
            ),
        ]
    return found


def _trimmed(text: bytes) -> bytes:
    return text.rstrip(b" \t\n\r\x0b\x0c")


def _is_number(token: bytes) -> bool:
    match = checker_model.NUMBER.fullmatch(token)
    exponent = (match.group(5) or b"").lstrip(b"+-").lstrip(b"0") if match else b""
    return match is not None and len(exponent) <= checker_model.EXPONENT_DIGITS_LIMIT


def _is_computable(text: bytes) -> bool:
    for token in checker_model.tokens(text):
        match = checker_model.NUMBER.fullmatch(token)
        if match and _is_number(token) and abs(int(match.group(5) or b"0")) > EXPONENT_LIMIT:
            return False
    return True


def _text(chance: random.Random) -> bytes:
    parts = []
    for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
        parts += [_token(chance), chance.choice(_SPACES)]
    return b"".join(parts)


def _token(chance: random.Random) -> bytes:
    draw = chance.random()
    if draw < 0.2:
        return chance.choice(_ODD)
    if draw < 0.25:
        return chance.randbytes(chance.randrange(1, 6))
    length = chance.choice((1, 1, 2, 5, 18, 19, 20, 25, 60, 400))
    digits = bytes(chance.choice(_DIGITS if chance.random() < 0.5 else b"09") for _ in range(length))
    if draw < 0.5:
        return chance.choice((b"", b"", b"-", b"+")) + digits
    point = chance.randrange(length + 1)
    number = digits[:point] + b"." + digits[point:]
    if chance.random() < 0.4:
        exponent = chance.choice((*_EXPONENTS, chance.randrange(-30, 30)))
        number += chance.choice((b"e", b"E")) + str(exponent).encode()
    return chance.choice((b"", b"-", b"+")) + number


def _near(text: bytes, chance: random.Random) -> bytes:
    """The same, written otherwise, or changed a little."""
    parts = checker_model.tokens(text)
    if chance.random() < 0.2:
        chance.shuffle(parts)
    for index, token in enumerate(parts):
        if chance.random() < 0.6:
            parts[index] = _other(token, chance)
    return b"".join(part + chance.choice(_SPACES) for part in parts)


def _other(token: bytes, chance: random.Random) -> bytes:
    how = chance.randrange(8)
    if how == 0:
        return token.swapcase()
    if how == 1 and token.isdigit():
        return token + chance.choice((b".", b".0", b"e0", b".000001", b"e-0"))
    if how == 2 and b"." in token and b"e" not in token.lower():
        return token + chance.choice((b"0", b"000000", b"1", b"e0"))
    if how == 3:
        return b"-" + token if not token.startswith(b"-") else token[1:]
    if how == 4 and token:
        at = chance.randrange(len(token))
        return token[:at] + bytes([chance.choice(b"0123456789.e-")]) + token[at + 1 :]
    if how == 5 and _is_number(token) and _is_computable(token):
        number = checker_model.value(token)
        assert number is not None
        share = chance.choice((Fraction(1, 10**5), Fraction(1, 10**6), Fraction(1, 100), Fraction(3, 5)))
        moved = number * (1 + chance.choice((1, -1)) * share) + chance.choice((0, 0, Fraction(1, 10**6)))
        return _written(moved)
    if how == 6:
        return chance.choice(_ODD)
    return token


def _written(number: Fraction) -> bytes:
    """As a decimal of 40 digits, with an exponent."""
    if not number:
        return b"0"
    size = abs(number)
    power = len(str(size.numerator)) - len(str(size.denominator))
    scaled = int(size * Fraction(10) ** (40 - power))
    return (b"-" if number < 0 else b"") + str(scaled).encode() + b"e" + str(power - 40).encode()
