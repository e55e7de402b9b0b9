"""One row of a problem set: the schema of CodeContests, checked.

Fields: `problem_id`, `name`, `description`, `public_tests`, `private_tests`, `generated_tests` (each
`{"input": [...], "output": [...]}`), `time_limit` (seconds, or `{"seconds", "nanos"}`, or null),
`memory_limit_bytes` (0 or null: unknown), `input_file`, `output_file`, `several_answers`, `checker`
(`{"kind": ...}`), and freely `cf_rating`, `cf_tags`, `difficulty`, `source` and whatever else there is.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import scorer_launcher

from scorer_service.environments.rust_codecontests import problem

_ID = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,127}")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_SEVERAL_ANSWERS = re.compile(
    r"any of (them|these|the)|(print|output|find|return|report) any\b|(several|multiple|many|more than one)"
    r" (possible |correct |valid |optimal )?(answers|solutions|ways|such|optimal)"
    r"|any (valid|correct|optimal|suitable) ",
    re.IGNORECASE,
)
_TIME_LIMIT_RANGE_S = (0.01, 300.0)
_MEMORY_LIMIT_RANGE_BYTES = (1 << 20, 64 << 30)
_CHECKER_KEYS = {
    "tokens": {"decimals"},
    "exact": set(),
    "floats": {"absolute", "relative"},
    "unordered_lines": {"decimals"},
    "special": {"source"},
}
_FACTS = ("cf_rating", "cf_tags", "difficulty", "source")


class RowRefused(Exception):
    """A row cannot be judged. `reasons` holds one sentence for each fault; `problem_id` where it is known."""

    def __init__(self, reasons: Sequence[str], problem_id: str = "") -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.problem_id = problem_id


def decode(line: bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises RowRefused."""
    try:
        row = json.loads(line.decode(), parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise RowRefused(
            [f"not UTF-8: byte {error.object[error.start]:#04x} at offset {error.start}"]
        ) from error
    except ValueError as error:
        raise RowRefused([f"not JSON: {error}"]) from error
    except RecursionError as error:
        raise RowRefused(["not JSON of a problem: nested too deeply"]) from error
    if not isinstance(row, dict):
        raise RowRefused([f"a problem is a JSON object, not {type(row).__name__}"])
    return row


def parse(row: dict[str, Any]) -> tuple[problem.Problem, problem.ProblemContent]:
    """A problem from its row. Raises RowRefused with everything that is wrong with it."""
    reader = _Reader(row)
    problem_id = reader.problem_id()
    name = reader.text("name", problem_id)
    statement = reader.text("description", "")
    public = reader.tests("public_tests")
    hidden = [*reader.tests("private_tests"), *reader.tests("generated_tests")]
    if not hidden:
        reader.refuse(
            "has no hidden tests (private_tests and generated_tests are empty), so passing it means nothing"
        )
    reader.contradictions([*public, *hidden])
    time_limit_s = reader.time_limit_s()
    memory_limit_bytes = reader.memory_limit_bytes()
    input_file, output_file = reader.file_name("input_file"), reader.file_name("output_file")
    expected = [test.expected for test in (*public, *hidden)]
    checker, validator_source = reader.checker(expected)
    if reader.reasons:
        raise RowRefused(reader.reasons, problem_id)
    return (
        problem.Problem(
            problem_id=problem_id,
            name=name,
            time_limit_s=time_limit_s,
            memory_limit_bytes=memory_limit_bytes,
            checker=checker,
            public_count=len(public),
            hidden_count=len(hidden),
            largest_expected_bytes=max(map(len, expected), default=0),
            input_file=input_file,
            output_file=output_file,
        ),
        problem.ProblemContent(
            statement=statement,
            public_tests=public,
            hidden_tests=hidden,
            validator_source=validator_source,
            facts={key: row[key] for key in _FACTS if row.get(key) is not None},
        ),
    )


def warnings(row: dict[str, Any]) -> list[str]:
    """What a person should look at in a row that `parse` takes."""
    found = []
    statement = row.get("description") or ""
    hint = _SEVERAL_ANSWERS.search(statement)
    if not row.get("checker") and row.get("several_answers") is not False and hint:
        found.append(
            f"the statement says {hint.group().strip()!r}, but no checker is named: right answers other than"
            " the stored one are judged wrong. Name a checker, or set several_answers to false"
        )
    if not statement.strip():
        found.append("has no statement (description)")
    if not row["public_tests"]["input"]:
        found.append("has no public tests: a failure can never be shown")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return row


class _Reader:
    """Reads the fields of a row and gathers what is wrong with them."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row
        self.reasons: list[str] = []

    def refuse(self, reason: str) -> None:
        self.reasons.append(reason)

    def problem_id(self) -> str:
        value = self._row.get("problem_id")
        if isinstance(value, str) and _ID.fullmatch(value):
            return value
        self.refuse(
            f"problem_id is {_shown(value)}; it must be 1 to 128 characters of a-z, 0-9, '_', '.' and '-',"
            " the first a letter, digit or '_'"
        )
        return value if isinstance(value, str) else ""

    def text(self, key: str, default: str) -> str:
        value = self._row.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or self._encode(value) is None:
            self.refuse(f"{key} must be text, not {_shown(value)}")
            return default
        return value

    def tests(self, key: str) -> list[problem.Test]:
        value = self._row.get(key)
        if value is None:
            value = self._row[key] = {"input": [], "output": []}
        if not isinstance(value, dict) or not all(
            isinstance(value.get(k), list) for k in ("input", "output")
        ):
            self.refuse(f'{key} must be {{"input": [...], "output": [...]}}, not {_shown(value)}')
            self._row[key] = {"input": [], "output": []}
            return []
        inputs, outputs = value["input"], value["output"]
        if len(inputs) != len(outputs):
            self.refuse(f"{key} has {len(inputs)} inputs and {len(outputs)} outputs")
            return []
        tests = []
        for number, pair in enumerate(zip(inputs, outputs, strict=True), 1):
            encoded = [self._encode(side) for side in pair]
            if None in encoded:
                side = "input" if encoded[0] is None else "output"
                self.refuse(f"{key}: {side} {number} must be text, not {_shown(pair[side == 'output'])}")
            else:
                tests.append(problem.Test(stdin=encoded[0] or b"", expected=encoded[1] or b""))
        return tests

    def contradictions(self, tests: Sequence[problem.Test]) -> None:
        checker = self._row.get("checker")
        several = self._row.get("several_answers")
        if several is not None and not isinstance(several, bool):
            self.refuse(f"several_answers must be true, false or null, not {_shown(several)}")
        if isinstance(checker, dict) and checker.get("kind") in ("special", "unordered_lines", "floats"):
            return
        if several is True:
            self.refuse("is marked as having several answers (several_answers) and names no checker for them")
        seen: dict[bytes, tuple[int, bytes]] = {}
        for number, test in enumerate(tests, 1):
            first, expected = seen.setdefault(test.stdin, (number, test.expected))
            if expected.split() != test.expected.split():
                self.refuse(
                    f"tests {first} and {number} have the same input and different outputs: it has several"
                    " answers and names no checker for them"
                )
                return

    def time_limit_s(self) -> float:
        value = self._row.get("time_limit")
        if value is None:
            return problem.DEFAULT_TIME_LIMIT_S
        seconds: Any = value
        if isinstance(value, dict):
            parts = [value.get("seconds") or 0, value.get("nanos") or 0]
            whole = all(isinstance(part, int) and not isinstance(part, bool) for part in parts)
            known = set(value) <= {"seconds", "nanos"}
            # An integer of JSON may be too large for a float.
            small = whole and known and all(abs(part) < 1 << 53 for part in parts)
            seconds = parts[0] + parts[1] / 1e9 if small else None
        low, high = _TIME_LIMIT_RANGE_S
        numeric = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not numeric or not low <= seconds <= high:
            self.refuse(f"time_limit is {_shown(value)}; it must be null or {low} to {high:g} seconds")
            return problem.DEFAULT_TIME_LIMIT_S
        return float(seconds)

    def memory_limit_bytes(self) -> int:
        value = self._row.get("memory_limit_bytes")
        if value is None or (value == 0 and not isinstance(value, bool)):
            return problem.DEFAULT_MEMORY_LIMIT_BYTES
        low, high = _MEMORY_LIMIT_RANGE_BYTES
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.refuse(f"memory_limit_bytes is {_shown(value)}; it must be null, 0 or {low} to {high}")
            return problem.DEFAULT_MEMORY_LIMIT_BYTES
        return value

    def file_name(self, key: str) -> str:
        value = self._row.get(key)
        if value in (None, ""):
            return ""
        if not isinstance(value, str) or not _FILE_NAME.fullmatch(value):
            self.refuse(f"{key} is {_shown(value)}, which is not a plain file name")
            return ""
        return value

    def checker(self, expected: Sequence[bytes]) -> tuple[problem.CheckerSpec, str]:
        value = self._row.get("checker")
        fallback = problem.CheckerSpec("tokens")
        if value is None:
            value = {"kind": "tokens"}
        if not isinstance(value, dict) or value.get("kind") not in problem.CHECKER_KINDS:
            known = ", ".join(problem.CHECKER_KINDS)
            self.refuse(f"checker is {_shown(value)}; it must be an object whose kind is one of {known}")
            return fallback, ""
        kind: str = value["kind"]
        unknown = set(value) - _CHECKER_KEYS[kind] - {"kind"}
        if unknown:
            self.refuse(f"checker of kind {kind} has the unknown key {sorted(unknown)[0]!r}")
        if kind == "special":
            source = value.get("source")
            if not isinstance(source, str) or not source.strip() or self._encode(source) is None:
                self.refuse("checker of kind special needs the Rust source of its output validator in source")
                return fallback, ""
            return problem.CheckerSpec(kind), source
        if kind == "floats":
            absolute, relative = self._tolerance(value, "absolute"), self._tolerance(value, "relative")
            return problem.CheckerSpec(kind, absolute=absolute, relative=relative), ""
        if kind == "exact":
            return problem.CheckerSpec(kind), ""
        decimals = value.get("decimals")
        if decimals is not None and not isinstance(decimals, bool):
            self.refuse(f"checker.decimals must be true, false or null, not {_shown(decimals)}")
        if not isinstance(decimals, bool):
            decimals = any(map(scorer_launcher.has_decimals, expected))
        return problem.CheckerSpec(kind, decimals=decimals), ""

    def _tolerance(self, checker: dict[str, Any], key: str) -> float:
        value = checker.get(key, 0.0)
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        if not numeric or not 0 <= value < 1:
            self.refuse(f"checker.{key} is {_shown(value)}; it must be at least 0 and below 1")
            return 0.0
        return float(value)

    @staticmethod
    def _encode(value: Any) -> bytes | None:
        if not isinstance(value, str):
            return None
        try:
            return value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            return None


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=True, default=repr)
    except RecursionError:  # it nests as deep as could just be read
        return f"{type(value).__name__} that nests too deeply to be shown"
    return text if len(text) <= 80 else f"{text[:77]}..."
