"""Metrics of jobs and stages: each thing that happens to a job is counted once."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from scripted_environment import ScriptedEnvironment, request

from scorer_service.environments.interface import Verdict
from scorer_service.metrics.scoring import MeteredQueue, QueueGauges, StageMetrics
from scorer_service.store.database import Database
from scorer_service.store.interface import JudgedResult, NewJob, QueueFull, RequestIdReused
from scorer_service.store.jobs import SqliteJobQueue

JOB = NewJob("rust_codecontests", b"payload", "digest", None, None)
RESULT = JudgedResult(Verdict.SCORED, 0.5, 1.0, "summary", b"", {}, "embedded")


@dataclass
class Metered:
    """A queue that is counted, and what was counted."""

    queue: MeteredQueue
    registry: CollectorRegistry

    def count(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(f"scorer_{name}", labels) or 0.0

    def jobs(self, what: str, **labels: str) -> float:
        return self.count(f"jobs_{what}_total", environment="rust_codecontests", **labels)


@pytest.fixture
def metered(tmp_path: Path) -> Iterator[Metered]:
    database = Database(tmp_path / "jobs.sqlite3")
    registry = CollectorRegistry()
    yield Metered(MeteredQueue(SqliteJobQueue(database), registry), registry)
    database.close()


async def claimed(metered: Metered) -> Any:
    await metered.queue.accept(JOB, 10)
    lease = await metered.queue.claim(JOB.environment, "owner", 30)
    assert lease is not None
    return lease


async def test_a_job_is_accepted_once_however_often_it_is_asked(metered: Metered) -> None:
    job = replace(JOB, request_id="r")
    for _ in range(3):
        await metered.queue.accept(job, 10)
    with pytest.raises(RequestIdReused):
        await metered.queue.accept(replace(job, payload_sha256="other"), 10)
    assert metered.jobs("accepted") == 1


async def test_a_full_queue_refuses_and_does_not_accept(metered: Metered) -> None:
    await metered.queue.accept(JOB, 1)
    with pytest.raises(QueueFull):
        await metered.queue.accept(JOB, 1)
    assert (metered.jobs("accepted"), metered.jobs("refused")) == (1, 1)


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_judged_jobs_are_counted_by_verdict(metered: Metered, verdict: Verdict) -> None:
    lease = await claimed(metered)
    assert await metered.queue.finish(lease, replace(RESULT, verdict=verdict))
    assert metered.jobs("judged", verdict=verdict.value) == 1
    assert not await metered.queue.finish(lease, RESULT)  # a worker that was late
    assert sum(metered.jobs("judged", verdict=each.value) for each in Verdict) == 1


async def test_failures_of_the_service_are_no_verdicts(metered: Metered) -> None:
    lease = await claimed(metered)
    assert await metered.queue.fail(lease, "no disk")
    assert not await metered.queue.fail(lease, "no disk")
    assert metered.jobs("failed") == 1
    assert sum(metered.jobs("judged", verdict=each.value) for each in Verdict) == 0


async def test_only_what_had_not_ended_is_cancelled(metered: Metered) -> None:
    queued, _ = await metered.queue.accept(JOB, 10)
    for _ in range(2):
        await metered.queue.cancel(queued.job_id)
    assert metered.jobs("cancelled") == 1
    lease = await claimed(metered)
    await metered.queue.finish(lease, RESULT)
    await metered.queue.cancel(lease.job_id)
    assert await metered.queue.cancel("job-0") is None
    assert metered.jobs("cancelled") == 1


async def test_the_wait_is_measured_once_a_job(metered: Metered) -> None:
    lease = await claimed(metered)
    assert metered.count("queue_wait_seconds_count", environment=JOB.environment) == 1
    await metered.queue.give_back(lease)
    assert await metered.queue.claim(JOB.environment, "owner", 30)
    # The second delivery began after the first one's work: that is no wait in the queue.
    assert metered.count("queue_wait_seconds_count", environment=JOB.environment) == 1
    assert await metered.queue.claim(JOB.environment, "owner", 30) is None
    assert metered.count("queue_wait_seconds_count", environment=JOB.environment) == 1


async def test_a_job_taken_back_from_a_dead_worker_is_reclaimed_until_it_fails(metered: Metered) -> None:
    await claimed(metered)
    await metered.queue.reclaim(everything=True, delivery_limit=2)
    assert (metered.count("jobs_reclaimed_total"), metered.jobs("failed")) == (1, 0)
    await metered.queue.claim(JOB.environment, "owner", 30)
    await metered.queue.reclaim(everything=True, delivery_limit=2)
    assert (metered.count("jobs_reclaimed_total"), metered.jobs("failed")) == (1, 1)


async def test_gauges_show_queue_and_lanes_as_they_are(metered: Metered) -> None:
    gauges = QueueGauges(metered.registry)
    lanes = {"judge": SimpleNamespace(busy=2, waiting=3)}
    for _ in range(2):
        await metered.queue.accept(JOB, 10)
    await gauges.refresh(metered.queue, [JOB.environment], lanes)
    assert metered.count("queue_depth", environment=JOB.environment) == 2
    assert metered.count("queue_oldest_age_seconds", environment=JOB.environment) >= 0
    assert (metered.count("lane_busy", lane="judge"), metered.count("lane_waiting", lane="judge")) == (2, 3)
    for _ in range(2):
        await metered.queue.claim(JOB.environment, "owner", 30)
    await gauges.refresh(metered.queue, [JOB.environment], lanes)
    assert metered.count("queue_depth", environment=JOB.environment) == 0
    assert metered.count("queue_oldest_age_seconds", environment=JOB.environment) == 0


async def test_a_stage_is_timed_also_where_it_fails_or_is_cancelled() -> None:
    registry = CollectorRegistry()
    inner = ScriptedEnvironment()
    environment = StageMetrics(registry).metered(inner)
    assert [stage.name for stage in environment.stages] == ["build", "judge"]
    assert (environment.name, environment.describe()) == (inner.name, inner.describe())
    labels = {"environment": inner.name, "stage": "judge"}

    def sample(name: str) -> float | None:
        return registry.get_sample_value(name, labels)

    context: Any = SimpleNamespace(
        exit_stack=contextlib.AsyncExitStack(), report=lambda done, total, unit: None
    )
    built = await environment.stages[0].run(request("a"), context)
    judging: asyncio.Future[Any] = asyncio.ensure_future(environment.stages[1].run(built, context))
    await inner.started.wait()
    assert (sample("scorer_stages_running"), sample("scorer_stage_seconds_count")) == (1, 0)
    judging.cancel()
    await asyncio.wait([judging])
    assert inner.killed == ["a"]
    inner.failures["a"] = RuntimeError("lost")
    inner.released.set()
    with pytest.raises(RuntimeError):
        await environment.stages[1].run(built, context)
    assert (sample("scorer_stages_running"), sample("scorer_stage_seconds_count")) == (0, 2)
