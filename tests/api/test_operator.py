"""OperatorService: draining and its undoing, devices in and out of use, lists of jobs."""

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc.aio
import pytest
from access_calls import bearer, call
from access_stage import P, Stage, set_up
from artifact_calls import CONTENT, parts
from calls import Streamed, refused, until
from grpc_health.v1 import health_pb2, health_pb2_grpc
from scorer.v1 import job_pb2, operator_pb2, operator_pb2_grpc
from scripted_environment import request
from scripted_service import Service

from scorer_service.environments.interface import WorkerDied
from scorer_service.store.tokens import TokenFile

NAME = "rust_codecontests"


def operator(service: Service) -> Any:
    return operator_pb2_grpc.OperatorServiceStub(service.channel)


async def is_serving(service: Service) -> bool:
    health: Any = health_pb2_grpc.HealthStub(service.channel)
    answer = await health.Check(health_pb2.HealthCheckRequest(service=NAME))
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def status(service: Service) -> operator_pb2.GetStatusResponse:
    answer: operator_pb2.GetStatusResponse = await operator(service).GetStatus(
        operator_pb2.GetStatusRequest()
    )
    return answer


async def jobs(service: Service, **wanted: Any) -> operator_pb2.ListJobsResponse:
    answer: operator_pb2.ListJobsResponse = await operator(service).ListJobs(
        operator_pb2.ListJobsRequest(**wanted)
    )
    return answer


def states(listed: operator_pb2.ListJobsResponse) -> Sequence[str]:
    return [job_pb2.JobState.Name(one.job.state).removeprefix("JOB_STATE_") for one in listed.jobs]


async def test_status_counts_what_runs_and_what_waits(service: Service) -> None:
    calls = [Streamed(service.channel, request(marker)) for marker in "abc"]
    for one in calls:
        await one.job_id()
    await service.environment.started.wait()
    found = await status(service)
    (environment,) = found.environments
    assert (environment.name, environment.serving) == (NAME, True)
    assert (environment.running, environment.queue_depth) == (1, 2)
    assert environment.HasField("oldest_queued")
    assert [(lane.name, lane.places, lane.busy) for lane in found.lanes] == [("build", 4, 0), ("judge", 1, 1)]
    assert found.drain_state == operator_pb2.DRAIN_STATE_NONE
    assert found.storage.free_bytes > 0
    assert found.storage.artifact_quota_bytes == 16 << 20


async def test_a_drain_keeps_what_waits_puts_back_what_does_not_end_and_is_undone(service: Service) -> None:
    calls = [Streamed(service.channel, request(marker)) for marker in "ab"]
    ids = [await one.job_id() for one in calls]
    await service.environment.started.wait()
    drained = operator_pb2.DrainRequest()
    drained.grace.FromSeconds(0)
    answer = await operator(service).Drain(drained)
    assert (answer.put_back_count, answer.queued_count) == (1, 2)
    assert not await is_serving(service)
    assert (await status(service)).drain_state == operator_pb2.DRAIN_STATE_DRAINED
    found = await refused(Streamed(service.channel, request("c")).answer())
    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING")
    assert found.retry_ms
    assert states(await jobs(service)) == ["QUEUED", "QUEUED"]
    service.environment.released.set()
    await operator(service).Resume(operator_pb2.ResumeRequest())
    assert await is_serving(service)
    records = [await service.scheduler.wait(job_id) for job_id in ids]
    assert [record.state.value for record in records] == ["succeeded", "succeeded"]
    assert [record.server_deaths for record in records] == [0, 0]
    assert service.operation.ended == 0


async def test_a_running_job_has_the_grace_and_resuming_calls_the_drain_off(service: Service) -> None:
    job_id = await Streamed(service.channel, request("a")).job_id()
    await service.environment.started.wait()
    draining = asyncio.ensure_future(operator(service).Drain(operator_pb2.DrainRequest()))
    await until(lambda: service.scheduler.is_draining)
    assert (await status(service)).drain_state == operator_pb2.DRAIN_STATE_DRAINING
    await operator(service).Resume(operator_pb2.ResumeRequest())
    found = await refused(draining)
    assert (found.code, found.reason) == (grpc.StatusCode.ABORTED, "DRAIN_CALLED_OFF")
    assert service.environment.killed == []
    service.environment.released.set()
    assert (await service.scheduler.wait(job_id)).delivery_count == 1


async def test_a_drain_with_exit_asks_the_server_to_end_once_nothing_runs(service: Service) -> None:
    await Streamed(service.channel, request("a")).job_id()
    await service.environment.started.wait()
    draining = asyncio.ensure_future(
        operator(service).Drain(operator_pb2.DrainRequest(exit_when_drained=True))
    )
    await until(lambda: service.scheduler.is_draining)
    assert service.operation.ended == 0
    service.environment.released.set()
    assert (await draining).put_back_count == 0
    assert service.operation.ended
    found = await refused(operator(service).Resume(operator_pb2.ResumeRequest()))
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SERVER_ENDING")


async def test_a_quarantined_device_puts_its_jobs_back_and_goes_on_when_it_is_released(
    service: Service,
) -> None:
    job_id = await Streamed(service.channel, request("a")).job_id()
    await service.environment.started.wait()
    asked = operator_pb2.QuarantineDeviceRequest(device="cpu", reason="the fan is loud")
    device = (await operator(service).QuarantineDevice(asked)).device
    assert (device.state, device.reason) == (operator_pb2.DEVICE_STATE_QUARANTINED, "the fan is loud")
    assert device.quarantined_by_operator
    assert service.environment.killed == ["a"]
    assert service.operation.quarantined == {"cpu": True}
    assert not await is_serving(service)
    assert states(await jobs(service)) == ["QUEUED"]
    found = await refused(Streamed(service.channel, request("b")).answer())
    assert found.reason == "ENVIRONMENT_NOT_SERVING"
    assert "the fan is loud" in found.message

    service.operation.found = "3 words were changed"
    released = operator_pb2.ReleaseDeviceRequest(device="cpu", reason="cleaned")
    found = await refused(operator(service).ReleaseDevice(released))
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SELF_TEST_FAILED")
    assert "3 words" in found.message
    assert not await is_serving(service)

    service.operation.found = ""
    service.environment.released.set()
    device = (await operator(service).ReleaseDevice(released)).device
    assert device.state == operator_pb2.DEVICE_STATE_OK
    assert await is_serving(service)
    assert service.operation.quarantined == {"cpu": False}
    assert (await service.scheduler.wait(job_id)).state.value == "succeeded"


async def test_a_device_in_use_that_does_not_pass_is_quarantined_by_its_release(service: Service) -> None:
    service.operation.found = "wrong sums"
    await refused(operator(service).ReleaseDevice(operator_pb2.ReleaseDeviceRequest(device="cpu")))
    (device,) = (await status(service)).devices
    assert device.state == operator_pb2.DEVICE_STATE_QUARANTINED
    assert not device.quarantined_by_operator
    assert "wrong sums" in device.reason


@pytest.mark.parametrize(
    ("method", "asked", "code"),
    [
        ("QuarantineDevice", operator_pb2.QuarantineDeviceRequest(device="cuda:9", reason="x"), "NOT_FOUND"),
        ("QuarantineDevice", operator_pb2.QuarantineDeviceRequest(device="cpu"), "INVALID_ARGUMENT"),
        (
            "QuarantineDevice",
            operator_pb2.QuarantineDeviceRequest(device="cpu", reason="x" * 501),
            "INVALID_ARGUMENT",
        ),
        ("ReleaseDevice", operator_pb2.ReleaseDeviceRequest(device="cuda:9"), "NOT_FOUND"),
        ("ListJobs", operator_pb2.ListJobsRequest(page_size=501), "INVALID_ARGUMENT"),
        ("ListJobs", operator_pb2.ListJobsRequest(page_token="x"), "INVALID_ARGUMENT"),
        ("ListJobs", operator_pb2.ListJobsRequest(states=[77]), "INVALID_ARGUMENT"),  # type: ignore[list-item]
    ],
)
async def test_what_makes_no_sense_is_refused_with_the_way_out(
    service: Service, method: str, asked: Any, code: str
) -> None:
    found = await refused(getattr(operator(service), method)(asked))
    assert found.code.name == code
    assert found.message


async def test_jobs_are_listed_newest_first_by_pages_and_filters(service: Service) -> None:
    service.environment.released.set()
    service.environment.failures["bad"] = [WorkerDied("its worker died"), WorkerDied("disk /dev/x")]
    ids = []
    for marker in ("a", "bad", "c"):
        one = Streamed(service.channel, request(marker))
        ids.append(await one.job_id())
        await service.scheduler.wait(ids[-1])
    first = await jobs(service, page_size=2)
    assert [one.job.job_id for one in first.jobs] == [ids[2], ids[1]]
    second = await jobs(service, page_size=2, page_token=first.next_page_token)
    assert [one.job.job_id for one in second.jobs] == [ids[0]]
    assert second.next_page_token == ""
    assert [one.job.job_id for one in (await jobs(service, set_aside=True)).jobs] == [ids[1]]
    failed = (await jobs(service, states=[job_pb2.JOB_STATE_FAILED])).jobs
    assert [(one.worker_deaths, one.job.set_aside) for one in failed] == [(2, True)]
    assert "disk /dev/x" in failed[0].failure_detail
    assert "disk /dev/x" not in failed[0].job.failure
    assert not (await jobs(service, environment="triton_cumsum")).jobs
    assert not (await jobs(service, attempt_id="attempt-x")).jobs


async def test_who_waits_for_a_job_that_is_set_aside_is_told_so(service: Service) -> None:
    service.environment.released.set()
    service.environment.failures["bad"] = [WorkerDied("its worker died"), WorkerDied("disk /dev/x")]
    found = await refused(Streamed(service.channel, request("bad")).answer())
    assert (found.code, found.reason) == (grpc.StatusCode.INTERNAL, "JOB_SET_ASIDE")
    assert "disk /dev/x" not in found.message


async def test_a_disk_without_room_is_told_at_the_door_and_nothing_is_taken_in(service: Service) -> None:
    service.operation.room.reserve_bytes = 1 << 60
    found = await refused(Streamed(service.channel, request("a")).answer())
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "DISK_FULL")
    assert found.retry_ms
    uploaded = await call(service.channel, f"{P}ArtifactService/UploadArtifact", parts(CONTENT))
    assert uploaded.reason == "DISK_FULL"
    assert not (await jobs(service)).jobs
    assert (await status(service)).storage.artifact_bytes == 0
    service.operation.room.reserve_bytes = 0
    service.environment.released.set()
    await Streamed(service.channel, request("a")).answer()
    assert states(await jobs(service)) == ["SUCCEEDED"]


class TestOnAServerWithTokens:
    @pytest.fixture
    def tokens(self, tmp_path: Any) -> TokenFile:
        return TokenFile(tmp_path)

    @pytest.fixture
    async def stage(self, service: Service, tokens: TokenFile) -> Stage:
        return await set_up(service, tokens)

    @pytest.mark.parametrize(
        ("caller", "more", "sees"),
        [
            ("evaluator", {}, True),
            ("other_evaluator", {}, False),
            ("other_evaluator", {"scorer_evaluator_key": "its own"}, True),
            ("operator", {}, True),
        ],
    )
    async def test_an_evaluator_lists_its_own_jobs_alone(
        self, stage: Stage, caller: str, more: dict[str, str], sees: bool
    ) -> None:
        if more:
            more = {"scorer_evaluator_key": stage.evaluator_key}
        answer = await call(
            stage.service.channel,
            f"{P}OperatorService/ListJobs",
            operator_pb2.ListJobsRequest(),
            bearer(stage.tokens[caller], **more),
        )
        listed = operator_pb2.ListJobsResponse.FromString(answer.first)
        assert [one.job.job_id for one in listed.jobs] == ([stage.job_id] if sees else [])
