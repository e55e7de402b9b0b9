"""Inputs of "Duration Calculator": shown, hidden and small random ones, and their validator."""

import random
import re
from collections.abc import Iterator

MAX_EXPRESSIONS = 1000
MAX_CHARACTERS = 800_000
MAX_OPEN = 200
MAX_VALUE = 10**15
MAX_DIGITS = 15

_UNIT_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
_TOKEN = re.compile(r"(?:[0-9]+[dhms])+|[0-9]+|[-+*/()]")
_PART = re.compile(r"([0-9]+)([dhms])")

# Seconds or a plain value, and whether it is a duration; None once the expression has failed.
_Value = tuple[int, bool] | None


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = ["2h30m + 3*(45s - 10s)", "1d / 90m", "7/2", "10 - 3 * 2", "1h - 2h", "5m - 300s"]
    second = ["1s + 1/0", "(1s + 1) / 0", "2 * 3h / 7", "4h * 2h", "1m / (2s - 2s)"]
    return [_text(first), _text(second)]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text(["0"])
    yield _text(["0d0h0m0s", "0d", "-0s", "-0", "000", "00s"])
    yield _text(["---5", "--5s", "- - 5", "4--5", "4 - -5", "4*-5", "-4/-3", "-(1h1s)"])
    yield _text(
        ["59s", "60s", "3600s", "86400s", "86399s", "86401s", "1d1s", "25h61m", "-86399s", "100m100s"]
    )
    yield _text(["100/10/5", "2*3/4*5", "100/7*7", "1-2+3", "1-(2+3)", "8-4/2", "2+3*4s/1s", "100s/3s/2"])
    yield _text(["-7/2", "7/-2", "-7s/2", "7s/-2s", "-1/2", "-1s/2", "0/5", "0s/5s", "0s/5"])
    yield _text(["5/5s", "5+5s", "5s-5", "5s*5s", "5/0s", "5s/0", "5s/0s", "5/0", "0/0", "0s*0s"])
    yield _text(["1/0+(1+1s)", "(1+1s)+1/0", "1/0/0s", "1s*(1/0)*1s", "1s*1s*(1/0)", "(1/0)", "-(1+1s)"])
    yield _text(
        ["999999999999999 + 1", "-999999999999999s - 1s", "999999999999999s", "000000000000001", "3000000000"]
    )
    yield _text(["11574074074d1h46m40s", "277777777777h46m40s", "40000000*25000000s", "2147483648s - 1s"])
    yield _text([" 1 ", "  ( 2 )  ", "1   +1", "(((((3h)))))", "((1)+((2)))*((3))"])
    for count, size in ((10, 3), (50, 6), (200, 12), (1000, 30)):
        yield _text([_expression(rng, size, 30) for _ in range(count)])
    yield _text([_expression(rng, 300, 3) for _ in range(40)])
    yield _text(["(" * MAX_OPEN + "1d" + ")" * MAX_OPEN, "-(" * MAX_OPEN + "7" + "+1)" * MAX_OPEN])
    yield _text(["-" * 50_000 + "1m", "-" * 50_001 + "1m"])
    yield _text(["+".join(["1"] * 50_000), "-".join(["1s"] * 50_000), "*".join(["-1"] * 50_000)])
    yield _text(["7/0" + "+(1)" * 30_000, "1" + "-(1s)" * 30_000])
    yield _text(["0" + "+(1)" * 199_990])
    yield _text(["(" * 150 + "1" + "+(2-3*(1))" * 30_000 + "+1)" * 150])
    yield _text([_expression(rng, 20_000, 3, spread=True)])


def small(rng: random.Random) -> str:
    """Return one to three short expressions, often failing ones."""
    return _text(
        [_expression(rng, rng.randint(1, 6), rng.choice((1, 4, 100))) for _ in range(rng.randint(1, 3))]
    )


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    count_line, *lines = text[:-1].split("\n")
    if not re.fullmatch(r"[1-9][0-9]*", count_line) or int(count_line) > MAX_EXPRESSIONS:
        raise ValueError(f"q must be 1 to {MAX_EXPRESSIONS}, got {count_line!r}")
    if len(lines) != int(count_line):
        raise ValueError(f"q is {count_line}, but {len(lines)} lines follow")
    if sum(map(len, lines)) > MAX_CHARACTERS:
        raise ValueError(f"the expressions have more than {MAX_CHARACTERS} characters")
    for line in lines:
        _Parser(line).run()


class _Parser:
    """Operator-precedence parser with explicit stacks, which checks syntax and the size of values."""

    def __init__(self, line: str) -> None:
        if re.search(r"[0-9dhms] +[0-9dhms]", line) or not re.fullmatch(r"[-+*/() 0-9dhms]*", line):
            raise ValueError(f"not an expression: {line[:60]!r}")
        self.tokens = _TOKEN.findall(line)
        if sum(map(len, self.tokens)) != len(line) - line.count(" "):
            raise ValueError(f"a token is malformed in {line[:60]!r}")
        self.values: list[_Value] = []
        self.operators: list[str] = []
        self.failed = False

    def run(self) -> None:
        operand_next = True
        open_count = 0
        for token in self.tokens:
            if token != "-" and operand_next == (token in ("+", "*", "/", ")")):
                raise ValueError(f"misplaced {token!r} in an expression")
            if token == "(":
                open_count += 1
                if not operand_next or open_count > MAX_OPEN:
                    raise ValueError(f"a parenthesis is misplaced or opens number {open_count}")
                self.operators.append(token)
            elif token == ")":
                open_count -= 1
                if open_count < 0:
                    raise ValueError("a parenthesis is closed that was not opened")
                self._reduce(1)
                self.operators.pop()
            elif token == "-" and operand_next:
                self.operators.append("negate")
            elif token in ("+", "-", "*", "/"):
                self._reduce(1 if token in "+-" else 2)
                self.operators.append(token)
                operand_next = True
            else:
                self.values.append(self._literal(token))
                operand_next = False
        if operand_next or open_count:
            raise ValueError("an expression ends too early")
        self._reduce(1)

    def _reduce(self, level: int) -> None:
        levels = {"(": 0, "+": 1, "-": 1, "*": 2, "/": 2, "negate": 3}
        while self.operators and levels[self.operators[-1]] >= level:
            operator = self.operators.pop()
            right = self.values.pop()
            if operator == "negate":
                self.values.append((-right[0], right[1]) if right else None)
            else:
                self.values.append(self._apply(operator, self.values.pop(), right))

    def _apply(self, operator: str, left: _Value, right: _Value) -> _Value:
        if self.failed or left is None or right is None:
            return None
        (a, a_timed), (b, b_timed) = left, right
        fits = {"*": not (a_timed and b_timed), "/": a_timed or not b_timed}.get(operator, a_timed == b_timed)
        if not fits or (operator == "/" and b == 0):
            self.failed = True
            return None
        if operator == "/":
            quotient = abs(a) // abs(b)
            return self._checked(quotient if (a < 0) == (b < 0) else -quotient), a_timed and not b_timed
        value = {"+": a + b, "-": a - b, "*": a * b}[operator]
        return self._checked(value), a_timed or b_timed

    def _literal(self, token: str) -> _Value:
        if max(map(len, re.findall("[0-9]+", token))) > MAX_DIGITS:
            raise ValueError(f"a run of digits is too long: {token!r}")
        if token.isdigit():
            return self._checked(int(token)), False
        units = re.sub("[0-9]", "", token)
        if not re.fullmatch("d?h?m?s?", units):
            raise ValueError(f"the units of a duration are out of order: {token!r}")
        seconds = 0
        for digits, unit in _PART.findall(token):
            seconds += self._checked(int(digits) * _UNIT_SECONDS[unit])
        return self._checked(seconds), True

    def _checked(self, value: int) -> int:
        if abs(value) > MAX_VALUE and not self.failed:
            raise ValueError(f"a value is beyond 10^15: {value}")
        return value


def _text(lines: list[str]) -> str:
    return "\n".join([str(len(lines)), *lines]) + "\n"


def _duration(rng: random.Random, top: int) -> str:
    units = [unit for unit in "dhms" if rng.randrange(2)] or ["s"]
    return "".join(f"{rng.randint(0, top)}{unit}" for unit in units)


def _expression(rng: random.Random, size: int, top: int, spread: bool = False) -> str:
    """Return a random expression with about `size` literals; `spread` separates its parts by blanks."""
    while True:
        timed = bool(rng.randrange(2))
        line = (" " if spread else "").join(_pieces(rng, size, top, timed, 0))
        try:
            _Parser(line).run()
        except ValueError:
            continue
        return line


def _pieces(rng: random.Random, size: int, top: int, timed: bool, depth: int) -> list[str]:
    if rng.randrange(25) == 0 and size < 5:
        timed = not timed
    if size <= 1:
        literal = _duration(rng, top) if timed else str(rng.randint(0, top))
        return ["-", literal] if rng.randrange(8) == 0 else [literal]
    if size > 50:
        # A long sum of short terms keeps the values small.
        pieces = _pieces(rng, 3, top, timed, depth + 1)
        for _ in range(size // 4):
            pieces += [rng.choice("+-"), "(", *_pieces(rng, 3, top, timed, depth + 1), ")"]
        return pieces
    left_size = rng.randint(1, size - 1)
    operator = rng.choice("++--*/")
    left_timed = right_timed = timed
    if operator == "*" and timed:
        left_timed = bool(rng.randrange(2))
        right_timed = not left_timed
    elif operator == "/" and timed:
        right_timed = False
    elif operator == "/" and rng.randrange(2):
        left_timed = right_timed = True
    left = _pieces(rng, left_size, top, left_timed, depth + 1)
    right = _pieces(rng, size - left_size, top, right_timed, depth + 1)
    gap = [" "] * rng.choice((0, 0, 1))
    pieces = [*left, *gap, operator, *gap, *right]
    return ["(", *pieces, ")"] if depth < MAX_OPEN and rng.randrange(2) else pieces
