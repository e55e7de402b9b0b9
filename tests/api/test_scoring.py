"""ScoringService: one request id is one job, a call without one dies with its caller, and nothing leaks."""

import asyncio
import uuid
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused
from scorer.v1 import (
    attempt_pb2,
    attempt_pb2_grpc,
    job_pb2,
    job_pb2_grpc,
    result_pb2,
    scoring_pb2_grpc,
    triton_cumsum_pb2,
)
from scorer.v1 import rust_codecontests_pb2 as messages
from scripted_environment import request
from scripted_service import Service

from scorer_service.api.registry import Readiness
from scorer_service.environments.interface import JudgingFailed
from scorer_service.store.interface import JobState


def scoring(service: Service) -> Any:
    return scoring_pb2_grpc.ScoringServiceStub(service.channel)


def artifact(sha256: str, size_bytes: int) -> result_pb2.SourceFile:
    return result_pb2.SourceFile(artifact=result_pb2.ArtifactReference(sha256=sha256, size_bytes=size_bytes))


async def test_a_submission_is_answered_with_verdict_and_score(service: Service) -> None:
    service.environment.released.set()
    call = scoring(service).ScoreRustCodecontests(request("a"))
    response = await call
    assert response.result.verdict == result_pb2.VERDICT_SCORED
    assert (response.result.score.raw, response.result.score.normalized) == (0.5, 1.0)
    assert response.problems[0].verdict == messages.PROBLEM_VERDICT_ACCEPTED
    assert response.problem_count == 2
    assert response.result.finished_at.ToNanoseconds() >= response.result.accepted_at.ToNanoseconds()
    assert dict(await call.initial_metadata())["scorer-job-id"] == response.result.job_id


async def test_what_only_the_evaluator_may_know_is_in_no_answer_to_the_agent(service: Service) -> None:
    service.environment.released.set()
    response = await scoring(service).ScoreRustCodecontests(request("a"))
    assert b"test 7" not in response.SerializeToString()


async def test_one_request_id_is_judged_once_however_often_it_is_asked(service: Service) -> None:
    submission = request("a", request_id=str(uuid.uuid4()))
    calls = [scoring(service).ScoreRustCodecontests(submission) for _ in range(5)]
    await service.environment.started.wait()
    service.environment.released.set()
    answers = [await call for call in calls]
    answers.append(await scoring(service).ScoreRustCodecontests(submission))
    assert all(answer == answers[0] for answer in answers)
    assert service.environment.begun == ["a"]


async def test_a_request_id_with_another_payload_or_attempt_is_an_error(service: Service) -> None:
    service.environment.released.set()
    request_id = str(uuid.uuid4())
    await scoring(service).ScoreRustCodecontests(request("a", request_id=request_id))
    found = await refused(scoring(service).ScoreRustCodecontests(request("b", request_id=request_id)))
    assert (found.code, found.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    attempts: Any = attempt_pb2_grpc.AttemptServiceStub(service.channel)
    attempt = (
        await attempts.CreateAttempt(attempt_pb2.CreateAttemptRequest(environment="rust_codecontests"))
    ).attempt
    other = request("a", request_id=request_id, attempt_id=attempt.attempt_id)
    assert (await refused(scoring(service).ScoreRustCodecontests(other))).reason == "REQUEST_ID_REUSED"


async def test_with_a_request_id_the_job_outlives_its_call(service: Service) -> None:
    submission = request("a", request_id=str(uuid.uuid4()))
    first = Streamed(service.channel, submission)
    await service.environment.started.wait()
    first.call.cancel()
    again = Streamed(service.channel, submission)
    assert await again.job_id() == await first.job_id()
    service.environment.released.set()
    assert (await again.answer()).result.verdict == result_pb2.VERDICT_SCORED
    assert service.environment.killed == []


@pytest.mark.parametrize("how", ["cancel", "deadline"])
async def test_without_a_request_id_the_job_dies_with_its_call(service: Service, how: str) -> None:
    streamed = Streamed(service.channel, request("a"), timeout=0.5 if how == "deadline" else None)
    job_id = await streamed.job_id()
    await service.environment.started.wait()
    if how == "cancel":
        streamed.call.cancel()
    record = await service.scheduler.wait(job_id)
    assert record.state is JobState.CANCELLED
    await service.scheduler.cancel(job_id)  # returns when nothing of it runs any more
    assert service.environment.killed == ["a"]
    assert service.scheduler.lanes["judge"].busy == 0


async def test_many_cancelled_calls_leave_nothing_behind(service: Service) -> None:
    for number in range(100):
        streamed = Streamed(service.channel, request(str(number)))
        job_id = await streamed.job_id()
        streamed.call.cancel()
        await service.scheduler.wait(job_id)
        await service.scheduler.cancel(job_id)
    assert service.scheduler.lanes["judge"].busy == 0
    assert service.scheduler.lanes["judge"].waiting == 0
    assert not service.scheduler._deliveries
    assert not service.scheduler.board._watchers
    assert not service.scheduler.board._progress


async def test_a_cancelled_job_ends_the_calls_that_wait_for_it(service: Service) -> None:
    submission = request("a", request_id=str(uuid.uuid4()))
    call = scoring(service).ScoreRustCodecontests(submission)
    await service.environment.started.wait()
    jobs: Any = job_pb2_grpc.JobServiceStub(service.channel)
    name = job_pb2.JobName(request_id=submission.context.request_id)
    answer = await jobs.CancelJob(job_pb2.CancelJobRequest(name=name))
    assert answer.job.state == job_pb2.JOB_STATE_CANCELLED
    found = await refused(call)
    assert (found.code, found.reason) == (grpc.StatusCode.CANCELLED, "JOB_CANCELLED")


async def test_a_failure_of_the_service_is_a_status_and_says_nothing_of_the_inside(service: Service) -> None:
    service.environment.released.set()
    service.environment.failures["a"] = JudgingFailed("expected answer in /secret/path")
    found = await refused(scoring(service).ScoreRustCodecontests(request("a")))
    assert (found.code, found.reason) == (grpc.StatusCode.INTERNAL, "JUDGING_FAILED")
    assert "answer" not in found.message
    assert "secret" not in found.message


async def test_an_error_with_much_text_stays_within_the_metadata_limit(service: Service) -> None:
    service.environment.failures["a"] = RuntimeError("traceback " * 10_000)
    service.environment.released.set()
    found = await refused(scoring(service).ScoreRustCodecontests(request("a")))
    assert found.code is grpc.StatusCode.INTERNAL
    assert found.metadata_bytes < 8 << 10


@pytest.mark.parametrize(
    ("submission", "field"),
    [
        (messages.ScoreRustCodecontestsRequest(), "programs"),
        (request("a", request_id="7"), "context.request_id"),
        (request("a", request_id=str(uuid.uuid1())), "context.request_id"),
        (request("a", request_id=str(uuid.uuid4()).upper()), "context.request_id"),
        (request("a", request_id="x" * 100_000), "context.request_id"),
        (
            messages.ScoreRustCodecontestsRequest(
                programs=[
                    messages.RustProgram(problem_id="a", source=result_pb2.SourceFile(inline="x")),
                    messages.RustProgram(problem_id="b", source=artifact("../x", 0)),
                ]
            ),
            "programs[1].source.artifact",
        ),
        (
            messages.ScoreRustCodecontestsRequest(
                programs=[messages.RustProgram(problem_id="b", source=artifact("0" * 64, 3))]
            ),
            "programs[0].source.artifact",
        ),
    ],
)
async def test_a_wrong_field_is_named(service: Service, submission: Any, field: str) -> None:
    found = await refused(scoring(service).ScoreRustCodecontests(submission))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert list(found.fields) == [field]
    assert found.metadata_bytes < 8 << 10


async def test_an_environment_that_is_not_served_is_unimplemented(service: Service) -> None:
    call = scoring(service).ScoreTritonCumsum(triton_cumsum_pb2.ScoreTritonCumsumRequest())
    found = await refused(call)
    assert (found.code, found.reason) == (grpc.StatusCode.UNIMPLEMENTED, "ENVIRONMENT_NOT_SERVED")
    assert "rust_codecontests" in found.message


async def test_an_environment_that_is_not_ready_says_why(service: Service) -> None:
    await service.registry.set_readiness("rust_codecontests", Readiness.FAILED, "no rustc: install Rust")
    found = await refused(scoring(service).ScoreRustCodecontests(request("a")))
    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "ENVIRONMENT_NOT_SERVING")
    assert "install Rust" in found.message


async def test_a_draining_server_keeps_what_it_accepted(service: Service) -> None:
    first = scoring(service).ScoreRustCodecontests(request("a"))
    await service.environment.started.wait()
    submission = request("b", request_id=str(uuid.uuid4()))
    second = Streamed(service.channel, submission)
    await second.job_id()
    draining = asyncio.create_task(service.scheduler.drain(10))
    found = await refused(second.answer())
    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING")
    assert found.retry_ms is not None
    found = await refused(scoring(service).ScoreRustCodecontests(request("c")))
    assert found.reason == "SERVER_DRAINING"
    service.environment.released.set()
    assert (await first).result.verdict == result_pb2.VERDICT_SCORED
    await draining
    kept = await service.scheduler.snapshot(request_id=submission.context.request_id)
    assert kept.record.state is JobState.QUEUED


async def test_a_request_over_the_limit_is_told_the_limit_and_the_way(service: Service) -> None:
    submission = messages.ScoreRustCodecontestsRequest(
        programs=[messages.RustProgram(problem_id="a", source=result_pb2.SourceFile(inline="x" * (7 << 20)))]
    )
    found = await refused(scoring(service).ScoreRustCodecontests(submission))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_TOO_LARGE")
    assert str(4 << 20) in found.message
    assert "ArtifactService" in found.message


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\x05ab", b"\x12\x04\x0a\x02\xff\xfe"])
async def test_bytes_that_are_no_message_are_the_clients_error(service: Service, data: bytes) -> None:
    call: Any = service.channel.unary_unary("/scorer.v1.ScoringService/ScoreRustCodecontests")
    found = await refused(call(data))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST")
