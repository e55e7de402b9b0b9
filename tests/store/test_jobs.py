"""The durable queue: each job is accepted once, worked on by one, and ends once."""

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from scorer_service.environments.interface import Direction, Verdict
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import Database, SchemaTooNew
from scorer_service.store.interface import (
    AttemptClosed,
    AttemptMismatch,
    AttemptNotFound,
    JobState,
    JudgedResult,
    NewJob,
    RequestIdReused,
    ScorePolicy,
)
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueFull, QueueLimits

LIMITS = QueueLimits()


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Store:
    queue: SqliteJobQueue
    attempts: SqliteAttemptStore
    clock: Clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    database = Database(tmp_path / "jobs.sqlite3")
    clock = Clock()
    yield Store(SqliteJobQueue(database, clock), SqliteAttemptStore(database, clock), clock)
    database.close()


def job(marker: str = "a", **changes: object) -> NewJob:
    new = NewJob("rust_codecontests", marker.encode(), marker, None, None, peer="ipv4:192.0.2.1")
    return replace(new, **changes)  # type: ignore[arg-type]


def result(raw: float | None = 0.5, verdict: Verdict = Verdict.SCORED) -> JudgedResult:
    return JudgedResult(verdict, raw, raw, "summary", b"response", {"time": 1.5}, "embedded")


async def test_jobs_are_claimed_in_the_order_of_acceptance(store: Store) -> None:
    accepted = [(await store.queue.accept(job(marker), LIMITS))[0].job_id for marker in "abc"]
    claimed = [await store.queue.claim("rust_codecontests", "me", 30) for _ in range(4)]
    assert [lease.job_id for lease in claimed if lease] == accepted
    assert claimed[3] is None


async def test_positions_and_age_follow_the_queue(store: Store) -> None:
    ids = [(await store.queue.accept(job(marker), LIMITS))[0].job_id for marker in "abc"]
    await store.queue.accept(job("x", environment="triton_cumsum"), LIMITS)
    store.clock.now += 7
    assert [await store.queue.position(job_id) for job_id in ids] == [0, 1, 2]
    await store.queue.claim("rust_codecontests", "me", 30)
    assert [await store.queue.position(job_id) for job_id in ids] == [0, 0, 1]
    state = await store.queue.state("rust_codecontests")
    assert (state.depth, state.oldest_age_s) == (2, 7.0)


async def test_a_full_queue_refuses_but_still_finds_what_it_has(store: Store) -> None:
    first = job("a", request_id="11111111-1111-4111-8111-111111111111")
    record, is_new = await store.queue.accept(first, QueueLimits(1))
    assert is_new
    with pytest.raises(QueueFull, match="1 jobs"):
        await store.queue.accept(job("b"), QueueLimits(1))
    assert await store.queue.accept(first, QueueLimits(1)) == (record, False)
    await store.queue.accept(job("c", environment="triton_cumsum"), QueueLimits(1))


async def test_a_request_id_is_one_job_for_one_payload(store: Store) -> None:
    first = job("a", request_id="id")
    record, _ = await store.queue.accept(first, LIMITS)
    assert await store.queue.accept(first, LIMITS) == (record, False)
    with pytest.raises(RequestIdReused):
        await store.queue.accept(replace(first, payload_sha256="other"), LIMITS)
    with pytest.raises(RequestIdReused):
        await store.queue.accept(replace(first, environment="triton_cumsum"), LIMITS)


async def test_racing_requests_with_one_id_make_one_job(store: Store) -> None:
    answers = await asyncio.gather(
        *(store.queue.accept(job("a", request_id="id"), LIMITS) for _ in range(20))
    )
    assert len({record.job_id for record, _ in answers}) == 1
    assert sum(is_new for _, is_new in answers) == 1


async def test_a_result_is_stored_once_and_read_back_whole(store: Store) -> None:
    accepted, _ = await store.queue.accept(job(), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    assert lease.payload == b"a"
    assert await store.queue.finish(lease, result())
    assert not await store.queue.finish(lease, result(0.9))
    assert not await store.queue.fail(lease, "late")
    found = await store.queue.find(job_id=accepted.job_id)
    assert found is not None
    assert found.state is JobState.SUCCEEDED
    assert found.result == result()


async def test_a_result_of_an_old_delivery_is_dropped(store: Store) -> None:
    await store.queue.accept(job(), LIMITS)
    old = await store.queue.claim("rust_codecontests", "dead", 30)
    assert old is not None
    store.clock.now += 31
    assert len(await store.queue.reclaim(everything=False, death_limit=5)) == 1
    new = await store.queue.claim("rust_codecontests", "alive", 30)
    assert new is not None
    assert new.number == old.number + 1
    assert not await store.queue.finish(old, result(0.1))
    assert not await store.queue.renew(old, 30)
    assert await store.queue.finish(new, result(0.9))
    found = await store.queue.find(job_id=new.job_id)
    assert found is not None
    assert found.result is not None
    assert found.result.raw_score == 0.9


async def test_a_renewed_lease_is_not_reclaimed(store: Store) -> None:
    await store.queue.accept(job(), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    store.clock.now += 29
    assert await store.queue.renew(lease, 30)
    store.clock.now += 29
    assert await store.queue.reclaim(everything=False, death_limit=5) == []


async def test_a_job_that_kills_servers_is_set_aside(store: Store) -> None:
    accepted, _ = await store.queue.accept(job(), LIMITS)
    for _ in range(2):
        assert await store.queue.claim("rust_codecontests", "me", 30) is not None
        await store.queue.reclaim(everything=True, death_limit=2)
    found = await store.queue.find(job_id=accepted.job_id)
    assert found is not None
    assert found.state is JobState.FAILED
    assert found.set_aside
    assert "2 servers" in found.failure


async def test_a_job_given_back_keeps_its_place(store: Store) -> None:
    first, _ = await store.queue.accept(job("a"), LIMITS)
    await store.queue.accept(job("b"), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    assert await store.queue.give_back(lease)
    assert not await store.queue.finish(lease, result())
    again = await store.queue.claim("rust_codecontests", "me", 30)
    assert again is not None
    assert again.job_id == first.job_id


async def test_cancelling_ends_what_has_not_ended(store: Store) -> None:
    waiting, _ = await store.queue.accept(job("a"), LIMITS)
    cancelled = await store.queue.cancel(waiting.job_id)
    assert cancelled is not None
    assert cancelled.state is JobState.CANCELLED
    assert await store.queue.claim("rust_codecontests", "me", 30) is None
    await store.queue.accept(job("b"), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    await store.queue.cancel(lease.job_id)
    assert not await store.queue.finish(lease, result())
    assert await store.queue.cancel("job-unknown") is None


async def test_cancelling_leaves_a_judged_job_as_it_is(store: Store) -> None:
    await store.queue.accept(job(), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    await store.queue.finish(lease, result())
    record = await store.queue.cancel(lease.job_id)
    assert record is not None
    assert record.state is JobState.SUCCEEDED


async def test_attempts_are_checked_when_a_job_is_accepted(store: Store) -> None:
    attempt = await store.attempts.create(
        environment="rust_codecontests", policy=ScorePolicy.VISIBLE, label="", evaluator_key_sha256=""
    )
    with pytest.raises(AttemptNotFound):
        await store.queue.accept(job(attempt_id="attempt-unknown"), LIMITS)
    with pytest.raises(AttemptMismatch, match="rust_codecontests"):
        await store.queue.accept(
            job(attempt_id=attempt.attempt_id, environment="triton_cumsum"), QueueLimits()
        )
    await store.queue.accept(job(attempt_id=attempt.attempt_id, request_id="id"), LIMITS)
    await store.attempts.close(attempt.attempt_id)
    with pytest.raises(AttemptClosed):
        await store.queue.accept(job(attempt_id=attempt.attempt_id), LIMITS)
    # What was accepted before can be asked for still.
    _, is_new = await store.queue.accept(job(attempt_id=attempt.attempt_id, request_id="id"), LIMITS)
    assert not is_new


@pytest.mark.parametrize(("direction", "best"), [(Direction.HIGHER, 0.9), (Direction.LOWER, -0.5)])
async def test_the_best_valid_score_counts_in_either_direction(
    store: Store, direction: Direction, best: float
) -> None:
    attempt = await store.attempts.create(
        environment="rust_codecontests", policy=ScorePolicy.VISIBLE, label="", evaluator_key_sha256=""
    )
    assert await store.attempts.best_score(attempt.attempt_id, direction) is None
    await judge(store, attempt.attempt_id, [result(None, Verdict.BUILD_ERROR)])
    assert await store.attempts.best_score(attempt.attempt_id, direction) is None
    await judge(store, attempt.attempt_id, [result(0.2), result(0.9), result(-0.5), result(0.4)])
    assert await store.attempts.best_score(attempt.attempt_id, direction) == (best, best)


async def test_the_log_is_in_the_order_of_judging_and_pages_lose_nothing(store: Store) -> None:
    attempt = await store.attempts.create(
        environment="rust_codecontests", policy=ScorePolicy.VISIBLE, label="", evaluator_key_sha256=""
    )
    for marker in "abc":
        await store.queue.accept(job(marker, attempt_id=attempt.attempt_id), LIMITS)
    leases = [await store.queue.claim("rust_codecontests", "me", 30) for _ in range(3)]
    a, b, c = [lease for lease in leases if lease]
    await store.queue.finish(b, result(0.2))
    page = await store.attempts.log(attempt.attempt_id, after=0, limit=10)
    assert [record.job_id for _, record in page] == [b.job_id]
    # The job accepted before it ends later; a reader that goes on from the last position must see it.
    await store.queue.finish(a, result(0.1))
    await store.queue.finish(c, result(0.3))
    page = await store.attempts.log(attempt.attempt_id, after=page[-1][0], limit=1)
    assert [record.job_id for _, record in page] == [a.job_id]
    page = await store.attempts.log(attempt.attempt_id, after=page[-1][0], limit=10)
    assert [record.job_id for _, record in page] == [c.job_id]
    counts = await store.attempts.counts(attempt.attempt_id)
    assert (counts.judged, counts.pending) == (3, 0)


async def judge(store: Store, attempt_id: str, results: list[JudgedResult]) -> None:
    for number, one in enumerate(results):
        await store.queue.accept(job(str(number), attempt_id=attempt_id), LIMITS)
        lease = await store.queue.claim("rust_codecontests", "me", 30)
        assert lease is not None
        await store.queue.finish(lease, one)


async def test_purging_deletes_old_results_but_those_of_attempts(store: Store) -> None:
    attempt = await store.attempts.create(
        environment="rust_codecontests", policy=ScorePolicy.VISIBLE, label="", evaluator_key_sha256=""
    )
    await judge(store, attempt.attempt_id, [result()])
    old, _ = await store.queue.accept(job(), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    await store.queue.finish(lease, result())
    waiting, _ = await store.queue.accept(job(), LIMITS)
    store.clock.now += 100
    assert await store.queue.purge(99) == 1
    assert await store.queue.find(job_id=old.job_id) is None
    assert await store.queue.find(job_id=waiting.job_id) is not None
    assert (await store.attempts.counts(attempt.attempt_id)).judged == 1


async def test_a_result_that_is_not_a_number_is_refused(store: Store) -> None:
    await store.queue.accept(job(), LIMITS)
    lease = await store.queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    with pytest.raises(ValueError, match="JSON"):
        await store.queue.finish(lease, replace(result(), evaluator_details={"time": float("nan")}))


def test_a_file_of_a_later_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite3"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SchemaTooNew, match="99"):
        Database(path)
