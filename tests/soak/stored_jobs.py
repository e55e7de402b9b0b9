"""What the server's own file says of jobs, read beside it."""

import contextlib
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer_service.store.database import FILE_NAME

FINAL_STATES = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True)
class StoredJob:
    """A job as it is stored. Times are seconds since the epoch."""

    job_id: str
    environment: str
    request_id: str | None
    attempt_id: str | None
    state: str
    delivery_count: int
    accepted_at: float
    finished_at: float | None
    failure: str
    verdict: str | None
    raw_score: float | None
    normalized_score: float | None
    summary: str | None
    response: bytes | None
    log_position: int | None

    @property
    def is_final(self) -> bool:
        """Whether it has ended."""
        return self.state in FINAL_STATES


_COLUMNS = ", ".join(StoredJob.__dataclass_fields__)


def _query(state_dir: Path, condition: str) -> list[StoredJob]:
    # Opened anew each time: the server that writes is killed now and then.
    with contextlib.closing(sqlite3.connect(f"file:{state_dir / FILE_NAME}?mode=ro", uri=True)) as connection:
        connection.execute("PRAGMA busy_timeout = 5000")
        return [
            StoredJob(*row) for row in connection.execute(f"SELECT {_COLUMNS} FROM jobs WHERE {condition}")
        ]


def all_jobs(state_dir: Path) -> Mapping[str, StoredJob]:
    """Every job, by its id."""
    return {job.job_id: job for job in _query(state_dir, "true")}


def running(state_dir: Path) -> list[StoredJob]:
    """Those that are being worked on, as far as is stored."""
    return _query(state_dir, "state = 'running'")


def ended(state_dir: Path) -> list[StoredJob]:
    """Those that have ended."""
    return _query(state_dir, "state NOT IN ('queued', 'running')")


def complaints(state_dir: Path) -> str:
    """What SQLite says is wrong with the file; empty for nothing."""
    with contextlib.closing(sqlite3.connect(f"file:{state_dir / FILE_NAME}?mode=ro", uri=True)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    return "" if found == ["ok"] else "; ".join(found[:3])
