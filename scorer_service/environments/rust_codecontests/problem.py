"""A problem: what the index keeps of it, and its tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import scorer_launcher

DEFAULT_TIME_LIMIT_S = 2.0
"""Where a problem does not say; that of the published benchmark."""
DEFAULT_MEMORY_LIMIT_BYTES = 256 << 20
"""Where a problem does not say; the usual limit of the contests the problems come from."""

CHECKER_KINDS = ("tokens", "exact", "floats", "unordered_lines", "special")


@dataclass(frozen=True)
class CheckerSpec:
    """How outputs of a problem are compared with the expected ones; `checker` of a row."""

    kind: str
    """One of CHECKER_KINDS."""
    decimals: bool = False
    """Of tokens and unordered_lines: numbers may differ by 1e-5, absolute or relative."""
    absolute: float = 0.0
    """Of floats: the absolute tolerance."""
    relative: float = 0.0
    """Of floats: the relative tolerance."""

    def to_launcher(self) -> scorer_launcher.Checker:
        """The launcher's checker. A special one has no such thing: it needs a sandbox."""
        if self.kind == "tokens":
            return scorer_launcher.Checker.tokens(decimals=self.decimals)
        if self.kind == "exact":
            return scorer_launcher.Checker.exact()
        if self.kind == "floats":
            return scorer_launcher.Checker.floats(absolute=self.absolute, relative=self.relative)
        if self.kind == "unordered_lines":
            return scorer_launcher.Checker.unordered_lines(decimals=self.decimals)
        raise ValueError(f"a {self.kind} checker is made by the sandbox backend")


@dataclass(frozen=True)
class Problem:
    """What is kept in memory of a problem; everything else is read when it is needed."""

    problem_id: str
    """Characters a-z, 0-9, `_`, `.` and `-`: it names files."""
    name: str
    time_limit_s: float
    memory_limit_bytes: int
    checker: CheckerSpec
    public_count: int
    hidden_count: int
    largest_expected_bytes: int
    input_file: str
    """A file that the program reads in place of standard input; empty for none."""
    output_file: str
    """A file that the program writes in place of standard output; empty for none."""

    @property
    def test_count(self) -> int:
        """Public and hidden tests."""
        return self.public_count + self.hidden_count

    @property
    def wall_limit_s(self) -> float:
        """Twice the CPU limit and a second: one that sleeps does not hold a core for long."""
        return 2 * self.time_limit_s + 1.0

    @property
    def patient_wall_limit_s(self) -> float:
        """For a second try of a program that computed when its wall limit came, see `running`."""
        return 20 * self.time_limit_s + 10.0

    @property
    def output_limit_bytes(self) -> int:
        """The largest expected output, and as much again for other formats: 1 MiB at least, 8 MiB at most."""
        return self.largest_expected_bytes + min(max(self.largest_expected_bytes, 1 << 20), 8 << 20)

    def limits(
        self, process_limit: int, scratch_limit_bytes: int, *, patient: bool = False
    ) -> scorer_launcher.Limits:
        """The limits of one test."""
        return scorer_launcher.Limits(
            cpu_limit_s=self.time_limit_s,
            wall_limit_s=self.patient_wall_limit_s if patient else self.wall_limit_s,
            memory_limit_bytes=self.memory_limit_bytes,
            output_limit_bytes=self.output_limit_bytes,
            process_limit=process_limit,
            file_size_limit_bytes=scratch_limit_bytes,
            scratch_limit_bytes=scratch_limit_bytes,
        )


@dataclass(frozen=True)
class Test:
    """One test."""

    __test__ = False  # not a test case of pytest

    stdin: bytes
    expected: bytes


@dataclass(frozen=True)
class ProblemContent:
    """What a row holds beside what the index keeps."""

    statement: str
    public_tests: Sequence[Test]
    """Those of the statement."""
    hidden_tests: Sequence[Test]
    """Private ones first, then generated ones."""
    validator_source: str
    """Rust source of the output validator of a special checker; else empty."""
    facts: Mapping[str, Any]
    """Rating, difficulty, tags and source, as far as the row has them."""
