"""Clients take turns: by their shares, however many jobs each has waiting, and over restarts."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer_service.environments.interface import Verdict
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import FILE_NAME, MIGRATIONS, Database
from scorer_service.store.interface import JobRecord, JudgedResult, Lease, NewJob, ScorePolicy
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import Priority, QueueLimits

NAME = "rust_codecontests"
MANY = QueueLimits(queue_limit=100_000, client_queue_limit=100_000)


class Store:
    """The queue on one file, which may be opened again as after a crash."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.open()

    def open(self) -> None:
        self.database = Database(self.path)
        self.queue = SqliteJobQueue(self.database)
        self.attempts = SqliteAttemptStore(self.database)

    async def crash(self) -> None:
        self.database.close()
        self.open()
        await self.queue.reclaim(everything=True, death_limit=10)

    async def accept(
        self, client: str, count: int = 1, priority: Priority = Priority.NORMAL
    ) -> list[JobRecord]:
        records = []
        for _ in range(count):
            job = NewJob(NAME, client.encode(), "digest", None, None, None, client, priority)
            records.append((await self.queue.accept(job, MANY))[0])
        return records

    async def lease(self) -> Lease:
        lease = await self.queue.claim(NAME, "me", 30)
        assert lease is not None
        return lease

    async def serve(self, count: int) -> str:
        """Claim and end so many jobs; answers with their clients in order."""
        clients = []
        for _ in range(count):
            lease = await self.lease()
            clients.append(lease.payload.decode())
            result = JudgedResult(Verdict.SCORED, 1.0, None, "", b"", {}, "embedded")
            assert await self.queue.finish(lease, result)
        return "".join(clients)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path)
    yield store
    store.database.close()


async def test_one_job_does_not_wait_for_a_thousand_of_another_client(store: Store) -> None:
    await store.accept("a", 1000)
    await store.serve(3)
    (single,) = await store.accept("b")
    assert await store.queue.position(single.job_id) == 1
    assert await store.serve(3) == "aba"


async def test_clients_take_turns_and_each_is_served_in_its_own_order(store: Store) -> None:
    records = {client: await store.accept(client, 4) for client in "abc"}
    served = [await store.lease() for _ in range(12)]
    assert "".join(lease.payload.decode() for lease in served) == "abc" * 4
    for client in "abc":
        own = [lease.job_id for lease in served if lease.payload.decode() == client]
        assert own == [record.job_id for record in records[client]]


async def test_who_was_served_alone_owes_nothing_and_who_waited_long_has_saved_nothing(store: Store) -> None:
    await store.accept("a", 50)
    await store.serve(50)
    await store.accept("b", 4)
    await store.accept("a", 4)
    assert await store.serve(8) == "babababa"


async def test_who_comes_back_for_each_job_has_no_more_than_its_share(store: Store) -> None:
    await store.accept("b", 10)
    served = ""
    for _ in range(5):
        await store.accept("a")
        served += await store.serve(2)
    assert Counter(served) == {"a": 5, "b": 5}


async def test_priorities_are_shares(store: Store) -> None:
    await store.accept("l", 20, Priority.LOW)
    await store.accept("n", 20)
    await store.accept("h", 60, Priority.HIGH)
    served = Counter(await store.serve(63))
    assert served == {"h": 48, "n": 12, "l": 3}


async def test_a_high_priority_is_next_and_a_low_one_is_never_starved(store: Store) -> None:
    await store.accept("n", 100)
    await store.serve(1)
    await store.accept("h", 1, Priority.HIGH)
    await store.accept("l", 1, Priority.LOW)
    assert await store.serve(6) == "hnnnnl"


async def test_a_position_is_how_many_are_claimed_before(store: Store) -> None:
    records = [*await store.accept("a", 5), *await store.accept("b", 3), *await store.accept("c", 1)]
    records += await store.accept("h", 2, Priority.HIGH)
    positions = {record.job_id: await store.queue.position(record.job_id) for record in records}
    claimed = [(await store.lease()).job_id for _ in records]
    assert [positions[job_id] for job_id in claimed] == list(range(len(records)))


async def test_a_job_given_back_is_the_next(store: Store) -> None:
    await store.accept("a", 3)
    await store.accept("b", 3)
    lease = await store.lease()
    await store.queue.give_back(lease)
    assert (await store.lease()).job_id == lease.job_id


async def test_turns_outlive_a_crash(store: Store) -> None:
    await store.accept("a", 20)
    await store.serve(5)
    running = await store.lease()
    await store.crash()
    await store.accept("b", 3)
    assert (await store.lease()).job_id == running.job_id
    assert await store.serve(6) == "ababab"


async def test_cancelled_jobs_cost_their_client_no_turns(store: Store) -> None:
    records = await store.accept("a", 50)
    for record in records[:45]:
        await store.queue.cancel(record.job_id)
    await store.accept("b", 5)
    assert await store.serve(10) == "ababababab"


async def test_a_job_that_is_cancelled_while_it_runs_was_its_clients_turn(store: Store) -> None:
    await store.accept("b", 10)
    served = ""
    for _ in range(5):
        (record,) = await store.accept("a")
        served += (await store.lease()).payload.decode() + (await store.lease()).payload.decode()
        await store.queue.cancel(record.job_id)
    assert Counter(served) == {"a": 5, "b": 5}


async def test_the_priority_of_an_attempt_holds_whatever_the_job_says(store: Store) -> None:
    attempt = await store.attempts.create(
        environment=NAME,
        policy=ScorePolicy.VISIBLE,
        label="",
        evaluator_key_sha256="",
        priority=Priority.LOW,
    )
    await store.accept("n", 10)
    forged = NewJob(NAME, b"l", "digest", None, attempt.attempt_id, priority=Priority.HIGH)
    record, _ = await store.queue.accept(forged, MANY)
    assert await store.queue.position(record.job_id) == 4


async def test_queues_of_environments_are_apart(store: Store) -> None:
    await store.accept("a", 5)
    other = NewJob("triton_cumsum", b"", "digest", None, None, None, "a")
    record, _ = await store.queue.accept(other, MANY)
    assert await store.queue.position(record.job_id) == 0


async def test_jobs_that_waited_before_there_were_turns_come_first_in_their_order(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        before = next(number for number, migration in enumerate(MIGRATIONS) if "COLUMN turn" in migration)
        for migration in MIGRATIONS[:before]:
            connection.executescript(migration)
        connection.executescript(
            "INSERT INTO attempts (attempt_id, environment, policy, label, evaluator_key_sha256, created_at) "
            f"VALUES ('attempt-1', '{NAME}', 'visible', '', '', 0);"
            "INSERT INTO jobs (job_id, environment, payload, payload_sha256, state, accepted_at, attempt_id, "
            "submitted_by) VALUES "
            + ", ".join(
                f"('job-{marker}', '{NAME}', CAST('{marker}' AS BLOB), '', 'queued', 0, {attempt}, {token})"
                for marker, attempt, token in (
                    ("x", "'attempt-1'", "NULL"),
                    ("y", "NULL", "'t'"),
                    ("z", "NULL", "NULL"),
                )
            )
            + f"; PRAGMA user_version = {before};"
        )
    store = Store(tmp_path)
    await store.accept("h", 1, Priority.HIGH)
    assert await store.serve(4) == "xyzh"
    # They are their clients' all the same.
    clients = await store.database.run(
        lambda connection: [
            row["client"] for row in connection.execute("SELECT client FROM jobs ORDER BY sequence LIMIT 3")
        ]
    )
    assert clients == ["attempt-1", "t", ""]
    store.database.close()


async def test_the_next_job_is_found_by_an_index_alone(store: Store) -> None:
    """With 10,000 jobs in the queue a scan would be felt; a time would tell it on a quiet machine only."""
    await store.accept("a", 3)
    seen: list[str] = []

    def record_statements(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(seen.append)

    await store.database.run(record_statements)
    (record,) = await store.accept("b")
    await store.queue.position(record.job_id)
    await store.lease()
    await store.queue.cancel(record.job_id)
    plans = await store.database.run(
        lambda connection: [
            (statement, row["detail"])
            for statement in seen
            if statement.startswith(("SELECT", "UPDATE"))
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]
    )
    bad = [
        (statement, detail)
        for statement, detail in plans
        if detail.startswith(("SCAN jobs", "SCAN other", "USE TEMP"))
    ]
    assert not bad
    # What counts waiting jobs reads none of their rows, which hold whole submissions.
    counts = [detail for statement, detail in plans if "count(*)" in statement and "sqlite_" not in detail]
    assert counts
    assert all("COVERING INDEX" in detail for detail in counts)
