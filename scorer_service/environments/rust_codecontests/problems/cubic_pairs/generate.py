"""Tests of cubic_pairs: cubes that pair with themselves, complements beyond all values, equal values."""

import random
import re
from collections.abc import Iterator

MAX_N = 100_000
MAX_VALUE = 10**6


def _format(values: list[int]) -> str:
    return f"{len(values)}\n{' '.join(map(str, values))}\n"


def _cube_free_part(value: int) -> int:
    divisor = 2
    while divisor**3 <= value:
        while value % divisor**3 == 0:
            value //= divisor**3
        divisor += 1
    return value


def _partners(rng: random.Random) -> tuple[int, int]:
    """Return two values whose product is a cube: x^2 y u^3 and x y^2 v^3."""
    while True:
        x, y = rng.randint(1, 60), rng.randint(1, 60)
        first = x * x * y * rng.randint(1, 3) ** 3
        second = x * y * y * rng.randint(1, 3) ** 3
        if max(first, second) <= MAX_VALUE:
            return first, second


def _wrapping(bits: int) -> list[int]:
    """Return pairs of a value and a p whose complement p * p is that value after a cut to the bits."""
    found: list[int] = []
    for p in range(MAX_VALUE - 1, 2 ** (bits // 2), -1):
        cut = p * p % 2**bits
        if (
            1 < cut <= MAX_VALUE
            and all(p % d for d in range(2, int(p**0.5) + 1))
            and _cube_free_part(cut) == cut
        ):
            found += [cut, p]
            if len(found) >= 20:
                break
    return found


def public() -> list[str]:
    return [_format([2, 4, 12, 18, 32, 1]), _format([8, 1, 27, 8])]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format([1])
    yield _format([MAX_VALUE])
    yield _format([1, 1])
    yield _format([2, 2])
    yield _format([2, 2, 2, 4, 4])
    yield _format([16, 4, 32, 2, 250, 500])
    yield _format([6, 36, 9, 4, 3, 2])
    yield _format([k**3 for k in range(1, 101)])
    # The squares of these primes are no values any more.
    yield _format([999_983, 999_983, 999_979, 1009, 1013, 997, 997 * 997])
    yield _format([997, 997 * 997, 997, 991 * 991, 991, 991 * 991])
    yield _format(_wrapping(32))
    # Products beyond 2^31, and cube roots that come out a little below an integer.
    yield _format([MAX_VALUE] * 50)
    yield _format([970_299, 970_300, 970_298, 99**3, 98**3, 97**3 + 1, 97**3])
    yield _format([99 * 99, 99, 98 * 98, 98, 97 * 97 * 98, 97 * 98 * 98])
    yield _format([720_720, 720_720, 900_900, 27_720, 2 * 3 * 5 * 7 * 11 * 13])
    for n, most in ((50, 10), (300, 100), (1_500, 1_000), (3_000, MAX_VALUE)):
        yield _format([rng.randint(1, most) for _ in range(n)])
    values = [value for _ in range(2_000) for value in _partners(rng)]
    rng.shuffle(values)
    yield _format(values)
    # The number of pairs passes 2^31 and 2^32.
    yield _format([1] * MAX_N)
    yield _format([rng.choice([2, 4]) for _ in range(MAX_N)])
    yield _format([rng.randint(1, 12) ** 3 for _ in range(MAX_N)])
    values = [value for _ in range(MAX_N // 2) for value in _partners(rng)]
    rng.shuffle(values)
    yield _format(values)
    yield _format([rng.randint(MAX_VALUE - 150_000, MAX_VALUE) for _ in range(MAX_N)])


def small(rng: random.Random) -> str:
    n = rng.randint(1, 8)
    if rng.randrange(3) == 0:
        values = [value for _ in range((n + 1) // 2) for value in _partners(rng)][:n]
    else:
        values = [rng.randint(1, rng.choice([9, 40])) for _ in range(n)]
    return _format(values)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    match = re.fullmatch(r"([1-9][0-9]*)\n([1-9][0-9]*(?: [1-9][0-9]*)*)\n", text)
    if not match:
        raise ValueError(f"not 'n' and a line of positive integers: {text[:80]!r}")
    n = int(match[1])
    if n > MAX_N:
        raise ValueError(f"n = {n} is not in 1..{MAX_N}")
    values = match[2].split(" ")
    if len(values) != n:
        raise ValueError(f"{len(values)} integers, not n = {n}")
    for value in values:
        if int(value) > MAX_VALUE:
            raise ValueError(f"{value} is not in 1..{MAX_VALUE}")
