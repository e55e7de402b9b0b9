"""JobService: a job is seen and ended by either of its names, and a watch ends with the final state."""

import asyncio
import uuid
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused, rest, until
from scorer.v1 import job_pb2, job_pb2_grpc
from scripted_environment import request
from scripted_service import Service

from scorer_service.environments.interface import JudgingFailed


def jobs(service: Service) -> Any:
    return job_pb2_grpc.JobServiceStub(service.channel)


def by_id(job_id: str) -> job_pb2.JobName:
    return job_pb2.JobName(job_id=job_id)


async def get(service: Service, name: job_pb2.JobName) -> job_pb2.Job:
    response: job_pb2.GetJobResponse = await jobs(service).GetJob(job_pb2.GetJobRequest(name=name))
    return response.job


def watch(service: Service, job_id: str) -> Any:
    return jobs(service).WatchJob(job_pb2.WatchJobRequest(name=by_id(job_id)))


async def test_both_names_lead_to_the_job_with_its_stage_and_counts(service: Service) -> None:
    submission = request("a", request_id=str(uuid.uuid4()))
    streamed = Streamed(service.channel, submission)
    await service.environment.started.wait()
    found = await get(service, job_pb2.JobName(request_id=submission.context.request_id))
    assert found == await get(service, by_id(await streamed.job_id()))
    assert (found.environment, found.state, found.stage) == (
        "rust_codecontests",
        job_pb2.JOB_STATE_RUNNING,
        "judge",
    )
    assert (found.progress.done, found.progress.total, found.progress.unit) == (1, 2, "problems")
    assert found.delivery_count == 1
    assert found.HasField("accepted_at")
    assert found.HasField("started_at")
    assert not found.HasField("finished_at")


async def test_a_job_that_has_ended_has_no_stage_and_says_when(service: Service) -> None:
    service.environment.released.set()
    streamed = Streamed(service.channel, request("a"))
    await streamed.answer()
    found = await get(service, by_id(await streamed.job_id()))
    assert (found.state, found.stage) == (job_pb2.JOB_STATE_SUCCEEDED, "")
    assert not found.HasField("progress")
    assert found.started_at.ToNanoseconds() >= found.accepted_at.ToNanoseconds()
    assert found.finished_at.ToNanoseconds() >= found.started_at.ToNanoseconds()


async def test_a_failed_job_says_so_but_nothing_of_the_inside(service: Service) -> None:
    service.environment.released.set()
    service.environment.failures["a"] = JudgingFailed("expected answer in /secret/path")
    streamed = Streamed(service.channel, request("a"))
    await refused(streamed.answer())
    found = await get(service, by_id(await streamed.job_id()))
    assert found.state == job_pb2.JOB_STATE_FAILED
    assert found.failure
    assert "secret" not in found.failure


@pytest.mark.parametrize("method", ["GetJob", "CancelJob", "WatchJob"])
@pytest.mark.parametrize(
    "name",
    [by_id("job-0"), job_pb2.JobName(request_id=str(uuid.uuid4())), by_id(""), by_id("\0" + "😀" * 10_000)],
    ids=["job id", "request id", "empty", "odd"],
)
async def test_an_unknown_job_is_not_found(service: Service, method: str, name: job_pb2.JobName) -> None:
    found = await refused(call(service, method, name))
    assert (found.code, found.reason) == (grpc.StatusCode.NOT_FOUND, "JOB_NOT_FOUND")
    assert found.metadata_bytes < 8 << 10


@pytest.mark.parametrize("method", ["GetJob", "CancelJob", "WatchJob"])
async def test_a_call_must_name_a_job(service: Service, method: str) -> None:
    found = await refused(call(service, method, None))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["name"])


def call(service: Service, method: str, name: job_pb2.JobName | None) -> Any:
    started = getattr(jobs(service), method)(getattr(job_pb2, f"{method}Request")(name=name))
    return started.read() if method == "WatchJob" else started


async def test_a_watch_shows_each_place_in_the_queue_and_ends_with_the_final_state(service: Service) -> None:
    calls = [Streamed(service.channel, request("0"))]
    await service.environment.started.wait()
    for marker in "123":
        calls.append(Streamed(service.channel, request(marker)))
        await calls[-1].job_id()
    watching = watch(service, await calls[3].job_id())
    seen = (await watching.read()).job
    assert (seen.state, seen.queue_position) == (job_pb2.JOB_STATE_QUEUED, 2)
    await jobs(service).CancelJob(job_pb2.CancelJobRequest(name=by_id(await calls[1].job_id())))
    seen = (await watching.read()).job
    assert (seen.state, seen.queue_position) == (job_pb2.JOB_STATE_QUEUED, 1)
    service.environment.released.set()
    states = [(message.job.state, message.job.queue_position) for message in await rest(watching)]
    assert states == sorted(states, key=lambda state: (state[0], -state[1]))
    assert states[-1] == (job_pb2.JOB_STATE_SUCCEEDED, 0)
    assert states.count(states[-1]) == 1
    assert await watching.code() is grpc.StatusCode.OK


async def test_a_watch_tells_each_count_once(service: Service) -> None:
    streamed = Streamed(service.channel, request("a"))
    await service.environment.started.wait()
    watching = watch(service, await streamed.job_id())
    first = await watching.read()
    assert (first.job.progress.done, first.heartbeat) == (1, False)
    service.scheduler.board.wake_all()  # as when another job begins
    service.environment.released.set()
    later = await rest(watching)
    assert first not in later
    assert not any(message.heartbeat for message in later)


async def test_watching_a_job_that_has_ended_shows_its_end(service: Service) -> None:
    service.environment.released.set()
    streamed = Streamed(service.channel, request("a"))
    await streamed.answer()
    seen = [message.job.state async for message in watch(service, await streamed.job_id())]
    assert seen == [job_pb2.JOB_STATE_SUCCEEDED]


@pytest.mark.parametrize("heartbeat_s", [0.02])
async def test_a_silent_watch_gets_heartbeats(service: Service) -> None:
    streamed = Streamed(service.channel, request("a"))
    await service.environment.started.wait()
    watching = watch(service, await streamed.job_id())
    first = await watching.read()
    for _ in range(3):
        beat = await watching.read()
        assert beat.heartbeat
        assert beat.job == first.job


@pytest.mark.parametrize("heartbeat_s", [0.02])
async def test_other_jobs_do_not_keep_a_watch_silent(service: Service) -> None:
    streamed = Streamed(service.channel, request("a"))
    await service.environment.started.wait()
    watching = watch(service, await streamed.job_id())
    await watching.read()

    async def wake() -> None:
        while True:
            service.scheduler.board.wake_all()
            await asyncio.sleep(0)

    waking = asyncio.create_task(wake())
    async with asyncio.timeout(10):
        assert (await watching.read()).heartbeat
    waking.cancel()


async def test_a_watcher_that_leaves_is_forgotten(service: Service) -> None:
    streamed = Streamed(service.channel, request("a", request_id=str(uuid.uuid4())))
    job_id = await streamed.job_id()
    await service.environment.started.wait()
    watchings = [watch(service, job_id) for _ in range(10)]
    for watching in watchings:
        await watching.read()
    assert len(service.scheduler.board._watchers[job_id]) == 11
    for watching in watchings:
        watching.cancel()
    await until(lambda: len(service.scheduler.board._watchers[job_id]) == 1)


async def test_a_draining_server_lets_a_watch_see_the_end_of_a_running_job(service: Service) -> None:
    running = Streamed(service.channel, request("a"))
    await service.environment.started.wait()
    queued = Streamed(service.channel, request("b", request_id=str(uuid.uuid4())))
    watchings = [watch(service, await streamed.job_id()) for streamed in (running, queued)]
    for watching in watchings:
        await watching.read()
    draining = asyncio.create_task(service.scheduler.drain(10))
    found = await refused(watchings[1].read())
    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING")
    service.environment.released.set()
    states = [message.job.state for message in await rest(watchings[0])]
    assert states == [job_pb2.JOB_STATE_SUCCEEDED]
    await draining


async def test_a_watch_ends_when_its_job_goes_back_to_the_queue_for_the_next_server(service: Service) -> None:
    streamed = Streamed(service.channel, request("a", request_id=str(uuid.uuid4())))
    await service.environment.started.wait()
    watching = watch(service, await streamed.job_id())
    await watching.read()
    await service.scheduler.drain(0)
    assert (await watching.read()).job.state == job_pb2.JOB_STATE_QUEUED
    assert (await refused(watching.read())).reason == "SERVER_DRAINING"


@pytest.mark.parametrize("by", ["job_id", "request_id"])
async def test_cancelling_ends_the_job_before_it_answers(service: Service, by: str) -> None:
    submission = request("a", request_id=str(uuid.uuid4()))
    streamed = Streamed(service.channel, submission)
    job_id = await streamed.job_id()
    await service.environment.started.wait()
    watching = watch(service, job_id)
    await watching.read()
    name = by_id(job_id) if by == "job_id" else job_pb2.JobName(request_id=submission.context.request_id)
    answer = await jobs(service).CancelJob(job_pb2.CancelJobRequest(name=name))
    assert answer.job.state == job_pb2.JOB_STATE_CANCELLED
    assert service.environment.killed == ["a"]
    states = [message.job.state for message in await rest(watching)]
    assert states[-1] == job_pb2.JOB_STATE_CANCELLED
    assert await jobs(service).CancelJob(job_pb2.CancelJobRequest(name=name)) == answer


async def test_cancelling_a_queued_job_keeps_it_from_being_judged(service: Service) -> None:
    first = Streamed(service.channel, request("a"))
    await service.environment.started.wait()
    second = Streamed(service.channel, request("b"))
    name = by_id(await second.job_id())
    await jobs(service).CancelJob(job_pb2.CancelJobRequest(name=name))
    assert (await refused(second.answer())).reason == "JOB_CANCELLED"
    service.environment.released.set()
    await first.answer()
    third = Streamed(service.channel, request("c"))
    await third.answer()
    assert service.environment.begun == ["a", "c"]


async def test_cancelling_a_judged_job_leaves_its_result(service: Service) -> None:
    service.environment.released.set()
    submission = request("a", request_id=str(uuid.uuid4()))
    streamed = Streamed(service.channel, submission)
    answer = await streamed.answer()
    name = by_id(await streamed.job_id())
    cancelled = await jobs(service).CancelJob(job_pb2.CancelJobRequest(name=name))
    assert cancelled.job.state == job_pb2.JOB_STATE_SUCCEEDED
    assert await Streamed(service.channel, submission).answer() == answer
