"""Overload: who is refused, by which words, and that it takes nothing from those who were accepted."""

import asyncio
import uuid
from collections import Counter
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused
from rich_status import Rich
from scorer.v1 import attempt_pb2, attempt_pb2_grpc, job_pb2, job_pb2_grpc, result_pb2, scoring_pb2_grpc
from scripted_environment import request
from scripted_service import Service

from scorer_service.api.access.caller import address_without_port
from scorer_service.scheduling.progress import WATCHERS_LIMIT
from scorer_service.store.limits import QueueLimits

NAME = "rust_codecontests"
QUEUE_LIMIT = 8
CAPACITY = QUEUE_LIMIT + 1
"""What waits, and what is worked on."""


@pytest.fixture
def limits() -> QueueLimits:
    return QueueLimits(queue_limit=QUEUE_LIMIT)


def scoring(service: Service) -> Any:
    return scoring_pb2_grpc.ScoringServiceStub(service.channel)


def jobs(service: Service) -> Any:
    return job_pb2_grpc.JobServiceStub(service.channel)


async def block(service: Service) -> Streamed:
    """A job that is worked on until the test releases it."""
    streamed = Streamed(service.channel, request("first"))
    await service.environment.started.wait()
    return streamed


async def position(service: Service, job_id: str) -> int:
    answer = await jobs(service).GetJob(job_pb2.GetJobRequest(name=job_pb2.JobName(job_id=job_id)))
    number: int = answer.job.queue_position
    return number


async def fill(service: Service, attempts: list[str]) -> list[Streamed]:
    """Calls of one attempt each that wait."""
    calls = []
    for number, attempt_id in enumerate(attempts):
        calls.append(Streamed(service.channel, request(f"waiting {number}", attempt_id=attempt_id)))
        await calls[-1].job_id()
    return calls


async def attempts_of(service: Service, count: int) -> list[str]:
    """New attempts: clients, which the test has one address for."""
    stub: Any = attempt_pb2_grpc.AttemptServiceStub(service.channel)
    asked = attempt_pb2.CreateAttemptRequest(environment=NAME)
    return [(await stub.CreateAttempt(asked)).attempt.attempt_id for _ in range(count)]


async def test_ten_times_capacity_is_refused_and_costs_the_accepted_nothing(service: Service) -> None:
    first = await block(service)
    attempts = await attempts_of(service, 10)
    calls = [
        asyncio.ensure_future(
            scoring(service).ScoreRustCodecontests(
                request(f"{number}", attempt_id=attempts[number % len(attempts)])
            )
        )
        for number in range(10 * CAPACITY)
    ]
    refusals: list[Rich] = []
    while len(refusals) < 10 * CAPACITY - QUEUE_LIMIT:
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        refusals += [await refused(call) for call in done]
        calls = [call for call in calls if call not in done]
    # Refused at once, each with when to come again; and nothing is kept of them.
    for found in refusals:
        assert found.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert found.reason in ("QUEUE_FULL", "CLIENT_QUEUE_FULL")
        assert found.retry_ms is not None
        assert found.pushback_ms == str(found.retry_ms)
    assert len(service.scheduler.board._watchers) == CAPACITY
    # The accepted ones take as many judgings as without the others: their own.
    service.environment.released.set()
    for call in calls:
        assert (await call).result.verdict == result_pb2.VERDICT_SCORED
    assert (await first.answer()).result.verdict == result_pb2.VERDICT_SCORED
    assert len(service.environment.begun) == CAPACITY
    assert not service.scheduler.board._watchers


async def test_a_place_in_the_queue_is_how_many_are_judged_before(service: Service) -> None:
    await block(service)
    flooding, single = await attempts_of(service, 2)
    waiting = await fill(service, [flooding] * 4 + [single])
    found = await refused(scoring(service).ScoreRustCodecontests(request("x", attempt_id=flooding)))
    assert found.reason == "CLIENT_QUEUE_FULL"
    places = [await position(service, await call.job_id()) for call in waiting]
    service.environment.released.set()
    for call in waiting:
        await call.answer()
    begun = service.environment.begun[1:]
    assert places == [begun.index(f"waiting {number}") for number in range(5)]
    assert places[4] == 1  # not behind the four that came before it


async def test_the_time_to_come_again_is_that_of_the_jobs_before(service: Service) -> None:
    await block(service)
    service.scheduler._service_times[NAME].add(40.0)
    attempts = await attempts_of(service, QUEUE_LIMIT)
    await fill(service, attempts)
    found = await refused(scoring(service).ScoreRustCodecontests(request("x")))
    assert found.reason == "QUEUE_FULL"
    assert f"{QUEUE_LIMIT} jobs" in found.message
    assert found.retry_ms is not None
    assert 0.5 * QUEUE_LIMIT * 40_000 <= found.retry_ms <= QUEUE_LIMIT * 40_000


@pytest.mark.parametrize("limits", [QueueLimits(client_queue_limit=1)])
async def test_a_client_is_told_when_its_own_next_place_gets_free(service: Service) -> None:
    await block(service)
    service.scheduler._service_times[NAME].add(40.0)
    attempts = await attempts_of(service, 3)
    await fill(service, attempts)
    found = await refused(scoring(service).ScoreRustCodecontests(request("x", attempt_id=attempts[1])))
    assert found.reason == "CLIENT_QUEUE_FULL"
    assert found.retry_ms is not None
    assert 0.5 * 80_000 <= found.retry_ms <= 80_000  # it is the second one


@pytest.mark.parametrize("limits", [QueueLimits(scorings_per_hour=1)])
async def test_a_rate_is_refused_with_the_time_that_is_left_of_the_hour(service: Service) -> None:
    service.environment.released.set()
    await scoring(service).ScoreRustCodecontests(request("a"))
    found = await refused(scoring(service).ScoreRustCodecontests(request("b")))
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
    assert found.retry_ms is not None
    assert 3_500_000 < found.retry_ms <= 3_600_000
    # An attempt is a client of its own.
    (attempt_id,) = await attempts_of(service, 1)
    await scoring(service).ScoreRustCodecontests(request("c", attempt_id=attempt_id))


async def test_a_deadline_that_cannot_be_met_is_refused_at_once(service: Service) -> None:
    await block(service)
    service.scheduler._service_times[NAME].add(100.0)
    found = await refused(scoring(service).ScoreRustCodecontests(request("a"), timeout=150))
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "DEADLINE_TOO_SHORT")
    assert "200.0 s, after 100.0 s in the queue" in found.message
    assert found.retry_ms is not None
    # On the way the time is rounded up, by up to a hundredth.
    assert 48_000 <= found.retry_ms < 60_000
    # Where the judging alone takes longer, to come again does not help.
    found = await refused(scoring(service).ScoreRustCodecontests(request("a"), timeout=90))
    assert (found.reason, found.retry_ms, found.pushback_ms) == ("DEADLINE_TOO_SHORT", None, None)
    assert (await service.scheduler._queue.state(NAME)).depth == 0


async def test_a_deadline_is_no_reason_where_the_job_outlives_it_or_nothing_is_known(
    service: Service,
) -> None:
    # No job has ended yet: nobody is refused by a guess.
    calls = [Streamed(service.channel, request("guess"), timeout=9)]
    await calls[0].job_id()
    service.scheduler._service_times[NAME].add(100.0)
    calls.append(Streamed(service.channel, request("id", request_id=str(uuid.uuid4())), timeout=9))
    calls.append(Streamed(service.channel, request("patient")))
    calls.append(Streamed(service.channel, request("long"), timeout=9000))
    for call in calls:
        await call.job_id()
    service.environment.released.set()
    for call in calls:
        assert (await call.answer()).result.verdict == result_pb2.VERDICT_SCORED


async def test_a_free_place_is_no_wait(service: Service) -> None:
    service.environment.released.set()
    service.scheduler._service_times[NAME].add(5.0)
    response = await scoring(service).ScoreRustCodecontests(request("a"), timeout=9)
    assert response.result.verdict == result_pb2.VERDICT_SCORED


async def test_those_who_wait_for_one_job_are_bounded(service: Service) -> None:
    assert WATCHERS_LIMIT == 64  # as the contract says
    submission = request("a", request_id=str(uuid.uuid4()))
    scored = Streamed(service.channel, submission)
    job_id = await scored.job_id()
    name = job_pb2.JobName(job_id=job_id)
    watching = []
    for _ in range(WATCHERS_LIMIT - 1):
        watching.append(jobs(service).WatchJob(job_pb2.WatchJobRequest(name=name)))
        await watching[-1].read()
    for call in (
        jobs(service).WatchJob(job_pb2.WatchJobRequest(name=name)).read(),
        scoring(service).ScoreRustCodecontests(submission),
    ):
        found = await refused(call)
        assert (found.code, found.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "JOB_WATCHED_TOO_OFTEN",
        )
    service.environment.released.set()
    assert (await scored.answer()).result.verdict == result_pb2.VERDICT_SCORED
    # What was asked too often is there all the same.
    assert (await scoring(service).ScoreRustCodecontests(submission)).result.job_id == job_id


async def test_refusals_are_counted_by_reason(service: Service) -> None:
    await block(service)
    (attempt_id,) = await attempts_of(service, 1)
    await fill(service, [attempt_id] * (QUEUE_LIMIT // 2))
    for _ in range(3):
        await refused(scoring(service).ScoreRustCodecontests(request("x", attempt_id=attempt_id)))
    counted = Counter(
        {
            reason: service.metrics.get_sample_value(
                "scorer_jobs_refused_total", {"environment": NAME, "reason": reason}
            )
            or 0
            for reason in ("QUEUE_FULL", "CLIENT_QUEUE_FULL")
        }
    )
    assert counted == {"QUEUE_FULL": 0, "CLIENT_QUEUE_FULL": 3}


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.1:5000", "ipv4:192.0.2.1"),
        ("ipv6:%5B2001:db8::1%5D:5000", "ipv6:2001:db8::1"),
        ("ipv6:[::1]:5000", "ipv6:::1"),
        ("unix:/run/scorer.sock", "unix:/run/scorer.sock"),
    ],
)
def test_connections_of_one_machine_are_one_client(peer: str, address: str) -> None:
    assert address_without_port(peer) == address
