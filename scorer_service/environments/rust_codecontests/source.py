"""The source folder of an embedded problem."""

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROBLEMS_DIR = Path(__file__).parent / "problems"
"""One folder a problem: statement, generator, reference, brute force and wrong programs."""

_ROW_FILES = ("problem.toml", "statement.md", "generate.py", "reference.rs", "checker.rs")


@dataclass(frozen=True)
class ProblemSource:
    """An embedded problem as it is written by hand."""

    folder: Path

    @property
    def problem_id(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def reference(self) -> str:
        """The right program."""
        return (self.folder / "reference.rs").read_text()

    def digest(self) -> str:
        """SHA-256 of everything that its row is made from."""
        digest = hashlib.sha256()
        for name in _ROW_FILES:
            path = self.folder / name
            content = path.read_bytes() if path.is_file() else b""
            digest.update(f"{name} {len(content)}\n".encode())
            digest.update(content)
        return digest.hexdigest()

    def row(self) -> dict[str, Any]:
        """Its row without tests, in the schema of CodeContests. Raises ValueError."""
        facts = tomllib.loads((self.folder / "problem.toml").read_text())
        checker = facts.get("checker", {"kind": "tokens"})
        if checker.get("kind") == "special":
            checker = {**checker, "source": (self.folder / "checker.rs").read_text()}
        nanoseconds = round(facts["time_limit_s"] * 1e9)
        return {
            "problem_id": self.problem_id,
            "name": facts["name"],
            "description": (self.folder / "statement.md").read_text(),
            "source": "EMBEDDED",
            "difficulty": facts["difficulty"].upper(),
            "cf_rating": facts["rating"],
            "cf_tags": facts["tags"],
            "time_limit": {"seconds": nanoseconds // 10**9, "nanos": nanoseconds % 10**9},
            "memory_limit_bytes": facts["memory_limit_mib"] << 20,
            "input_file": "",
            "output_file": "",
            "checker": checker,
        }


def all_sources(folder: Path = PROBLEMS_DIR) -> Iterator[ProblemSource]:
    """Every problem, in the order of the ids."""
    for path in sorted(folder.iterdir()):
        if (path / "problem.toml").is_file():
            yield ProblemSource(path)
