"""The budget of an attempt: what it counts, that nothing passes it, and who sees and sets what."""

import asyncio
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused, until
from scorer.v1 import attempt_pb2, attempt_pb2_grpc, job_pb2, job_pb2_grpc, result_pb2, scoring_pb2_grpc
from scripted_environment import request
from scripted_service import Service

from scorer_service.environments.interface import JudgingFailed, Verdict

NAME = "rust_codecontests"
EXHAUSTED = (grpc.StatusCode.RESOURCE_EXHAUSTED, "BUDGET_EXHAUSTED")


def attempts(service: Service) -> Any:
    return attempt_pb2_grpc.AttemptServiceStub(service.channel)


async def begin(service: Service, **fields: Any) -> str:
    asked = attempt_pb2.CreateAttemptRequest(environment=NAME, **fields)
    attempt_id: str = (await attempts(service).CreateAttempt(asked)).attempt.attempt_id
    return attempt_id


async def state(service: Service, attempt_id: str) -> attempt_pb2.Attempt:
    answer = await attempts(service).GetAttempt(attempt_pb2.GetAttemptRequest(attempt_id=attempt_id))
    attempt: attempt_pb2.Attempt = answer.attempt
    return attempt


def score(service: Service, marker: str, attempt_id: str) -> Any:
    stub: Any = scoring_pb2_grpc.ScoringServiceStub(service.channel)
    return stub.ScoreRustCodecontests(request(marker, attempt_id=attempt_id))


async def test_of_twenty_calls_at_once_a_budget_of_five_accepts_five(service: Service) -> None:
    attempt_id = await begin(service, scoring_budget=5)
    calls = [asyncio.ensure_future(score(service, str(number), attempt_id)) for number in range(20)]
    refusals: list[Any] = []
    while len(refusals) < 15:
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        for call in done:
            found = await refused(call)
            # Trying again does not help, and a client is not told to.
            assert ((found.code, found.reason), found.retry_ms, found.pushback_ms) == (EXHAUSTED, None, None)
            refusals.append(found)
        calls = [call for call in calls if call not in done]
    assert (await state(service, attempt_id)).remaining_scorings == 0
    service.environment.released.set()
    assert [(await call).result.verdict for call in calls] == [result_pb2.VERDICT_SCORED] * 5
    assert len(service.environment.begun) == 5
    assert (await refused(score(service, "late", attempt_id))).reason == "BUDGET_EXHAUSTED"


async def test_every_verdict_counts_and_a_failure_of_the_service_does_not(service: Service) -> None:
    service.environment.released.set()
    service.environment.verdicts["wrong"] = Verdict.INCORRECT
    service.environment.failures["fails"] = JudgingFailed("not its fault")
    attempt_id = await begin(service, scoring_budget=2)
    assert (await refused(score(service, "fails", attempt_id))).reason == "JUDGING_FAILED"
    assert (await state(service, attempt_id)).remaining_scorings == 2
    await score(service, "wrong", attempt_id)
    assert (await state(service, attempt_id)).remaining_scorings == 1
    await score(service, "right", attempt_id)
    assert (await refused(score(service, "more", attempt_id))).reason == "BUDGET_EXHAUSTED"


async def test_a_request_that_is_refused_at_the_door_does_not_count(service: Service) -> None:
    attempt_id = await begin(service, scoring_budget=1)
    stub: Any = scoring_pb2_grpc.ScoringServiceStub(service.channel)
    empty = request("a", attempt_id=attempt_id)
    del empty.programs[:]
    assert (await refused(stub.ScoreRustCodecontests(empty))).reason == "INVALID_FIELD"
    assert (await state(service, attempt_id)).remaining_scorings == 1


async def test_who_cancels_after_a_look_at_the_progress_has_paid(service: Service) -> None:
    attempt_id = await begin(service, scoring_budget=2)
    begun = Streamed(service.channel, request("begun", attempt_id=attempt_id))
    await service.environment.started.wait()
    waiting = Streamed(service.channel, request("waiting", attempt_id=attempt_id))
    await waiting.job_id()
    assert (await state(service, attempt_id)).remaining_scorings == 0
    jobs: Any = job_pb2_grpc.JobServiceStub(service.channel)
    for call in (waiting, begun):
        name = job_pb2.JobName(job_id=await call.job_id())
        await jobs.CancelJob(job_pb2.CancelJobRequest(name=name))
    assert (await state(service, attempt_id)).remaining_scorings == 1


async def test_a_call_that_is_dropped_while_it_waits_is_given_back(service: Service) -> None:
    attempt_id = await begin(service, scoring_budget=2)
    Streamed(service.channel, request("begun", attempt_id=attempt_id))
    await service.environment.started.wait()
    waiting = Streamed(service.channel, request("waiting", attempt_id=attempt_id))
    job_id = await waiting.job_id()
    waiting.call.cancel()
    await until(lambda: job_id not in service.scheduler.board._watchers)
    await service.scheduler.wait(job_id)
    assert (await state(service, attempt_id)).remaining_scorings == 1


async def test_without_a_budget_there_is_no_number(service: Service) -> None:
    attempt = await state(service, await begin(service))
    assert attempt.scoring_budget == 0
    assert not attempt.HasField("remaining_scorings")
    assert attempt.priority == attempt_pb2.PRIORITY_NORMAL


@pytest.mark.parametrize("attempt_budget", [3])
async def test_the_servers_default_holds_where_the_evaluator_sets_none(service: Service) -> None:
    assert (await state(service, await begin(service))).scoring_budget == 3
    assert (await state(service, await begin(service, scoring_budget=7))).remaining_scorings == 7


@pytest.mark.parametrize(
    ("priority", "begun"),
    [("PRIORITY_LOW", ["first", "n", "n", "mine"]), ("PRIORITY_HIGH", ["first", "mine", "n", "n"])],
)
async def test_the_evaluator_sets_the_priority(service: Service, priority: str, begun: list[str]) -> None:
    attempt_id = await begin(service, priority=attempt_pb2.Priority.Value(priority))
    assert attempt_pb2.Priority.Name((await state(service, attempt_id)).priority) == priority
    # Against a client of normal priority that came first.
    Streamed(service.channel, request("first"))
    await service.environment.started.wait()
    calls = []
    for marker, attempt in (("n", ""), ("n", ""), ("mine", attempt_id)):
        calls.append(Streamed(service.channel, request(marker, attempt_id=attempt)))
        await calls[-1].job_id()
    service.environment.released.set()
    for call in calls:
        await call.answer()
    assert service.environment.begun == begun


@pytest.mark.parametrize(
    ("field", "value"), [("priority", 9), ("scoring_budget", -1), ("scoring_budget", 1_000_001)]
)
async def test_a_wrong_number_is_named(service: Service, field: str, value: int) -> None:
    asked = attempt_pb2.CreateAttemptRequest(environment=NAME, **{field: value})  # type: ignore[arg-type]
    found = await refused(attempts(service).CreateAttempt(asked))
    assert (found.reason, list(found.fields)) == ("INVALID_FIELD", [field])
