"""The durable queue in SQLite."""

import json
import sqlite3
import time
from collections.abc import Callable, Sequence

from scorer_service.store import acceptance
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskFull, DiskRoom
from scorer_service.store.interface import (
    JobRecord,
    JobState,
    JudgedResult,
    Lease,
    NewJob,
    QueueState,
)
from scorer_service.store.job_rows import RECORD_COLUMNS, record_of
from scorer_service.store.limits import QueueLimits


class SqliteJobQueue:
    """`JobQueue` on one machine."""

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.time, room: DiskRoom | None = None
    ) -> None:
        """`room` is that on the disk; without it, nothing is refused for the want of it."""
        self._database = database
        self._clock = clock
        self._room = room

    async def accept(
        self, job: NewJob, limits: QueueLimits, *, position_limit: int | None = None
    ) -> tuple[JobRecord, bool]:
        """See `JobQueue.accept`."""
        await self._require_room(job.request_id)
        return await self._database.run(acceptance.accept, job, limits, position_limit, self._clock())

    async def claim(self, environment: str, owner: str, lease_s: float) -> Lease | None:
        """See `JobQueue.claim`."""
        return await self._database.run(_claim, environment, owner, self._clock(), lease_s)

    async def renew(self, lease: Lease, lease_s: float) -> bool:
        """See `JobQueue.renew`."""
        return await self._update_leased(lease, "lease_expires_at = ?", (self._clock() + lease_s,))

    async def finish(self, lease: Lease, result: JudgedResult) -> bool:
        """See `JobQueue.finish`."""
        return await self._update_leased(
            lease,
            "state = 'succeeded', payload = NULL, finished_at = ?, verdict = ?, raw_score = ?, "
            "normalized_score = ?, summary = ?, response = ?, evaluator_details = ?, profile = ?, "
            "log_position = (SELECT coalesce(max(log_position), 0) + 1 FROM jobs)",
            (
                self._clock(),
                result.verdict.value,
                result.raw_score,
                result.normalized_score,
                result.summary,
                result.response,
                json.dumps(result.evaluator_details, allow_nan=False),
                result.profile,
            ),
        )

    async def fail(self, lease: Lease, failure: str) -> bool:
        """See `JobQueue.fail`."""
        return await self._update_leased(
            lease, "state = 'failed', payload = NULL, finished_at = ?, failure = ?", (self._clock(), failure)
        )

    async def give_back(self, lease: Lease) -> bool:
        """See `JobQueue.give_back`."""
        return await self._update_leased(
            lease,
            # The number stays used up: a result of this delivery can never be taken for the next one's.
            "state = 'queued', lease_owner = NULL, lease_expires_at = NULL, started_at = NULL",
            (),
        )

    async def cancel(self, job_id: str) -> JobRecord | None:
        """See `JobQueue.cancel`."""
        return await self._database.run(_cancel, job_id, self._clock())

    async def worker_died(
        self, lease: Lease, *, death_limit: int, in_company: bool, failure: str
    ) -> JobState | None:
        """See `JobQueue.worker_died`."""
        return await self._database.run(_worker_died, lease, death_limit, in_company, failure, self._clock())

    async def reclaim(self, *, everything: bool, death_limit: int) -> Sequence[str]:
        """See `JobQueue.reclaim`."""
        return await self._database.run(_reclaim, self._clock(), everything, death_limit)

    async def find(self, *, job_id: str | None = None, request_id: str | None = None) -> JobRecord | None:
        """See `JobQueue.find`."""
        return await self._database.run(_find, job_id, request_id)

    async def position(self, job_id: str) -> int:
        """See `JobQueue.position`."""
        return await self._database.run(_position, job_id)

    async def state(self, environment: str) -> QueueState:
        """See `JobQueue.state`."""
        return await self._database.run(_state, environment, self._clock())

    async def purge(self, older_than_s: float) -> int:
        """See `JobQueue.purge`."""
        return await self._database.run(_purge, self._clock() - older_than_s)

    async def _require_room(self, request_id: str | None) -> None:
        """Raises DiskFull, unless the job is here already: it is told of, which takes no room."""
        if self._room is None:
            return
        try:
            self._room.require()
        except DiskFull:
            if request_id is None or await self.find(request_id=request_id) is None:
                raise

    async def _update_leased(self, lease: Lease, assignments: str, values: tuple[object, ...]) -> bool:
        def update(connection: sqlite3.Connection) -> bool:
            cursor = connection.execute(
                f"UPDATE jobs SET {assignments} "
                "WHERE job_id = ? AND state = 'running' AND delivery_count = ?",
                (*values, lease.job_id, lease.number),
            )
            return cursor.rowcount == 1

        return await self._database.run(update)


def _claim(
    connection: sqlite3.Connection, environment: str, owner: str, now: float, lease_s: float
) -> Lease | None:
    row = connection.execute(
        "UPDATE jobs SET state = 'running', lease_owner = ?, lease_expires_at = ?, started_at = ?, "
        "delivery_count = delivery_count + 1 WHERE sequence = (SELECT sequence FROM jobs "
        "WHERE state = 'queued' AND environment = ? ORDER BY turn, sequence LIMIT 1) RETURNING *",
        (owner, now + lease_s, now, environment),
    ).fetchone()
    if row is None:
        return None
    return Lease(
        job_id=row["job_id"],
        environment=row["environment"],
        number=row["delivery_count"],
        payload=row["payload"],
        accepted_at=row["accepted_at"],
        attempt_id=row["attempt_id"],
        is_suspect=bool(row["is_suspect"]),
    )


def _cancel(connection: sqlite3.Connection, job_id: str, now: float) -> JobRecord | None:
    unserved = connection.execute(
        "SELECT sequence, environment, client FROM jobs "
        "WHERE job_id = ? AND state = 'queued' AND delivery_count = 0",
        (job_id,),
    ).fetchone()
    if unserved is not None:
        acceptance.give_up_turn(connection, unserved)
    connection.execute(
        "UPDATE jobs SET state = 'cancelled', payload = NULL, finished_at = ? "
        "WHERE job_id = ? AND state IN ('queued', 'running')",
        (now, job_id),
    )
    return _find(connection, job_id, None)


def _reclaim(connection: sqlite3.Connection, now: float, everything: bool, death_limit: int) -> Sequence[str]:
    lost = "state = 'running'" + ("" if everything else " AND lease_expires_at < :now")
    set_aside = connection.execute(
        "UPDATE jobs SET state = 'failed', set_aside = 1, payload = NULL, finished_at = :now, "
        "server_deaths = server_deaths + 1, "
        "failure = 'set aside: ' || (server_deaths + 1) || ' servers died while they worked on it' "
        f"WHERE {lost} AND server_deaths + 1 >= :limit RETURNING job_id",
        {"now": now, "limit": death_limit},
    ).fetchall()
    # One server may have been killed from outside. Over the second, it is one job after the other.
    requeued = connection.execute(
        "UPDATE jobs SET state = 'queued', lease_owner = NULL, lease_expires_at = NULL, started_at = NULL, "
        "server_deaths = server_deaths + 1, is_suspect = max(is_suspect, server_deaths + 1 >= 2) "
        f"WHERE {lost} RETURNING job_id",
        {"now": now},
    ).fetchall()
    return [row["job_id"] for row in (*set_aside, *requeued)]


def _worker_died(
    connection: sqlite3.Connection,
    lease: Lease,
    death_limit: int,
    in_company: bool,
    failure: str,
    now: float,
) -> JobState | None:
    row = connection.execute(
        "UPDATE jobs SET state = 'queued', lease_owner = NULL, lease_expires_at = NULL, started_at = NULL, "
        "worker_deaths = worker_deaths + 1, is_suspect = max(is_suspect, ?) "
        "WHERE job_id = ? AND state = 'running' AND delivery_count = ? RETURNING worker_deaths",
        (in_company, lease.job_id, lease.number),
    ).fetchone()
    if row is None:
        return None
    if row["worker_deaths"] < death_limit:
        return JobState.QUEUED
    connection.execute(
        "UPDATE jobs SET state = 'failed', set_aside = 1, payload = NULL, finished_at = ?, failure = ? "
        "WHERE job_id = ?",
        (now, failure, lease.job_id),
    )
    return JobState.FAILED


def _find(connection: sqlite3.Connection, job_id: str | None, request_id: str | None) -> JobRecord | None:
    name, value = ("job_id", job_id) if job_id is not None else ("request_id", request_id)
    row = connection.execute(f"SELECT {RECORD_COLUMNS} FROM jobs WHERE {name} = ?", (value,)).fetchone()
    return None if row is None else record_of(row)


def _position(connection: sqlite3.Connection, job_id: str) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM jobs AS other JOIN jobs AS mine ON mine.job_id = ? "
        "WHERE mine.state = 'queued' AND other.state = 'queued' "
        "AND other.environment = mine.environment "
        "AND (other.turn, other.sequence) < (mine.turn, mine.sequence)",
        (job_id,),
    ).fetchone()
    return int(count)


def _state(connection: sqlite3.Connection, environment: str, now: float) -> QueueState:
    depth, oldest = connection.execute(
        "SELECT count(*), min(accepted_at) FROM jobs WHERE state = 'queued' AND environment = ?",
        (environment,),
    ).fetchone()
    return QueueState(depth=depth, oldest_age_s=max(0.0, now - oldest) if oldest is not None else 0.0)


def _purge(connection: sqlite3.Connection, before: float) -> int:
    return connection.execute(
        "DELETE FROM jobs WHERE attempt_id IS NULL AND finished_at < ?", (before,)
    ).rowcount
