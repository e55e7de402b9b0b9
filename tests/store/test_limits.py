"""What is refused: whole or not at all, by numbers that hold under concurrency and over restarts."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from scorer_service.environments.interface import Verdict
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import Database
from scorer_service.store.interface import AttemptRecord, JudgedResult, Lease, NewJob, ScorePolicy
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import (
    BudgetExhausted,
    ClientQueueFull,
    PositionTooFar,
    QueueFull,
    QueueLimits,
    RateLimited,
)

NAME = "rust_codecontests"
RESULT = JudgedResult(Verdict.SCORED, 1.0, None, "", b"", {}, "embedded")


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


class Store:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.open()

    def open(self) -> None:
        self.database = Database(self.path)
        self.queue = SqliteJobQueue(self.database, self.clock)
        self.attempts = SqliteAttemptStore(self.database, self.clock)

    async def accept(self, client: str, limits: QueueLimits, **changes: Any) -> str:
        new = NewJob(NAME, client.encode(), "digest", None, None, peer=client)
        record, _ = await self.queue.accept(replace(new, **changes), limits)
        return record.job_id

    async def lease(self) -> Lease:
        lease = await self.queue.claim(NAME, "me", 30)
        assert lease is not None
        return lease

    async def attempt(self, budget: int | None) -> AttemptRecord:
        return await self.attempts.create(
            environment=NAME,
            policy=ScorePolicy.VISIBLE,
            label="",
            evaluator_key_sha256="",
            scoring_budget=budget,
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "jobs.sqlite3")
    yield store
    store.database.close()


async def test_a_client_leaves_as_many_places_as_it_takes(store: Store) -> None:
    limits = QueueLimits(queue_limit=12)
    for client, places in (("a", 6), ("b", 3), ("c", 2), ("d", 1)):
        for _ in range(places):
            await store.accept(client, limits)
        if client != "d":
            with pytest.raises(ClientQueueFull, match=f"{places} jobs of this client"):
                await store.accept(client, limits)
    with pytest.raises(QueueFull, match="12 jobs"):
        await store.accept("e", limits)


async def test_a_client_has_a_limit_of_its_own(store: Store) -> None:
    limits = QueueLimits(client_queue_limit=2)
    for _ in range(2):
        await store.accept("a", limits)
    with pytest.raises(ClientQueueFull, match="2 of one client may") as caught:
        await store.accept("a", limits)
    assert caught.value.jobs_ahead == 1
    for _ in range(2):
        await store.accept("b", limits)
    with pytest.raises(ClientQueueFull) as caught:
        await store.accept("b", limits)
    assert caught.value.jobs_ahead == 2  # the first of each
    await store.accept("a", limits, environment="triton_cumsum")
    await store.lease()
    await store.accept("a", limits)


async def test_the_server_scores_its_own_jobs_through_an_overload(store: Store) -> None:
    limits = QueueLimits(queue_limit=1, client_queue_limit=1, scorings_per_hour=1)
    await store.accept("a", limits)
    with pytest.raises(QueueFull):
        await store.accept("b", limits)
    for _ in range(2):
        await store.accept("", limits, peer=None)


async def test_a_refusal_stores_nothing_and_takes_no_turn(store: Store) -> None:
    limits = QueueLimits(client_queue_limit=1)
    await store.accept("a", limits)
    for _ in range(10):
        with pytest.raises(ClientQueueFull):
            await store.accept("a", limits)
    await store.lease()
    mine = await store.accept("a", limits)
    await store.accept("b", limits)
    await store.accept("c", limits)
    assert (await store.lease()).job_id == mine
    assert (await store.queue.state(NAME)).depth == 2


async def test_the_rate_holds_for_any_hour_and_over_a_restart(store: Store) -> None:
    limits = QueueLimits(scorings_per_hour=2)
    await store.accept("a", limits)
    store.clock.now += 600
    await store.accept("a", limits)
    store.database.close()
    store.open()
    with pytest.raises(RateLimited) as caught:
        await store.accept("a", limits)
    assert caught.value.retry_after_s == 3000
    await store.accept("b", limits)
    store.clock.now += 3000
    await store.accept("a", limits)
    with pytest.raises(RateLimited) as caught:
        await store.accept("a", limits)
    assert caught.value.retry_after_s == 600


async def test_the_rate_counts_what_failed_as_well(store: Store) -> None:
    limits = QueueLimits(scorings_per_hour=1)
    await store.accept("a", limits)
    await store.queue.fail(await store.lease(), "")
    with pytest.raises(RateLimited):
        await store.accept("a", limits)


async def test_a_budget_is_used_up_by_acceptance_and_stays_used_up(store: Store) -> None:
    attempt = await store.attempt(5)
    answers = await asyncio.gather(
        *(store.accept("a", QueueLimits(), attempt_id=attempt.attempt_id) for _ in range(20)),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, str) for answer in answers) == 5
    assert sum(isinstance(answer, BudgetExhausted) for answer in answers) == 15
    for _ in range(5):
        await store.queue.finish(await store.lease(), RESULT)
    store.database.close()
    store.open()
    with pytest.raises(BudgetExhausted, match="5 scorings"):
        await store.accept("a", QueueLimits(), attempt_id=attempt.attempt_id)


async def test_what_was_not_judged_is_given_back_and_what_may_have_been_seen_is_not(store: Store) -> None:
    attempt = await store.attempt(1)

    async def accept() -> str:
        return await store.accept("a", QueueLimits(), attempt_id=attempt.attempt_id)

    async def counted() -> int:
        return (await store.attempts.counts(attempt.attempt_id)).counted

    await store.queue.cancel(await accept())  # nobody worked on it
    assert await counted() == 0
    await accept()
    await store.queue.fail(await store.lease(), "the service failed")
    assert await counted() == 0
    # Begun, put back as by a drain, cancelled in the queue: what it showed was seen.
    job_id = await accept()
    await store.queue.give_back(await store.lease())
    await store.queue.cancel(job_id)
    assert await counted() == 1
    with pytest.raises(BudgetExhausted):
        await accept()


async def test_asking_again_for_a_job_is_refused_by_no_limit(store: Store) -> None:
    attempt = await store.attempt(1)
    limits = QueueLimits(queue_limit=1, client_queue_limit=1, scorings_per_hour=1)
    same = {"attempt_id": attempt.attempt_id, "request_id": "id"}
    job_id = await store.accept("a", limits, **same)
    assert await store.accept("a", limits, **same) == job_id


async def test_a_job_that_would_wait_behind_too_many_is_refused(store: Store) -> None:
    for _ in range(3):
        await store.accept("a", QueueLimits())
    new = NewJob(NAME, b"", "digest", None, None, peer="b")
    with pytest.raises(PositionTooFar) as caught:
        await store.queue.accept(new, QueueLimits(), position_limit=0)
    assert caught.value.position == 1  # one of the other client: they take turns
    await store.queue.accept(new, QueueLimits(), position_limit=1)
