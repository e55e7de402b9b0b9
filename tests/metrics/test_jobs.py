"""Metrics of jobs: each thing that happens to a job is counted once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from scorer_service.environments.interface import Verdict
from scorer_service.metrics.failures import REASONS
from scorer_service.metrics.jobs import REFUSAL_REASONS, MeteredQueue
from scorer_service.store.database import Database
from scorer_service.store.interface import JobState, JudgedResult, Lease, NewJob, RequestIdReused
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueFull, QueueLimits

JOB = NewJob("rust_codecontests", b"payload", "digest", None, None, peer="ipv4:192.0.2.1")
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


def reasons(metered: Metered) -> dict[str, float]:
    """Failures by reason, those that there were."""
    counts = {
        reason: metered.count("service_failures_total", environment=JOB.environment, reason=reason)
        for reason in REASONS
    }
    return {reason: count for reason, count in counts.items() if count}


async def claimed(metered: Metered) -> Any:
    await metered.queue.accept(JOB, QueueLimits())
    lease = await metered.queue.claim(JOB.environment, "owner", 30)
    assert lease is not None
    return lease


async def test_a_job_is_accepted_once_however_often_it_is_asked(metered: Metered) -> None:
    job = replace(JOB, request_id="r")
    for _ in range(3):
        await metered.queue.accept(job, QueueLimits())
    with pytest.raises(RequestIdReused):
        await metered.queue.accept(replace(job, payload_sha256="other"), QueueLimits())
    assert metered.jobs("accepted") == 1


async def test_a_full_queue_refuses_and_does_not_accept(metered: Metered) -> None:
    await metered.queue.accept(JOB, QueueLimits(1))
    with pytest.raises(QueueFull):
        await metered.queue.accept(JOB, QueueLimits(1))
    assert (metered.jobs("accepted"), metered.jobs("refused", reason="QUEUE_FULL")) == (1, 1)


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
    queued, _ = await metered.queue.accept(JOB, QueueLimits())
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
    await metered.queue.reclaim(everything=True, death_limit=2)
    assert (metered.count("jobs_reclaimed_total"), metered.jobs("failed")) == (1, 0)
    await metered.queue.claim(JOB.environment, "owner", 30)
    await metered.queue.reclaim(everything=True, death_limit=2)
    assert (metered.count("jobs_reclaimed_total"), metered.jobs("failed")) == (1, 1)
    assert reasons(metered) == {"set_aside": 1}


async def test_a_job_over_which_the_worker_died_waits_again_until_it_is_set_aside(metered: Metered) -> None:
    async def died(lease: Lease) -> JobState | None:
        return await metered.queue.worker_died(lease, death_limit=2, in_company=False, failure="it died")

    assert await died(await claimed(metered)) is JobState.QUEUED
    assert (metered.jobs("failed"), reasons(metered)) == (0, {})
    lease = await metered.queue.claim(JOB.environment, "owner", 30)
    assert lease is not None
    assert await died(lease) is JobState.FAILED
    assert (metered.jobs("failed"), reasons(metered)) == (1, {"set_aside": 1})
    assert await died(lease) is None
    assert (metered.jobs("failed"), reasons(metered)) == (1, {"set_aside": 1})


async def test_gauges_show_the_queue_as_it_is(metered: Metered) -> None:
    for _ in range(2):
        await metered.queue.accept(JOB, QueueLimits())
    await metered.queue.refresh([JOB.environment])
    assert metered.count("queue_depth", environment=JOB.environment) == 2
    assert metered.count("queue_oldest_age_seconds", environment=JOB.environment) > 0
    for _ in range(2):
        await metered.queue.claim(JOB.environment, "owner", 30)
    await metered.queue.refresh([JOB.environment])
    assert metered.count("queue_depth", environment=JOB.environment) == 0
    assert metered.count("queue_oldest_age_seconds", environment=JOB.environment) == 0


async def test_a_result_that_comes_too_late_is_counted_as_dropped(metered: Metered) -> None:
    late = await claimed(metered)
    await metered.queue.reclaim(everything=True, death_limit=5)
    lease = await metered.queue.claim(JOB.environment, "owner", 30)
    assert lease is not None
    assert not await metered.queue.finish(late, RESULT)
    assert await metered.queue.finish(lease, RESULT)
    assert metered.count("results_dropped_total", environment=JOB.environment) == 1


async def test_counters_of_every_environment_are_there_before_the_first_event(metered: Metered) -> None:
    metered.queue.add_environments([JOB.environment])
    for name in ("accepted", "failed", "cancelled"):
        assert (
            metered.registry.get_sample_value(f"scorer_jobs_{name}_total", {"environment": JOB.environment})
            == 0
        )
    for verdict in Verdict:
        labels = {"environment": JOB.environment, "verdict": verdict.value}
        assert metered.registry.get_sample_value("scorer_jobs_judged_total", labels) == 0
    for refusal in REFUSAL_REASONS:
        labels = {"environment": JOB.environment, "reason": refusal}
        assert metered.registry.get_sample_value("scorer_jobs_refused_total", labels) == 0
    for reason in REASONS:
        labels = {"environment": JOB.environment, "reason": reason}
        assert metered.registry.get_sample_value("scorer_service_failures_total", labels) == 0
