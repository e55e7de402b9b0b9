"""Suspects are under way alone, and only who had company is one."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from scripted_environment import ScriptedEnvironment, request

from scorer_service.environments.interface import WorkerDied
from scorer_service.scheduling.company import Company
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database
from scorer_service.store.interface import JobState, NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_suspect_waits_for_the_others_and_they_wait_for_it() -> None:
    company = Company()
    order: list[str] = []
    let_go = {name: asyncio.Event() for name in ("first", "suspect", "later")}

    async def be(name: str, *, alone: bool) -> bool:
        async with company.joined(alone=alone) as member:
            order.append(name)
            await let_go[name].wait()
            return member.had_company

    first = asyncio.create_task(be("first", alone=False))
    await settled()
    suspect = asyncio.create_task(be("suspect", alone=True))
    await settled()
    later = asyncio.create_task(be("later", alone=False))
    await settled()
    assert order == ["first"]
    let_go["first"].set()
    await settled()
    assert order == ["first", "suspect"]
    let_go["suspect"].set()
    await settled()
    assert order == ["first", "suspect", "later"]
    let_go["later"].set()
    assert [await one for one in (first, suspect, later)] == [False, False, False]


async def test_those_who_are_under_way_together_are_company_for_each_other() -> None:
    company = Company()
    async with company.joined(alone=False) as one:
        assert not one.had_company
        async with company.joined(alone=False) as other:
            pass
        assert (one.had_company, other.had_company) == (True, True)


async def test_a_suspect_loses_its_patience_and_who_gives_up_leaves_nothing_behind() -> None:
    company = Company(patience_s=0.0)
    async with company.joined(alone=False), company.joined(alone=True) as suspect:
        assert suspect.had_company
    patient = Company()
    async with patient.joined(alone=False):
        waiting = asyncio.create_task(patient.joined(alone=True).__aenter__())
        await settled()
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        async with patient.joined(alone=False):
            pass


@pytest.mark.parametrize("kills", [1, 2])
async def test_an_innocent_job_beside_a_poisonous_one_is_judged_also_after_a_restart(
    tmp_path: Path, kills: int
) -> None:
    """Both see the first death; the second is the poisonous one's alone."""
    settings = SchedulerSettings(owner="test", lane_places={"build": 4, "judge": 2}, ahead=0)
    database = Database(tmp_path / "jobs.sqlite3")
    queue = SqliteJobQueue(database)
    environment = ScriptedEnvironment()
    artifacts = ArtifactFolder(tmp_path / "artifacts", artifact_limit_bytes=1000, quota_bytes=1000)

    def scheduler() -> Scheduler:
        return Scheduler(settings, queue, artifacts, {environment.name: environment})

    async def accepted(marker: str) -> str:
        job = NewJob(environment.name, request(marker).SerializeToString(), marker, None, None)
        return (await queue.accept(job, QueueLimits()))[0].job_id

    ids = [await accepted(marker) for marker in ("poison", "innocent")]
    environment.failures["poison"] = [WorkerDied("killed") for _ in range(kills)]
    environment.failures["innocent"] = [WorkerDied("killed by another")]
    first = scheduler()
    await first.start()
    first.serve(environment.name)
    while sorted(environment.begun) != ["innocent", "poison"]:
        environment.started.clear()
        await environment.started.wait()
    environment.released.set()
    for job_id in ids:
        event = first.board.watch(job_id)
        while (await queue.find(job_id=job_id)).worker_deaths == 0:  # type: ignore[union-attr]
            await event.wait()
            event.clear()
    await first.drain(0)
    second = scheduler()
    await second.start()
    second.serve(environment.name)
    records = [await second.wait(job_id) for job_id in ids]
    assert records[0].set_aside == (kills == 2)
    assert records[1].state is JobState.SUCCEEDED
    await second.drain(0)
    database.close()
