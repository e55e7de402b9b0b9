"""Canaries: what an operator sees of the reference solutions that a server scores now and then."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from scripted_environment import ScriptedEnvironment

from scorer_service.environments.interface import Verdict
from scorer_service.scheduling.canaries import Canaries
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database
from scorer_service.store.jobs import SqliteJobQueue

NAME = "rust_codecontests"
INTERVAL_MINUTES = 0.001


class Rig:
    """Canaries on a real queue, with an environment that does what the test says."""

    def __init__(self, folder: Path, interval_minutes: float) -> None:
        self.database = Database(folder / "jobs.sqlite3")
        self.environment = ScriptedEnvironment()
        self.environment.released.set()
        self.environment.canary_marker = "reference"
        self.registry = CollectorRegistry()
        artifacts = ArtifactFolder(folder / "artifacts", artifact_limit_bytes=1000, quota_bytes=1000)
        settings = SchedulerSettings(owner="test", lane_places={"build": 1, "judge": 1})
        environments = {NAME: self.environment}
        self.scheduler = Scheduler(settings, SqliteJobQueue(self.database), artifacts, environments)
        self.canaries = Canaries(environments, self.scheduler, interval_minutes, self.registry)

    def metric(self, name: str) -> float | None:
        return self.registry.get_sample_value(name, {"environment": NAME})

    async def until(self, name: str, value: float) -> None:
        async with asyncio.timeout(10):
            while self.metric(name) != value:  # noqa: ASYNC110 - a gauge does not tell that it moved
                await asyncio.sleep(0)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(tmp_path, INTERVAL_MINUTES)
    await rig.scheduler.start()
    rig.scheduler.serve(NAME)
    running = asyncio.create_task(rig.canaries.run())
    yield rig
    running.cancel()
    await asyncio.wait([running])
    await rig.scheduler.drain(5)
    rig.database.close()


async def test_a_reference_that_scores_as_calibrated_does_not_drift(rig: Rig) -> None:
    rig.environment.raw_scores["reference"] = 0.5  # the anchor: normalised 1
    rig.canaries.watch(NAME)
    await rig.until("scorer_canary_normalized_score", 1.0)
    assert rig.metric("scorer_canary_drifting") == 0
    assert rig.metric("scorer_canary_timestamp_seconds")


async def test_a_reference_that_scores_less_is_drifting_until_it_recovers(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.environment.raw_scores["reference"] = 0.4
    rig.canaries.watch(NAME)
    await rig.until("scorer_canary_drifting", 1)
    assert rig.metric("scorer_canary_normalized_score") == pytest.approx(0.8)
    assert "has drifted from 1" in caplog.text
    rig.environment.raw_scores["reference"] = 0.5
    await rig.until("scorer_canary_drifting", 0)


async def test_a_reference_without_a_score_is_drifting(rig: Rig) -> None:
    rig.environment.verdicts["reference"] = Verdict.UNSTABLE
    rig.canaries.watch(NAME)
    await rig.until("scorer_canary_drifting", 1)
    assert rig.metric("scorer_canary_normalized_score") in (None, 0)


async def test_a_failure_of_the_service_is_drift_and_the_next_canary_comes_all_the_same(rig: Rig) -> None:
    rig.environment.failures["reference"] = [RuntimeError("a fault")]
    rig.canaries.watch(NAME)
    await rig.until("scorer_canary_drifting", 1)
    await rig.until("scorer_canary_drifting", 0)


async def test_an_interval_of_zero_scores_none(tmp_path: Path) -> None:
    rig = Rig(tmp_path, 0)
    rig.canaries.watch(NAME)
    await rig.canaries.run()
    assert rig.environment.begun == []
    rig.database.close()


async def test_a_reference_that_is_never_scored_gets_older_from_its_first_try_on(rig: Rig) -> None:
    rig.environment.released.clear()
    before = time.time()
    rig.canaries.watch(NAME)
    await rig.environment.started.wait()
    assert before <= (rig.metric("scorer_canary_timestamp_seconds") or 0) <= time.time()
    assert rig.registry.get_sample_value("scorer_canary_interval_seconds") == INTERVAL_MINUTES * 60
    rig.environment.released.set()


async def test_an_environment_without_a_reference_has_no_age(rig: Rig) -> None:
    rig.environment.canary_marker = None
    rig.canaries.watch(NAME)
    for _ in range(10):
        await asyncio.sleep(0)
    assert rig.metric("scorer_canary_timestamp_seconds") is None
