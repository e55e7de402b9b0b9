"""Use of lanes: how long places are taken, and when a lane idles though there is work for it."""

import asyncio
from dataclasses import dataclass, field

import pytest
from prometheus_client import CollectorRegistry

from scorer_service.metrics.lanes import LaneMetrics
from scorer_service.scheduling.lane import Lane

ENVIRONMENT = "triton_cumsum"


@dataclass
class Rig:
    """Two lanes, and a clock that the test moves."""

    now: float = 100.0
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        self.metrics = LaneMetrics(self.registry, clock=lambda: self.now)
        self.build: Lane = self.metrics.make_lane("build", 2)
        self.device: Lane = self.metrics.make_lane("device", 1)
        self.metrics.add_environment(ENVIRONMENT, {"build", "device"})

    def value(self, name: str, lane: str = "device") -> float:
        return self.registry.get_sample_value(f"scorer_lane_{name}", {"lane": lane}) or 0.0

    @property
    def idle(self) -> float:
        self.metrics.advance()
        return self.value("idle_while_work_waited_seconds_total")


@pytest.fixture
async def rig() -> Rig:
    return Rig()


async def test_places_that_are_taken_count_while_they_are(rig: Rig) -> None:
    async with rig.build.place():
        rig.now += 1
        async with rig.build.place():
            rig.now += 10
            rig.metrics.advance()
            assert rig.value("busy_seconds_total", "build") == 21
            assert rig.value("busy", "build") == 2
    rig.now += 100
    rig.metrics.advance()
    assert rig.value("busy_seconds_total", "build") == 21
    assert (rig.value("busy", "build"), rig.value("places", "build")) == (0, 2)


async def test_a_place_is_free_again_after_an_error(rig: Rig) -> None:
    with pytest.raises(RuntimeError):
        async with rig.device.place():
            raise RuntimeError
    rig.now += 5
    rig.metrics.advance()
    assert rig.value("busy_seconds_total") == 0


async def test_the_wait_for_a_place_is_measured(rig: Rig) -> None:
    async def wait() -> None:
        async with rig.device.place():
            pass

    async with rig.device.place():
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        rig.metrics.advance()
        assert rig.value("waiting") == 1
        rig.now += 7
    await waiting
    assert (rig.value("wait_seconds_count"), rig.value("wait_seconds_sum")) == (2, 7)
    rig.metrics.advance()
    assert rig.value("waiting") == 0


async def test_a_lane_without_work_in_sight_does_not_idle(rig: Rig) -> None:
    rig.now += 10
    assert rig.idle == 0


async def test_a_lane_idles_while_a_job_is_queued_or_being_prepared_for_it(rig: Rig) -> None:
    rig.metrics.queued(ENVIRONMENT, 1)
    rig.now += 1  # in the queue
    rig.metrics.taken("job", ENVIRONMENT)
    rig.now += 2  # waits for a build
    async with rig.build.place():
        rig.metrics.reached("job", "build")
        rig.now += 4
    assert rig.idle == 7
    async with rig.device.place():
        rig.metrics.reached("job", "device")
        rig.now += 8
    rig.now += 16  # its result is being stored: nothing that the lane could do
    rig.metrics.ended("job")
    rig.now += 32
    assert rig.idle == 7
    assert rig.value("busy_seconds_total") == 8


async def test_a_lane_that_works_does_not_idle_however_long_the_queue_is(rig: Rig) -> None:
    rig.metrics.set_queued(ENVIRONMENT, 10)
    async with rig.device.place():
        rig.now += 5
        assert rig.idle == 0


async def test_a_job_that_ends_before_a_lane_is_no_work_for_it(rig: Rig) -> None:
    rig.metrics.queued(ENVIRONMENT, 1)
    rig.metrics.taken("job", ENVIRONMENT)
    rig.metrics.ended("job")
    rig.now += 5
    assert rig.idle == 0


async def test_what_the_store_says_of_the_queue_holds(rig: Rig) -> None:
    rig.metrics.set_queued(ENVIRONMENT, 3)
    rig.metrics.set_queued(ENVIRONMENT, 0)
    rig.now += 5
    assert rig.idle == 0
    rig.metrics.taken("job", ENVIRONMENT)  # of which nobody told that it was queued
    rig.metrics.ended("job")
    rig.metrics.queued(ENVIRONMENT, 1)
    rig.now += 3
    assert rig.idle == 3


async def test_work_of_other_lanes_does_not_matter(rig: Rig) -> None:
    rig.metrics.make_lane("judge", 1)
    rig.metrics.add_environment("rust_codecontests", {"judge"})
    rig.metrics.queued("rust_codecontests", 1)
    rig.now += 5
    assert rig.idle == 0
    assert rig.value("idle_while_work_waited_seconds_total", "judge") == 5
