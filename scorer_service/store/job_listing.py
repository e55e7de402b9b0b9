"""Lists of jobs, for who has lost the id of one."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from scorer_service.store.database import Database
from scorer_service.store.interface import JobRecord, JobState
from scorer_service.store.job_rows import RECORD_COLUMNS, record_of


@dataclass(frozen=True)
class JobFilter:
    """Which jobs are listed: those that fit everything that is set."""

    environment: str = ""
    states: Sequence[JobState] = ()
    attempt_id: str = ""
    submitted_by: str = ""
    """Id of the token that they came with."""
    set_aside: bool = False
    """Only those that were set aside."""
    evaluator_token_id: str | None = None
    """Only those that came with this token, or are of attempts that it created or whose key it has; None:
    everybody's."""
    evaluator_key_sha256: str = ""


class JobListing:
    """Pages of jobs, the last accepted first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self, wanted: JobFilter, *, before: int | None, limit: int
    ) -> Sequence[tuple[int, JobRecord]]:
        """Up to `limit` jobs that were accepted before the one of that number, each with its own number."""
        return await self._database.run(_page, wanted, before, limit)

    async def running(self, environment: str) -> int:
        """How many jobs of an environment are worked on."""
        return await self._database.run(_running, environment)


def _page(
    connection: sqlite3.Connection, wanted: JobFilter, before: int | None, limit: int
) -> Sequence[tuple[int, JobRecord]]:
    conditions: list[str] = []
    values: list[object] = []

    def require(condition: str, *needed: object) -> None:
        conditions.append(condition)
        values.extend(needed)

    if before is not None:
        require("sequence < ?", before)
    if wanted.environment:
        require("environment = ?", wanted.environment)
    if wanted.states:
        marks = ", ".join("?" for _ in wanted.states)
        require(f"state IN ({marks})", *(state.value for state in wanted.states))
    if wanted.attempt_id:
        require("attempt_id = ?", wanted.attempt_id)
    if wanted.submitted_by:
        require("submitted_by = ?", wanted.submitted_by)
    if wanted.set_aside:
        require("set_aside = 1")
    if wanted.evaluator_token_id is not None:
        require(
            "((attempt_id IS NULL AND submitted_by = ?) OR attempt_id IN "
            "(SELECT attempt_id FROM attempts WHERE created_by = ? OR evaluator_key_sha256 = ?))",
            wanted.evaluator_token_id,
            wanted.evaluator_token_id,
            wanted.evaluator_key_sha256,
        )
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    rows = connection.execute(
        f"SELECT sequence, {RECORD_COLUMNS} FROM jobs {where}ORDER BY sequence DESC LIMIT ?",
        (*values, limit),
    ).fetchall()
    return [(row["sequence"], record_of(row)) for row in rows]


def _running(connection: sqlite3.Connection, environment: str) -> int:
    (count,) = connection.execute(
        # By the index of those that run, of which there are few: the other one has all that ever were.
        "SELECT count(*) FROM jobs WHERE state = 'running' AND +environment = ?",
        (environment,),
    ).fetchone()
    return int(count)
