"""Leases: an operator sees one that is held for too long, is not renewed, or is lost."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from scorer_service.metrics.jobs import MeteredQueue
from scorer_service.metrics.leases import LeaseMetrics
from scorer_service.store.database import Database
from scorer_service.store.interface import Lease, NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

NAME = "rust_codecontests"
LEASE = Lease("job", NAME, 1, b"", 0.0)


class Rig:
    """Lease metrics with a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 50.0
        self.registry = CollectorRegistry()
        self.metrics = LeaseMetrics(self.registry, clock=lambda: self.now)

    def gauges(self) -> tuple[float | None, ...]:
        """Leases held, the oldest one's age, the longest time without a renewal."""
        self.metrics.refresh([NAME])
        names = ("leases_held", "lease_oldest_age_seconds", "lease_oldest_renewal_age_seconds")
        return tuple(
            self.registry.get_sample_value(f"scorer_{name}", {"environment": NAME}) for name in names
        )

    @property
    def lost(self) -> float:
        return self.registry.get_sample_value("scorer_leases_lost_total", {"environment": NAME}) or 0.0


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_without_a_lease_there_is_no_age(rig: Rig) -> None:
    assert rig.gauges() == (0, 0, 0)


def test_the_oldest_lease_is_told_and_a_renewal_makes_it_no_younger(rig: Rig) -> None:
    other = replace(LEASE, job_id="other")
    rig.metrics.taken(LEASE)
    rig.now += 20
    rig.metrics.taken(other)
    rig.now += 5
    assert rig.gauges() == (2, 25, 25)
    rig.metrics.renewed(LEASE)
    assert rig.gauges() == (2, 25, 5)
    rig.metrics.ended(LEASE)
    assert rig.gauges() == (1, 5, 5)


def test_a_lease_is_lost_once_and_an_ended_one_never(rig: Rig) -> None:
    rig.metrics.taken(LEASE)
    rig.metrics.lost(LEASE)
    rig.metrics.lost(LEASE)
    assert (rig.lost, rig.gauges()) == (1, (0, 0, 0))
    rig.metrics.taken(LEASE)
    rig.metrics.ended(LEASE)
    rig.metrics.lost(LEASE)
    assert rig.lost == 1


def test_an_old_lease_does_not_end_the_new_one_of_its_job(rig: Rig) -> None:
    rig.metrics.taken(replace(LEASE, number=2))
    rig.metrics.lost(LEASE)
    rig.metrics.ended(LEASE)
    assert rig.gauges() == (1, 0, 0)
    assert rig.lost == 0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "jobs.sqlite3")
    yield database
    database.close()


async def test_the_queue_tells_of_leases(database: Database) -> None:
    registry = CollectorRegistry()
    queue = MeteredQueue(SqliteJobQueue(database), registry)

    async def held() -> float | None:
        await queue.refresh([NAME])
        return registry.get_sample_value("scorer_leases_held", {"environment": NAME})

    def lost() -> float:
        return registry.get_sample_value("scorer_leases_lost_total", {"environment": NAME}) or 0.0

    async def claim() -> Lease:
        await queue.accept(NewJob(NAME, b"", "digest", None, None), QueueLimits())
        lease = await queue.claim(NAME, "owner", 30)
        assert lease is not None
        return lease

    lease = await claim()
    assert await held() == 1
    assert await queue.renew(lease, 30)
    assert await queue.give_back(lease)
    assert await held() == 0
    again = await queue.claim(NAME, "owner", 30)
    assert again is not None
    assert await held() == 1
    await queue.fail(again, "no disk")
    assert await held() == 0

    cancelled = await claim()
    await queue.cancel(cancelled.job_id)
    assert not await queue.renew(cancelled, 30)
    assert (await held(), lost()) == (0, 0)

    taken_away = await claim()
    await queue.reclaim(everything=True, death_limit=5)
    assert not await queue.renew(taken_away, 30)
    assert (await held(), lost()) == (0, 1)
