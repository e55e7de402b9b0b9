"""Attempts and their score logs in SQLite."""

import contextlib
import sqlite3
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from scorer_service.environments.interface import Direction
from scorer_service.store.acceptance import counted_scorings
from scorer_service.store.database import FILE_NAME, Database
from scorer_service.store.interface import (
    AttemptCounts,
    AttemptNotFound,
    AttemptRecord,
    JobRecord,
    ScorePolicy,
)
from scorer_service.store.job_rows import RECORD_COLUMNS, record_of
from scorer_service.store.limits import Priority


class SqliteAttemptStore:
    """`AttemptStore` on one machine."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        *,
        environment: str,
        policy: ScorePolicy,
        label: str,
        evaluator_key_sha256: str,
        created_by: str | None = None,
        agent_secret_sha256: str | None = None,
        priority: Priority = Priority.NORMAL,
        scoring_budget: int | None = None,
    ) -> AttemptRecord:
        """See `AttemptStore.create`."""
        record = AttemptRecord(
            attempt_id=f"attempt-{uuid.uuid4().hex}",
            environment=environment,
            policy=policy,
            label=label,
            evaluator_key_sha256=evaluator_key_sha256,
            created_at=self._clock(),
            closed_at=None,
            created_by=created_by,
            agent_secret_sha256=agent_secret_sha256,
            priority=priority,
            scoring_budget=scoring_budget,
        )
        return await self._database.run(_create, record)

    async def get(self, attempt_id: str) -> AttemptRecord:
        """See `AttemptStore.get`."""
        return await self._database.run(_get, attempt_id)

    async def close(self, attempt_id: str) -> AttemptRecord:
        """See `AttemptStore.close`."""
        return await self._database.run(_close, attempt_id, self._clock())

    async def counts(self, attempt_id: str) -> AttemptCounts:
        """See `AttemptStore.counts`."""
        return await self._database.run(_counts, attempt_id)

    async def best_score(self, attempt_id: str, direction: Direction) -> tuple[float, float | None] | None:
        """See `AttemptStore.best_score`."""
        return await self._database.run(_best_score, attempt_id, direction)

    async def log(self, attempt_id: str, *, after: int, limit: int) -> Sequence[tuple[int, JobRecord]]:
        """See `AttemptStore.log`."""
        return await self._database.run(_log, attempt_id, after, limit)


def attempt_exists(state_dir: Path, attempt_id: str) -> bool:
    """Whether a state folder has an attempt. Only reads, beside a server that may be running. Blocks.

    Raises sqlite3.Error.
    """
    path = state_dir / FILE_NAME
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("PRAGMA busy_timeout = 5000")
        found = connection.execute("SELECT 1 FROM attempts WHERE attempt_id = ?", (attempt_id,)).fetchone()
    return found is not None


def _attempt_of(row: sqlite3.Row) -> AttemptRecord:
    return AttemptRecord(
        attempt_id=row["attempt_id"],
        environment=row["environment"],
        policy=ScorePolicy(row["policy"]),
        label=row["label"],
        evaluator_key_sha256=row["evaluator_key_sha256"],
        created_at=row["created_at"],
        closed_at=row["closed_at"],
        created_by=row["created_by"],
        agent_secret_sha256=row["agent_secret_sha256"],
        priority=Priority(row["priority"]),
        scoring_budget=row["scoring_budget"],
    )


def _create(connection: sqlite3.Connection, record: AttemptRecord) -> AttemptRecord:
    connection.execute(
        "INSERT INTO attempts (attempt_id, environment, policy, label, evaluator_key_sha256, created_at, "
        "created_by, agent_secret_sha256, priority, scoring_budget) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.attempt_id,
            record.environment,
            record.policy.value,
            record.label,
            record.evaluator_key_sha256,
            record.created_at,
            record.created_by,
            record.agent_secret_sha256,
            record.priority.value,
            record.scoring_budget,
        ),
    )
    return record


def _get(connection: sqlite3.Connection, attempt_id: str) -> AttemptRecord:
    row = connection.execute("SELECT * FROM attempts WHERE attempt_id = ?", (attempt_id,)).fetchone()
    if row is None:
        raise AttemptNotFound(attempt_id)
    return _attempt_of(row)


def _close(connection: sqlite3.Connection, attempt_id: str, now: float) -> AttemptRecord:
    connection.execute(
        "UPDATE attempts SET closed_at = ? WHERE attempt_id = ? AND closed_at IS NULL", (now, attempt_id)
    )
    return _get(connection, attempt_id)


def _counts(connection: sqlite3.Connection, attempt_id: str) -> AttemptCounts:
    judged, pending = connection.execute(
        "SELECT count(log_position), count(*) FILTER (WHERE state IN ('queued', 'running')) "
        "FROM jobs WHERE attempt_id = ?",
        (attempt_id,),
    ).fetchone()
    return AttemptCounts(judged=judged, pending=pending, counted=counted_scorings(connection, attempt_id))


def _best_score(
    connection: sqlite3.Connection, attempt_id: str, direction: Direction
) -> tuple[float, float | None] | None:
    order = "DESC" if direction is Direction.HIGHER else "ASC"
    row = connection.execute(
        "SELECT raw_score, normalized_score FROM jobs "
        "WHERE attempt_id = ? AND state = 'succeeded' AND verdict = 'scored' "
        f"ORDER BY raw_score {order}, sequence LIMIT 1",
        (attempt_id,),
    ).fetchone()
    return None if row is None else (row["raw_score"], row["normalized_score"])


def _log(
    connection: sqlite3.Connection, attempt_id: str, after: int, limit: int
) -> Sequence[tuple[int, JobRecord]]:
    rows = connection.execute(
        f"SELECT log_position, {RECORD_COLUMNS} FROM jobs "
        "WHERE attempt_id = ? AND log_position > ? ORDER BY log_position LIMIT ?",
        (attempt_id, after, limit),
    ).fetchall()
    return [(row["log_position"], record_of(row)) for row in rows]
