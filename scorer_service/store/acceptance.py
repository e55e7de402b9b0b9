"""How a submission becomes a job: by what it is refused, and its turn among the others.

Clients take turns by self-clocked fair queueing (Golestani, INFOCOM 1994, https://doi.org/10.1109/INFCOM.1994.337677),
with each job counted as the same amount of work. A job's turn is fixed when it is accepted: `step` after the
later of its client's last turn and the turn that was served last. Jobs are claimed by turn. So a client whose
jobs wait alone has the place right after those that are served, one with a thousand has every second
place beside it, and to find the next job is one step in an index.
"""

import sqlite3
import uuid

from scorer_service.store.interface import (
    AttemptClosed,
    AttemptMismatch,
    AttemptNotFound,
    JobRecord,
    NewJob,
    RequestIdReused,
)
from scorer_service.store.job_rows import RECORD_COLUMNS, record_of
from scorer_service.store.limits import (
    RATE_WINDOW_S,
    SERVER,
    BudgetExhausted,
    ClientQueueFull,
    PositionTooFar,
    Priority,
    QueueFull,
    QueueLimits,
    RateLimited,
)


def accept(
    connection: sqlite3.Connection, job: NewJob, limits: QueueLimits, position_limit: int | None, now: float
) -> tuple[JobRecord, bool]:
    """See `JobQueue.accept`."""
    known = _known(connection, job)
    if known is not None:
        return known, False
    priority = job.priority
    if job.attempt_id is not None:
        priority = _check_attempt(connection, job)
    if job.client != SERVER:
        if limits.scorings_per_hour:
            _check_rate(connection, job.client, limits.scorings_per_hour, now)
        _check_room(connection, job, limits)
    turn = _next_turn(connection, job, priority)
    if position_limit is not None:
        position = _count(
            connection, "state = 'queued' AND environment = ? AND turn <= ?", (job.environment, turn)
        )
        if position > position_limit:
            raise PositionTooFar(position)
    row = connection.execute(
        "INSERT INTO jobs (job_id, request_id, attempt_id, environment, payload, payload_sha256, state, "
        "accepted_at, submitted_by, client, turn) VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?) "
        f"RETURNING {RECORD_COLUMNS}",
        (
            f"job-{uuid.uuid4().hex}",
            job.request_id,
            job.attempt_id,
            job.environment,
            job.payload,
            job.payload_sha256,
            now,
            job.submitted_by,
            job.client,
            turn,
        ),
    ).fetchone()
    return record_of(row), True


def give_up_turn(connection: sqlite3.Connection, job: sqlite3.Row) -> None:
    """A job leaves the queue unserved: those of its client behind it move up by one turn."""
    connection.execute(
        "UPDATE jobs SET turn = moved.turn FROM (SELECT sequence, lag(turn) OVER (ORDER BY sequence) AS turn "
        "FROM jobs WHERE state = 'queued' AND environment = ? AND client = ? AND sequence >= ?) AS moved "
        "WHERE jobs.sequence = moved.sequence AND moved.turn IS NOT NULL",
        (job["environment"], job["client"], job["sequence"]),
    )
    connection.execute("UPDATE jobs SET turn = 0 WHERE sequence = ?", (job["sequence"],))


def counted_scorings(connection: sqlite3.Connection, attempt_id: str) -> int:
    """How much of an attempt's budget is used.

    What was begun counts, also where it was cancelled: its caller may have seen how far it came.
    """
    return _count(
        connection,
        "attempt_id = ? AND state <> 'failed' AND (state <> 'cancelled' OR delivery_count > 0)",
        (attempt_id,),
    )


def _known(connection: sqlite3.Connection, job: NewJob) -> JobRecord | None:
    """The job that has the request id already."""
    if job.request_id is None:
        return None
    known = connection.execute(
        f"SELECT payload_sha256, {RECORD_COLUMNS} FROM jobs WHERE request_id = ?", (job.request_id,)
    ).fetchone()
    if known is None:
        return None
    # The payload's digest has the attempt in it; without one, the job is its submitter's.
    is_same = (
        known["payload_sha256"] == job.payload_sha256
        and known["environment"] == job.environment
        and (job.attempt_id is not None or known["submitted_by"] == job.submitted_by)
    )
    if not is_same:
        raise RequestIdReused(job.request_id)
    return record_of(known)


def _check_attempt(connection: sqlite3.Connection, job: NewJob) -> Priority:
    """Whether the job's attempt takes it; answers with the attempt's priority."""
    attempt = connection.execute("SELECT * FROM attempts WHERE attempt_id = ?", (job.attempt_id,)).fetchone()
    if attempt is None:
        raise AttemptNotFound(job.attempt_id)
    if attempt["environment"] != job.environment:
        raise AttemptMismatch(f"attempt {job.attempt_id} is for {attempt['environment']}")
    if attempt["closed_at"] is not None:
        raise AttemptClosed(job.attempt_id)
    budget = attempt["scoring_budget"]
    if budget is not None and counted_scorings(connection, attempt["attempt_id"]) >= budget:
        raise BudgetExhausted(attempt["attempt_id"], budget)
    return Priority(attempt["priority"])


def _check_rate(connection: sqlite3.Connection, client: str, limit: int, now: float) -> None:
    row = connection.execute(
        "SELECT accepted_at FROM jobs WHERE client = ? ORDER BY accepted_at DESC LIMIT 1 OFFSET ?",
        (client, limit - 1),
    ).fetchone()
    if row is not None and row["accepted_at"] + RATE_WINDOW_S > now:
        raise RateLimited(limit, row["accepted_at"] + RATE_WINDOW_S - now)


def _check_room(connection: sqlite3.Connection, job: NewJob, limits: QueueLimits) -> None:
    depth = _count(connection, "state = 'queued' AND environment = ?", (job.environment,))
    if depth >= limits.queue_limit:
        raise QueueFull(job.environment, limits.queue_limit)
    of_client = "state = 'queued' AND environment = ? AND client = ?"
    waiting = _count(connection, of_client, (job.environment, job.client))
    free = limits.queue_limit - depth
    if waiting >= min(limits.client_queue_limit, free):
        first = connection.execute(
            f"SELECT turn, sequence FROM jobs WHERE {of_client} ORDER BY sequence LIMIT 1",
            (job.environment, job.client),
        ).fetchone()
        raise ClientQueueFull(
            job.environment,
            waiting=waiting,
            free=free,
            limit=limits.client_queue_limit,
            jobs_ahead=_count(
                connection,
                "state = 'queued' AND environment = ? AND (turn, sequence) <= (?, ?)",
                (job.environment, *first),
            ),
        )


def _next_turn(connection: sqlite3.Connection, job: NewJob, priority: Priority) -> int:
    (latest,) = connection.execute(
        "SELECT max("
        "coalesce((SELECT max(turn) FROM jobs WHERE environment = :environment AND delivery_count > 0), 0), "
        "coalesce((SELECT max(turn) FROM jobs WHERE environment = :environment AND client = :client), 0))",
        {"environment": job.environment, "client": job.client},
    ).fetchone()
    return int(latest) + priority.step


def _count(connection: sqlite3.Connection, condition: str, values: tuple[object, ...]) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM jobs WHERE {condition}", values).fetchone()
    return int(count)
