"""Tests of euclid_ledger: zeros, long quotients, most steps, corrections of an estimated quotient digit."""

import random
import re
import sys
from collections.abc import Iterator

MAX_DIGITS = 20_000

# Bases in which programs keep their limbs: for each of them some test needs the rare correction of a
# quotient digit that was estimated.
LIMB_BASES = (10, 10**4, 10**9, 10**18, 2**32, 2**64)


def _format(a: int, b: int) -> str:
    """Return the input; Python's limit on the digits of an int is lifted meanwhile."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return f"{a}\n{b}\n"
    finally:
        sys.set_int_max_str_digits(limit)


def _fibonacci(index: int) -> tuple[int, int]:
    """Return two neighbours of the Fibonacci sequence, by doubling the index."""
    a, b = 0, 1
    for bit in bin(index)[2:]:
        a, b = a * (2 * b - a), a * a + b * b
        if bit == "1":
            a, b = b, a + b
    return a, b


def _from_quotients(quotients: list[int], divisor: int) -> tuple[int, int]:
    """Return the pair on which Euclid's algorithm meets the quotients, the first one first."""
    a, b = divisor, 0
    for quotient in reversed(quotients):
        a, b = a * quotient + b, a
    return a, b


def _exactly(rng: random.Random, digits: int) -> int:
    return rng.randrange(10 ** (digits - 1), 10**digits)


def _add_back(base: int, quotient: int, limbs: int) -> tuple[int, int]:
    """Return a division in which the estimate from the top limbs, two or three of them, is one too high."""
    divisor = (base // 2) * base**limbs + 1
    return quotient * divisor - 1, divisor


def public() -> list[str]:
    return [_format(84, 30), _format(3 * 10**40, 84 * 10**39)]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format(0, 1)
    yield _format(1, 0)
    yield _format(7, 7)
    yield _format(0, _exactly(rng, 40))
    yield _format(_exactly(rng, 40), 0)
    yield _format(1, _exactly(rng, 50))
    yield _format(10**18 - 1, 10**18 + 1)
    yield _format(2**64, 2**64 - 1)
    yield _format(2**128 - 1, 2**64 + 1)
    for base in LIMB_BASES:
        for limbs in (2, 3, 7):
            yield _format(*_add_back(base, base - 1, limbs))
        yield _format(*_add_back(base, (base - 1) * base**3 + base - 2, 4))
        # The top limbs of dividend and divisor are equal: the estimate does not fit into a limb.
        divisor = (base - 1) * base**3 + base - 1
        yield _format(divisor * base**2 - 1, divisor)
    # The last divisor is long: the answer needs zeros inside.
    yield _format(_exactly(rng, 30) * 10**500, _exactly(rng, 35) * 10**500)
    yield _format((10**90 + 1) * 35, (10**90 + 1) * 77)
    # Long quotients: few steps, each of them many quotient digits.
    yield _format(_exactly(rng, MAX_DIGITS), _exactly(rng, 1))
    yield _format(_exactly(rng, MAX_DIGITS), _exactly(rng, 30))
    yield _format(_exactly(rng, MAX_DIGITS), _exactly(rng, MAX_DIGITS // 2))
    yield _format(*_from_quotients([_exactly(rng, 2_000) for _ in range(9)], 97))
    yield _format(10**MAX_DIGITS - 1, 10 ** (MAX_DIGITS - 9) - 1)
    yield _format(2**66_000, 3**41_000)
    for digits in (5, 25, 300, 3_000):
        common = _exactly(rng, digits)
        yield _format(common * _exactly(rng, digits), common * _exactly(rng, digits + 1))
    yield _format(*_from_quotients([rng.randint(1, 2**70) for _ in range(300)], 10**300))
    yield _format(_exactly(rng, MAX_DIGITS), _exactly(rng, MAX_DIGITS))
    common = _exactly(rng, 6_000)
    yield _format(common * _exactly(rng, 14_000), common * _exactly(rng, 14_000))
    # The most steps that numbers of this length can take; in the second one the smaller number comes first.
    a, b = _fibonacci(95_600)
    yield _format(b, a)
    yield _format(a, b)


def small(rng: random.Random) -> str:
    if rng.randrange(4) == 0:
        quotients = [rng.choice([1, 1, 2, 9, 10**9, 2**32 - 1, 2**64]) for _ in range(rng.randint(1, 12))]
        return _format(*_from_quotients(quotients, rng.choice([1, 10**9, 2**64])))
    if rng.randrange(4) == 0:
        base = rng.choice(LIMB_BASES)
        return _format(*_add_back(base, rng.randint(1, base - 1), rng.randint(1, 5)))
    a, b = (rng.randrange(10 ** rng.randint(0, 60)) for _ in range(2))
    return _format(a, b if a else b + 1)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    match = re.fullmatch(r"(0|[1-9][0-9]*)\n(0|[1-9][0-9]*)\n", text)
    if not match:
        raise ValueError(f"not two lines with a decimal number each: {text[:80]!r}")
    for number in match.groups():
        if len(number) > MAX_DIGITS:
            raise ValueError(f"a number of {len(number)} digits, more than {MAX_DIGITS}")
    if text == "0\n0\n":
        raise ValueError("both numbers are 0")
