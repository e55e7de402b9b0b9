"""What a stage of an environment is given, for tests without a scheduler."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Context:
    """Remembers what was reported."""

    job_id: str = "job"
    exit_stack: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)
    files: dict[str, Path] = field(default_factory=dict)
    """Artifacts, by digest."""
    reports: list[tuple[int, int, str]] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at the first report."""

    def report(self, done: int, total: int, unit: str) -> None:
        """Keeps it."""
        self.reports.append((done, total, unit))
        self.began.set()

    def artifact(self, sha256: str) -> Path:
        """One of the files."""
        return self.files[sha256]
