"""Tests of decimal_lineup: zeros of every kind, differences in the last digit, one giant, many dwarfs."""

import random
import re
from collections.abc import Iterator

MAX_N = 50_000
MAX_CHARACTERS = 500_000


def _format(records: list[str]) -> str:
    return f"{len(records)}\n" + "\n".join(records) + "\n"


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def _disguise(rng: random.Random, record: str, zeros: int) -> str:
    """Return the same number with needless zeros."""
    sign = "-" if record.startswith("-") else ""
    integer, _, fraction = record.removeprefix("-").partition(".")
    integer = "0" * rng.randint(0, zeros) + integer
    fraction += "0" * rng.randint(0, zeros)
    return sign + integer + ("." + fraction if fraction else "")


def _random_record(rng: random.Random, integer: int, fraction: int) -> str:
    sign = rng.choice(["", "-"])
    record = sign + _digits(rng, rng.randint(1, integer))
    count = rng.randint(0, fraction)
    return record + ("." + _digits(rng, count) if count else "")


def public() -> list[str]:
    return [
        _format(["7.50", "-0", "007.5", "0.000", "-3", "7.49"]),
        _format(["-1.25", "-1.250", "-01.3"]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    yield _format(["0"])
    yield _format(["-0.0"])
    yield _format(["0", "-0", "0.0", "-0.000", "000", "-000.0"])
    yield _format(["-0", "0.0000001", "-0.0000001", "0"])
    yield _format(["5", "5.0", "05", "005.00", "4.9999999999999999999999"])
    # The shorter fraction is the larger one, and the other way round.
    yield _format(["0.5", "0.49", "0.499999999999999999999999999", "0.50"])
    yield _format(["1.05", "1.5", "1.50", "1.005", "1.0500"])
    yield _format(["-0.5", "-0.49", "-0.500001", "-0.05"])
    # More digits in front are needless zeros, not a larger number.
    yield _format(["9", "0000000000000000000008", "10", "0009.5", "-9", "-00000000008"])
    yield _format(["9007199254740993", "9007199254740992", "9007199254740993.0", "9007199254740992.5"])
    yield _format(["170141183460469231731687303715884105728", "170141183460469231731687303715884105727"])
    yield _format(
        ["-340282366920938463463374607431768211457", "-340282366920938463463374607431768211456", "1"]
    )
    yield _format(["-1", "-1.0", "-2", "-2.00"])
    yield _format(["3.14", "3.14", "3.14"])
    # Long records that differ at one end only.
    base = "1" + _digits(rng, 9_000)
    yield _format([f"{base}{last}" for last in rng.sample("0123456789" * 2, 20)])
    yield _format([f"-0.{base}{last}{'0' * rng.randint(0, 99)}" for last in rng.sample("0123456789" * 2, 20)])
    yield _format([f"{base}.{last}" for last in ("1", "10", "2", "20", "0", "00")])
    yield _format(["-" + "9" * (MAX_CHARACTERS - 3), "-1"])
    yield _format(["0." + "0" * 249_990 + "1", "0." + "0" * 249_989 + "10"])
    for integer, fraction, n in ((2, 2, 500), (1, 3, 3_000), (20, 20, 8_000), (40, 2, 8_000)):
        yield _format([_random_record(rng, integer, fraction) for _ in range(n)])
    values = [_random_record(rng, 5, 5) for _ in range(400)]
    yield _format([_disguise(rng, rng.choice(values), 12) for _ in range(15_000)])
    yield _format([f"-0.{k:07d}" for k in rng.sample(range(10_000_000), 45_000)])
    yield _format([f"{k:09d}" for k in rng.sample(range(100_000_000), MAX_N)])


def small(rng: random.Random) -> str:
    records = []
    for _ in range(rng.randint(1, 7)):
        if rng.randrange(3) == 0:
            record = rng.choice(["0", "-0", "1", "-1", "0.1", "-0.1", "10", "1.5", "1.05"])
        else:
            record = _random_record(rng, 2, 2)
        records.append(_disguise(rng, record, 2))
    return _format(records)


def validate(text: str) -> None:
    """Raise ValueError naming the constraint that the text breaks."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end with a newline")
    first, *records = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", first) or not 1 <= int(first) <= MAX_N:
        raise ValueError(f"n = {first!r} is not an integer in 1..{MAX_N}")
    if len(records) != int(first):
        raise ValueError(f"{len(records)} records, not n = {first}")
    for record in records:
        if not re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", record):
            raise ValueError(f"not a decimal: {record[:80]!r}")
    characters = sum(map(len, records))
    if characters > MAX_CHARACTERS:
        raise ValueError(f"{characters} characters in all, more than {MAX_CHARACTERS}")
