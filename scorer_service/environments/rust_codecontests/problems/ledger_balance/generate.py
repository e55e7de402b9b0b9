"""Inputs of "Ledger Balance": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_LINES = 100_000
MAX_LINE_LENGTH = 80
MAX_CENTS = 10**12

_AMOUNT = re.compile(r"([0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]{1,2}))?")
_NAME = re.compile(r"[a-z]{1,12}")


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = [
        "in cash 1,250.5   # opening",
        "",
        "out cash 300",
        "move cash rent 1,000.25",
        "in gifts 12.05",
        "void 3",
        "  out gifts 20.3",
    ]
    second = ["in a 3.10", "move a b 3.1", "# nothing is owed", "out b 0003.10"]
    return [_text(first), _text(second)]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text([""])
    yield _text(["# in a 5"])
    yield _text(["in a 0.01"])
    yield _text(["out a 0.01"])
    yield _text(["out abc 0.5", "out b 0.99", "out c 1.00", "out d 100.09"])
    yield _text(["in a 5#in a 6", "  #", "   ", "in b 7 # void 1", "void 1 #"])
    yield _text(["move a a 10,000,000,000.00", "in in 2", "out out 3", "move move void 4.4", "in void 1"])
    yield _text(
        ["in a 1,000", "in b 1000", "in c 10,000.0", "in d 999.99", "in e 100,000.1", "in f 1,000,000"]
    )
    yield _text(["in a 0", "out a 0.00", "move a b 0.0", "in c 00000000000000000000.05"])
    yield _text(["move a b 5", "in b 1", "void 1", "void 2"])
    yield _text(["in big 10,000,000,000", "in big 10000000000.00", "in big 9,999,999,999.99"])
    for line_count in (5, 10, 30, 100, 1000):
        yield _random_ledger(rng, line_count, 3)
    yield _random_ledger(rng, 5000, 2000)
    # Sums above 2^53 hundredths, where doubles start to skip values.
    yield _text([f"in vault {_amount(rng, MAX_CENTS - rng.randrange(1000))}" for _ in range(20_000)])
    yield _text(["in a 10000000000", "out b 10,000,000,000", "in c 0.01"] * 3000)
    yield _many_accounts(rng, 50_000)
    yield _text(["#"] * (MAX_LINES - 1) + ["out z 0.07"])
    yield _text([rng.choice(("in a 1", "out a 1", "move a b 2")) for _ in range(MAX_LINES // 4)])


def small(rng: random.Random) -> str:
    """Return a tiny ledger with few accounts, so that balances often cancel."""
    return _random_ledger(rng, rng.randint(1, 8), 2, cents=rng.choice((3, 120, 200_000, MAX_CENTS)))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    count_line, *lines = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", count_line) or int(count_line) > MAX_LINES:
        raise ValueError(f"n must be 1 to {MAX_LINES}, got {count_line!r}")
    if len(lines) != int(count_line):
        raise ValueError(f"n is {count_line}, but {len(lines)} lines follow")
    open_lines: set[int] = set()
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE_LENGTH or not all(" " <= character <= "~" for character in line):
            raise ValueError(f"line {number} is too long or not printable ASCII: {line!r}")
        words = [word for word in line.split("#")[0].split(" ") if word]
        if not words:
            continue
        if words[0] == "void" and len(words) == 2:
            if not re.fullmatch(r"[1-9][0-9]*", words[1]) or int(words[1]) not in open_lines:
                raise ValueError(f"line {number} voids a line that cannot be voided: {line!r}")
            open_lines.remove(int(words[1]))
        elif len(words) == {"in": 3, "out": 3, "move": 4}.get(words[0]):
            for name in words[1:-1]:
                if not _NAME.fullmatch(name):
                    raise ValueError(f"line {number} has a bad name: {name!r}")
            _check_amount(number, words[-1])
            open_lines.add(number)
        else:
            raise ValueError(f"line {number} has no known form: {line!r}")


def _check_amount(number: int, word: str) -> None:
    match = _AMOUNT.fullmatch(word)
    if not match:
        raise ValueError(f"line {number} has a malformed amount: {word!r}")
    cents = int(match[1].replace(",", "")) * 100 + int((match[2] or "0").ljust(2, "0"))
    if cents > MAX_CENTS:
        raise ValueError(f"line {number} has an amount above 10^10: {word!r}")


def _text(lines: list[str]) -> str:
    return "\n".join([str(len(lines)), *lines]) + "\n"


def _name(rng: random.Random, length: int) -> str:
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(length))


def _amount(rng: random.Random, cents: int) -> str:
    whole, rest = divmod(cents, 100)
    text = f"{whole:,}" if rng.randrange(2) else str(whole)
    if rest % 10 == 0 and rng.randrange(3):
        return text if rest == 0 and rng.randrange(2) else f"{text}.{rest // 10}"
    return f"{text}.{rest:02}"


def _random_ledger(rng: random.Random, line_count: int, name_count: int, cents: int = MAX_CENTS) -> str:
    names = [_name(rng, rng.choice((1, 2, 5, 12))) for _ in range(name_count)]
    lines: list[str] = []
    open_lines: list[int] = []
    for number in range(1, line_count + 1):
        kind = rng.choice(("in", "out", "move", "void", "in", "out", "move", "empty"))
        words: list[str] = []
        if kind == "void" and open_lines:
            words = ["void", str(open_lines.pop(rng.randrange(len(open_lines))))]
        elif kind not in ("void", "empty"):
            words = [kind, *(rng.choice(names) for _ in range(2 if kind == "move" else 1))]
            words.append(_amount(rng, rng.randint(0, rng.choice((10, cents)))))
            open_lines.append(number)
        gap = " " * rng.choice((1, 1, 1, 2))
        comment = rng.choice(("", "", "", "#", " # paid", "#in a 1"))
        lines.append(rng.choice(("", "", " ")) + gap.join(words) + comment)
    return _text(lines)


def _many_accounts(rng: random.Random, name_count: int) -> str:
    names = list({_name(rng, 6) for _ in range(name_count)})
    names.sort()
    rng.shuffle(names)
    kept = set(rng.sample(range(len(names)), 1000))
    back = [f"out {name} 2.0" for position, name in enumerate(names) if position not in kept]
    return _text([f"in {name} 2" for name in names] + back)
