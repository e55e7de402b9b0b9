"""What is wrong with a problem set, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Complaint:
    """One thing that is wrong with, or worth a look at in, a row."""

    line: int
    """Counted from 1; 0 for the file as a whole."""
    problem_id: str
    """Empty where it is not known."""
    reason: str

    def __str__(self) -> str:
        name = f" ({self.problem_id})" if self.problem_id else ""
        return f"line {self.line}{name}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True)
class Report:
    """The outcome of checking a problem set."""

    path: str
    problem_count: int
    """Rows that can be judged."""
    test_count: int
    """Public and hidden tests of those."""
    complaints: Sequence[Complaint]
    """Each is the reason why a row is refused."""
    warnings: Sequence[Complaint]
    """Rows that are taken, but that a person should look at."""

    @property
    def ok(self) -> bool:
        """Whether the whole set can be served."""
        return not self.complaints

    def to_json(self) -> dict[str, Any]:
        """The same as JSON types."""
        return {
            "path": self.path,
            "ok": self.ok,
            "problem_count": self.problem_count,
            "test_count": self.test_count,
            "complaints": [vars(complaint) for complaint in self.complaints],
            "warnings": [vars(complaint) for complaint in self.warnings],
        }

    def __str__(self) -> str:
        lines = [f"refused: {complaint}" for complaint in self.complaints]
        lines += [f"warning: {complaint}" for complaint in self.warnings]
        refused = len({complaint.line for complaint in self.complaints if complaint.line})
        lines.append(
            f"{self.path}: {self.problem_count} problems with {self.test_count} tests can be judged,"
            f" {refused} rows are refused"
        )
        return "\n".join(lines)
