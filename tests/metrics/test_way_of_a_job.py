"""The way of a job through queue and stages, as the lanes see it: when it is work that waits for them."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from scripted_environment import ScriptedEnvironment, request

from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.metrics.failures import FailureMetrics
from scorer_service.metrics.jobs import MeteredQueue
from scorer_service.metrics.lanes import LaneMetrics
from scorer_service.metrics.stages import StageMetrics
from scorer_service.store.database import Database
from scorer_service.store.interface import JudgedResult, Lease, NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

NAME = ScriptedEnvironment.name
RESULT = JudgedResult(Verdict.SCORED, 0.5, 1.0, "", b"", {}, "embedded")


class Rig:
    """A real queue and a scripted environment of the lanes `build` and `judge`, with a clock for the test."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.registry = CollectorRegistry()
        self.database = Database(folder / "jobs.sqlite3")
        failures = FailureMetrics(self.registry)
        self.lanes = LaneMetrics(self.registry, clock=lambda: self.now)
        self.store = SqliteJobQueue(self.database)
        self.queue = MeteredQueue(self.store, self.registry, failures=failures, lanes=self.lanes)
        self.inner = ScriptedEnvironment()
        self.inner.released.set()
        metered = StageMetrics(self.registry, failures=failures, lanes=self.lanes).metered(self.inner)
        self.build, self.judge = metered.stages

    async def accept(self) -> str:
        record, _ = await self.queue.accept(NewJob(NAME, b"", "digest", None, None), QueueLimits())
        return record.job_id

    async def claim(self) -> Lease:
        lease = await self.queue.claim(NAME, "owner", 30)
        assert lease is not None
        return lease

    async def run(self, stage: Any, value: Any, lease: Lease) -> Any:
        async with contextlib.AsyncExitStack() as exit_stack:
            context: Any = SimpleNamespace(
                job_id=lease.job_id, exit_stack=exit_stack, report=lambda *told: None
            )
            return await stage.run(value, context)

    def idle_of(self, lane: str, elapsed_s: float) -> float:
        """How much of the next seconds the lane stands idle though work waits for it."""
        before = self._idle(lane)
        self.now += elapsed_s
        return self._idle(lane) - before

    def _idle(self, lane: str) -> float:
        self.lanes.advance()
        name = "scorer_lane_idle_while_work_waited_seconds_total"
        return self.registry.get_sample_value(name, {"lane": lane}) or 0.0


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(tmp_path)
    yield rig
    rig.database.close()


async def test_a_job_is_awaited_by_each_lane_until_it_is_there(rig: Rig) -> None:
    assert rig.idle_of("judge", 1) == 0
    await rig.accept()
    assert (rig.idle_of("build", 1), rig.idle_of("judge", 1)) == (1, 1)
    lease = await rig.claim()
    assert (rig.idle_of("build", 1), rig.idle_of("judge", 1)) == (1, 1)
    built = await rig.run(rig.build, request("a"), lease)
    assert (rig.idle_of("build", 1), rig.idle_of("judge", 1)) == (0, 1)
    assert isinstance(await rig.run(rig.judge, built, lease), Outcome)
    assert (rig.idle_of("build", 1), rig.idle_of("judge", 1)) == (0, 0)
    await rig.queue.finish(lease, RESULT)
    assert (rig.idle_of("build", 1), rig.idle_of("judge", 1)) == (0, 0)


@pytest.mark.parametrize("end", ["finish", "fail"])
async def test_a_job_that_ends_before_its_last_lane_is_awaited_no_more(rig: Rig, end: str) -> None:
    await rig.accept()
    lease = await rig.claim()
    if end == "finish":
        await rig.queue.finish(lease, RESULT)
    else:
        await rig.queue.fail(lease, "no disk")
    assert rig.idle_of("judge", 1) == 0


async def test_a_job_that_was_put_back_waits_again_once(rig: Rig) -> None:
    await rig.accept()
    await rig.queue.give_back(await rig.claim())
    assert rig.idle_of("judge", 1) == 1
    await rig.queue.finish(await rig.claim(), RESULT)
    assert rig.idle_of("judge", 1) == 0


async def test_a_cancelled_job_waits_no_more_wherever_it_was(rig: Rig) -> None:
    await rig.queue.cancel(await rig.accept())
    assert rig.idle_of("judge", 1) == 0
    await rig.accept()
    await rig.queue.cancel((await rig.claim()).job_id)
    assert rig.idle_of("judge", 1) == 0


async def test_jobs_that_this_server_did_not_accept_are_seen_by_the_next_refresh(rig: Rig) -> None:
    await rig.store.accept(NewJob(NAME, b"", "digest", None, None), QueueLimits())
    assert rig.idle_of("judge", 1) == 0
    await rig.queue.refresh([NAME])
    rig.now += 1
    await rig.queue.refresh([NAME])  # without another event
    labels = {"lane": "judge"}
    assert rig.registry.get_sample_value("scorer_lane_idle_while_work_waited_seconds_total", labels) == 1


async def test_a_refresh_shows_the_places_that_are_taken(rig: Rig) -> None:
    lane = rig.lanes.make_lane("judge", 2)
    async with lane.place():
        await rig.queue.refresh([NAME])
        assert rig.registry.get_sample_value("scorer_lane_busy", {"lane": "judge"}) == 1
