"""grpc_server_*: every call is counted under the names and codes of the gRPC ecosystem's dashboards."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused, rest, until
from prometheus_client import generate_latest
from scorer.v1 import (
    artifact_pb2,
    artifact_pb2_grpc,
    attempt_pb2,
    attempt_pb2_grpc,
    environment_pb2,
    environment_pb2_grpc,
    job_pb2,
    job_pb2_grpc,
    result_pb2,
    scoring_pb2_grpc,
    triton_cumsum_pb2,
)
from scripted_environment import request
from scripted_service import Service

from scorer_service.environments.interface import JudgingFailed
from scorer_service.store.limits import QueueLimits

GET_JOB = ("unary", "JobService", "GetJob")
WATCH_JOB = ("server_stream", "JobService", "WatchJob")
SCORE = ("unary", "ScoringService", "ScoreRustCodecontests")
UPLOAD = ("client_stream", "ArtifactService", "UploadArtifact")
STARTER = ("server_stream", "EnvironmentService", "GetStarter")


def value(service: Service, name: str, method: tuple[str, str, str], **more: str) -> float:
    kind, of, call = method
    labels = {"grpc_type": kind, "grpc_service": f"scorer.v1.{of}", "grpc_method": call, **more}
    return service.metrics.get_sample_value(f"grpc_server_{name}", labels) or 0.0


def codes(service: Service, method: tuple[str, str, str]) -> dict[str, float]:
    """How often calls of a method ended with each code."""
    found = {}
    for metric in service.metrics.collect():
        for sample in metric.samples:
            if sample.name == "grpc_server_handled_total" and sample.labels["grpc_method"] == method[2]:
                found[sample.labels["grpc_code"]] = sample.value
    return found


async def counted(service: Service, method: tuple[str, str, str], expected: dict[str, float]) -> None:
    """A call is counted when the server has ended it, and its status may be with the client before."""
    with contextlib.suppress(TimeoutError):
        await until(lambda: codes(service, method) == expected)
    assert codes(service, method) == expected


async def get_job(service: Service, name: job_pb2.JobName | None = None) -> Any:
    stub: Any = job_pb2_grpc.JobServiceStub(service.channel)
    return await stub.GetJob(job_pb2.GetJobRequest(name=name))


async def test_a_unary_call_is_counted_from_begin_to_end(service: Service) -> None:
    service.environment.released.set()
    await Streamed(service.channel, request("a")).answer()
    assert value(service, "started_total", SCORE) == 1
    await counted(service, SCORE, {"OK": 1})
    assert value(service, "msg_received_total", SCORE) == 1
    assert value(service, "msg_sent_total", SCORE) == 1
    assert value(service, "handling_seconds_count", SCORE) == 1
    assert value(service, "handling_seconds_sum", SCORE) > 0
    assert value(service, "handling_seconds_bucket", SCORE, le="+Inf") == 1


async def test_a_call_that_runs_is_started_and_not_handled(service: Service) -> None:
    await Streamed(service.channel, request("a")).job_id()
    assert value(service, "started_total", SCORE) == 1
    assert codes(service, SCORE) == {}


async def test_each_message_of_a_stream_is_counted(service: Service) -> None:
    starters: Any = environment_pb2_grpc.EnvironmentServiceStub(service.channel)
    asked = environment_pb2.GetStarterRequest(environment="rust_codecontests")
    pieces = await rest(starters.GetStarter(asked))
    assert value(service, "msg_received_total", STARTER) == 1
    assert value(service, "msg_sent_total", STARTER) == len(pieces) > 3
    await counted(service, STARTER, {"OK": 1})
    artifacts: Any = artifact_pb2_grpc.ArtifactServiceStub(service.channel)
    of = result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=4)
    header = artifact_pb2.UploadHeader(artifact=of)
    parts = [artifact_pb2.UploadArtifactRequest(header=header)]
    parts += [artifact_pb2.UploadArtifactRequest(chunk=b"x")] * 4
    await refused(artifacts.UploadArtifact(iter(parts)))
    assert value(service, "msg_received_total", UPLOAD) == 5
    assert value(service, "msg_sent_total", UPLOAD) == 0
    await counted(service, UPLOAD, {"InvalidArgument": 1})


async def test_codes_have_the_names_that_dashboards_know(service: Service) -> None:
    service.environment.released.set()
    service.environment.failures["a"] = JudgingFailed("lost")
    scoring: Any = scoring_pb2_grpc.ScoringServiceStub(service.channel)
    attempts: Any = attempt_pb2_grpc.AttemptServiceStub(service.channel)
    await refused(get_job(service))
    await refused(get_job(service, job_pb2.JobName(job_id="x")))
    await counted(service, GET_JOB, {"InvalidArgument": 1, "NotFound": 1})
    await refused(scoring.ScoreTritonCumsum(triton_cumsum_pb2.ScoreTritonCumsumRequest()))
    await counted(service, ("unary", "", "ScoreTritonCumsum"), {"Unimplemented": 1})
    await refused(scoring.ScoreRustCodecontests(request("a")))
    request_id = str(uuid.uuid4())
    await scoring.ScoreRustCodecontests(request("b", request_id=request_id))
    await refused(scoring.ScoreRustCodecontests(request("c", request_id=request_id)))
    made = await attempts.CreateAttempt(attempt_pb2.CreateAttemptRequest(environment="rust_codecontests"))
    attempt_id = made.attempt.attempt_id
    await refused(attempts.CloseAttempt(attempt_pb2.CloseAttemptRequest(attempt_id=attempt_id)))
    await counted(service, ("unary", "", "CloseAttempt"), {"PermissionDenied": 1})
    metadata = (("authorization", f"Bearer {made.evaluator_key}"),)
    await attempts.CloseAttempt(attempt_pb2.CloseAttemptRequest(attempt_id=attempt_id), metadata=metadata)
    await refused(scoring.ScoreRustCodecontests(request("d", attempt_id=attempt_id)))
    await service.scheduler.drain(5)
    await refused(scoring.ScoreRustCodecontests(request("e")))
    await counted(
        service,
        SCORE,
        {
            "OK": 1,
            "Internal": 1,
            "AlreadyExists": 1,
            "FailedPrecondition": 1,
            "Unavailable": 1,
        },
    )


@pytest.mark.parametrize("limits", [QueueLimits(queue_limit=1)])
async def test_a_full_queue_is_resource_exhausted(service: Service) -> None:
    working = Streamed(service.channel, request("0"))
    await service.environment.started.wait()
    waiting = Streamed(service.channel, request("1"))
    await waiting.job_id()
    async with asyncio.timeout(10):
        await refused(Streamed(service.channel, request("2")).answer())
    await counted(service, SCORE, {"ResourceExhausted": 1})
    for call in (working, waiting):
        assert not call.call.done()


async def leave(call: Streamed) -> None:
    call.call.cancel()


async def pass_deadline(call: Streamed) -> None:
    assert (await refused(call.answer())).code is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("timeout_s", "end", "code"),
    [(None, leave, "Canceled"), (60, leave, "Canceled"), (0.3, pass_deadline, "DeadlineExceeded")],
)
async def test_a_caller_that_left_and_one_whose_time_was_up_are_told_apart(
    service: Service, timeout_s: float | None, end: Callable[[Streamed], Any], code: str
) -> None:
    streamed = Streamed(service.channel, request("a"), timeout_s)
    await streamed.job_id()
    await end(streamed)
    await until(lambda: value(service, "handling_seconds_count", SCORE) == 1)
    await counted(service, SCORE, {code: 1})


async def test_a_watcher_that_left_is_cancelled_also_while_a_message_is_on_its_way(service: Service) -> None:
    job_id = await Streamed(service.channel, request("a")).job_id()
    await service.environment.started.wait()
    stub: Any = job_pb2_grpc.JobServiceStub(service.channel)
    calls = [stub.WatchJob(job_pb2.WatchJobRequest(name=job_pb2.JobName(job_id=job_id))) for _ in range(20)]
    for call in calls:
        await call.initial_metadata()
        call.cancel()
    await until(lambda: value(service, "handling_seconds_count", WATCH_JOB) == 20)
    await counted(service, WATCH_JOB, {"Canceled": 20})


async def test_the_calls_own_cancellation_is_canceled_too(service: Service) -> None:
    streamed = Streamed(service.channel, request("a"))
    name = job_pb2.JobName(job_id=await streamed.job_id())
    stub: Any = job_pb2_grpc.JobServiceStub(service.channel)
    await asyncio.gather(stub.CancelJob(job_pb2.CancelJobRequest(name=name)), refused(streamed.answer()))
    await counted(service, SCORE, {"Canceled": 1})


@pytest.mark.parametrize("method", ["/scorer.v1.JobService/Nothing", "/x/y", "/" + "z" * 1000, "/a/b/c"])
async def test_an_unknown_method_makes_no_new_label(service: Service, method: str) -> None:
    before = generate_latest(service.metrics)
    call: Any = service.channel.unary_unary(method)
    assert (await refused(call(b""))).code is grpc.StatusCode.UNIMPLEMENTED
    assert generate_latest(service.metrics) == before
