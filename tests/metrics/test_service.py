"""The whole: what is refreshed on a schedule, and how it goes on after a failure."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from scorer_service.metrics import service
from scorer_service.metrics.service import ServiceMetrics
from scorer_service.sandbox.native import NativeBackend
from scorer_service.store.database import Database
from scorer_service.store.interface import NewJob, QueueState
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

NAME = "rust_codecontests"


class Breaking(SqliteJobQueue):
    """A queue that cannot be read while the test says so."""

    broken = False

    async def state(self, environment: str) -> QueueState:
        if self.broken:
            raise OSError(28, "No space left on device")
        return await super().state(environment)


class Rig:
    """Metrics that are kept fresh, over a real store."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "jobs.sqlite3")
        self.store = Breaking(self.database)
        self.metrics = ServiceMetrics(profile="embedded", state_dir=folder)
        self.queue = self.metrics.metered_queue(self.store)
        self.serving = True

    def value(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(f"scorer_{name}", labels)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110 - a gauge does not tell that it moved
                await asyncio.sleep(0)


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.setattr(service, "REFRESH_EVERY_S", 0.0)
    rig = Rig(tmp_path)
    refreshing = asyncio.create_task(rig.metrics.keep_fresh(rig.queue, [NAME], lambda name: rig.serving))
    yield rig
    refreshing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await refreshing
    rig.database.close()


async def test_gauges_follow_the_server(rig: Rig) -> None:
    await rig.queue.accept(NewJob(NAME, b"", "digest", None, None), QueueLimits())
    await rig.until(lambda: rig.value("queue_depth", environment=NAME) == 1)
    await rig.until(lambda: rig.value("environment_serving", environment=NAME) == 1)
    rig.serving = False
    await rig.until(lambda: rig.value("environment_serving", environment=NAME) == 0)
    assert rig.value("state_free_bytes")


async def test_a_store_that_cannot_be_read_stops_the_time_until_it_can(rig: Rig) -> None:
    await rig.until(lambda: bool(rig.value("refresh_timestamp_seconds")))
    rig.store.broken = True
    await rig.until(lambda: bool(rig.value("refresh_failures_total")))
    stood_still_at = rig.value("refresh_timestamp_seconds")
    failures = rig.value("refresh_failures_total") or 0
    await rig.until(lambda: (rig.value("refresh_failures_total") or 0) > failures)
    assert rig.value("refresh_timestamp_seconds") == stood_still_at
    rig.store.broken = False
    await rig.until(lambda: rig.value("refresh_timestamp_seconds") != stood_still_at)


def test_the_build_is_told(tmp_path: Path) -> None:
    metrics = ServiceMetrics(profile="paper", state_dir=tmp_path)
    info = next(metric for metric in metrics.registry.collect() if metric.name == "scorer_build")
    assert info.samples[0].labels["profile"] == "paper"
    assert info.samples[0].labels["version"]


async def test_time_of_the_device_is_told_while_it_is_held(rig: Rig) -> None:
    gate = rig.metrics.device.make_gate(NativeBackend(1), device_is_cpu=True)
    async with gate.shared():
        await rig.until(lambda: bool(rig.value("device_busy_seconds_total")))
