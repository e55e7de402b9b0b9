"""The way of a job: one delivery at a time, one result, and nothing left behind when it ends otherwise."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_environment import ScriptedEnvironment, request

from scorer_service.environments.interface import JudgingFailed, Verdict, WorkerDied
from scorer_service.scheduling.scheduler import Draining, JobNotFound, Scheduler, SchedulerSettings
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskFull
from scorer_service.store.interface import JobState, Lease, NewJob
from scorer_service.store.jobs import SqliteJobQueue

SETTINGS = SchedulerSettings(owner="test", lane_places={"build": 4, "judge": 1}, ahead=1)


class Rig:
    """A scheduler on a real queue, with an environment that does what the test says."""

    def __init__(self, folder: Path, settings: SchedulerSettings) -> None:
        self._database = Database(folder / "jobs.sqlite3")
        self.queue = SqliteJobQueue(self._database)
        self.environment = ScriptedEnvironment()
        artifacts = ArtifactFolder(folder / "artifacts", artifact_limit_bytes=1000, quota_bytes=1000)
        self.scheduler = Scheduler(settings, self.queue, artifacts, {"rust_codecontests": self.environment})

    async def start(self) -> None:
        await self.scheduler.start()
        self.scheduler.serve("rust_codecontests")

    async def submit(self, marker: str) -> str:
        payload = request(marker).SerializeToString()
        record, _ = await self.scheduler.submit(NewJob("rust_codecontests", payload, marker, None, None))
        return record.job_id

    async def state(self, job_id: str) -> JobState:
        return (await self.scheduler.snapshot(job_id=job_id)).record.state

    async def until(self, condition: Callable[[], bool], job_id: str) -> None:
        """Wait for a condition that changes with the job."""
        event = self.scheduler.board.watch(job_id)
        async with asyncio.timeout(10):
            while not condition():
                await event.wait()
                event.clear()
        self.scheduler.board.unwatch(job_id, event)

    async def crash(self) -> None:
        """End without telling anybody, as SIGKILL does."""
        for task in [*self.scheduler._loops.values(), *self.scheduler._deliveries.values()]:
            task.cancel()
        self._database.close()
        await asyncio.sleep(0)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(tmp_path, SETTINGS)
    await rig.start()
    yield rig
    rig.environment.released.set()
    await rig.scheduler.drain(5)
    rig._database.close()


async def test_a_job_ends_with_its_result_and_its_normalised_score(rig: Rig) -> None:
    rig.environment.released.set()
    rig.environment.raw_scores["a"] = 0.75
    record = await rig.scheduler.wait(await rig.submit("a"))
    assert record.state is JobState.SUCCEEDED
    assert record.result is not None
    assert (record.result.raw_score, record.result.normalized_score) == (0.75, 1.5)


async def test_everyone_who_waits_for_a_job_gets_its_result(rig: Rig) -> None:
    job_id = await rig.submit("a")
    waiting = [asyncio.create_task(rig.scheduler.wait(job_id)) for _ in range(3)]
    await rig.environment.started.wait()
    rig.environment.released.set()
    records = await asyncio.gather(*waiting)
    assert {record.job_id for record in records} == {job_id}


async def test_a_lane_takes_no_more_than_its_places_and_one_is_ready_ahead(rig: Rig) -> None:
    ids = [await rig.submit(marker) for marker in "abc"]
    await rig.environment.started.wait()
    await rig.until(lambda: rig.scheduler.lanes["judge"].waiting == 1, ids[1])
    assert rig.environment.begun == ["a"]
    assert [await rig.state(job_id) for job_id in ids] == [
        JobState.RUNNING,
        JobState.RUNNING,
        JobState.QUEUED,
    ]
    rig.environment.released.set()
    await rig.scheduler.wait(ids[2])
    assert rig.environment.begun == ["a", "b", "c"]


async def test_progress_and_position_are_seen_while_it_runs(rig: Rig) -> None:
    ids = [await rig.submit(marker) for marker in "abcd"]
    await rig.environment.started.wait()
    await rig.until(lambda: rig.scheduler.board.get(ids[0]).done == 1, ids[0])
    running = await rig.scheduler.snapshot(job_id=ids[0])
    assert (running.progress.stage, running.progress.done, running.progress.total) == ("judge", 1, 2)
    await rig.until(lambda: ids[1] in rig.scheduler._deliveries, ids[1])
    assert [(await rig.scheduler.snapshot(job_id=job_id)).queue_position for job_id in ids[2:]] == [0, 1]


async def test_cancelling_a_running_job_kills_its_work_before_it_returns(rig: Rig) -> None:
    job_id = await rig.submit("a")
    await rig.environment.started.wait()
    snapshots = await asyncio.gather(*(rig.scheduler.cancel(job_id) for _ in range(3)))
    assert {snapshot.record.state for snapshot in snapshots} == {JobState.CANCELLED}
    assert rig.environment.killed == ["a"]
    assert rig.scheduler.lanes["judge"].busy == 0
    assert (await rig.scheduler.wait(job_id)).state is JobState.CANCELLED


async def test_cancelling_a_waiting_job_lets_it_never_begin(rig: Rig) -> None:
    ids = [await rig.submit(marker) for marker in "abc"]
    await rig.environment.started.wait()
    await rig.scheduler.cancel(ids[2])
    rig.environment.released.set()
    await rig.scheduler.wait(ids[1])
    await rig.scheduler.wait(await rig.submit("d"))
    assert rig.environment.begun == ["a", "b", "d"]
    with pytest.raises(JobNotFound):
        await rig.scheduler.cancel("job-unknown")


@pytest.mark.parametrize("error", [JudgingFailed("no room on the disk"), RuntimeError("a fault")])
async def test_a_failure_of_the_service_is_no_score(rig: Rig, error: Exception) -> None:
    rig.environment.released.set()
    rig.environment.failures["a"] = error
    record = await rig.scheduler.wait(await rig.submit("a"))
    assert record.state is JobState.FAILED
    assert record.result is None
    assert (await rig.scheduler.wait(await rig.submit("b"))).state is JobState.SUCCEEDED


async def test_a_job_over_which_a_worker_died_is_delivered_once_more(rig: Rig) -> None:
    rig.environment.released.set()
    rig.environment.failures["a"] = [WorkerDied("killed")]
    record = await rig.scheduler.wait(await rig.submit("a"))
    assert record.state is JobState.SUCCEEDED
    assert rig.environment.begun == ["a", "a"]


async def test_a_job_over_which_two_workers_died_is_the_failure_of_the_service(rig: Rig) -> None:
    rig.environment.released.set()
    rig.environment.failures["a"] = [
        WorkerDied("killed"),
        WorkerDied("killed again"),
        WorkerDied("not asked"),
    ]
    record = await rig.scheduler.wait(await rig.submit("a"))
    assert (record.state, record.failure) == (
        JobState.FAILED,
        "set aside: 2 workers died over it, the last: killed again",
    )
    assert (record.set_aside, record.worker_deaths) == (True, 2)
    assert (await rig.scheduler.wait(await rig.submit("b"))).state is JobState.SUCCEEDED


async def test_a_job_with_an_outcome_waits_for_no_more_lanes(rig: Rig) -> None:
    rig.environment.ended_in_build.add("b")
    await rig.submit("a")
    await rig.environment.started.wait()  # and holds the only place of the last lane
    record = await rig.scheduler.wait(await rig.submit("b"))
    assert record.result is not None
    assert record.result.verdict is Verdict.BUILD_ERROR
    assert rig.environment.begun == ["a"]


async def test_a_lease_that_could_not_be_renewed_is_renewed_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(tmp_path, replace(SETTINGS, lease_s=0.3))
    renew, errors = rig.queue.renew, [DiskFull("for a moment")]
    renewed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def renew_or_fail(lease: Lease, lease_s: float) -> bool:
        if errors:
            raise errors.pop()
        if not renewed.done():
            renewed.set_result(lease.number)
        return await renew(lease, lease_s)

    monkeypatch.setattr(rig.queue, "renew", renew_or_fail)
    await rig.start()
    await rig.submit("a")
    async with asyncio.timeout(10):
        assert await renewed == 1, "the lease ran out, and the job was delivered again"
    rig.environment.released.set()
    await rig.scheduler.drain(5)
    rig._database.close()


@pytest.mark.parametrize("end", ["scored", "failed", "cancelled"])
async def test_what_a_job_opened_is_closed_however_it_ends(rig: Rig, end: str) -> None:
    if end == "failed":
        rig.environment.failures["a"] = RuntimeError("a fault")
    job_id = await rig.submit("a")
    await rig.environment.started.wait()
    assert rig.environment.left_behind == ["a"]
    if end == "cancelled":
        await rig.scheduler.cancel(job_id)
    else:
        rig.environment.released.set()
        await rig.scheduler.wait(job_id)
    assert rig.environment.left_behind == []


async def test_after_a_crash_every_job_is_taken_up_and_ends_once(tmp_path: Path) -> None:
    before = Rig(tmp_path, SETTINGS)
    await before.start()
    ids = [await before.submit(marker) for marker in "abc"]
    await before.environment.started.wait()
    await before.crash()

    after = Rig(tmp_path, replace(SETTINGS, owner="next"))
    after.environment.released.set()
    await after.start()
    records = [await after.scheduler.wait(job_id) for job_id in ids]
    assert [record.state for record in records] == [JobState.SUCCEEDED] * 3
    assert records[0].delivery_count == 2
    assert after.environment.begun == ["a", "b", "c"]
    await after.scheduler.drain(5)
    after._database.close()


async def test_draining_lets_running_jobs_end_and_keeps_the_others(rig: Rig) -> None:
    ids = [await rig.submit(marker) for marker in "abc"]
    await rig.environment.started.wait()
    await rig.until(lambda: ids[1] in rig.scheduler._deliveries, ids[1])
    waiting = asyncio.create_task(rig.scheduler.wait(ids[2]))
    draining = asyncio.create_task(rig.scheduler.drain(10))
    with pytest.raises(Draining):
        await waiting
    rig.environment.released.set()
    await draining
    assert [await rig.state(job_id) for job_id in ids] == [
        JobState.SUCCEEDED,
        JobState.SUCCEEDED,
        JobState.QUEUED,
    ]
    with pytest.raises(Draining):
        await rig.submit("d")


async def test_draining_puts_back_what_does_not_end_in_time(rig: Rig) -> None:
    job_id = await rig.submit("a")
    await rig.environment.started.wait()
    await rig.scheduler.drain(0)
    assert rig.environment.killed == ["a"]
    assert await rig.state(job_id) is JobState.QUEUED


async def test_the_expected_wait_grows_with_the_queue(rig: Rig) -> None:
    assert await rig.scheduler.expected_wait_s("rust_codecontests") == 0.0
    for marker in "abcdef":
        await rig.submit(marker)
    await rig.environment.started.wait()
    longer = await rig.scheduler.expected_wait_s("rust_codecontests")
    assert longer > 0.0
    rig.environment.released.set()
