"""Scoring through both clients: results, retries, and re-attachment to one job."""

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from scorer.v1 import result_pb2
from scorer_client import (
    BudgetExhausted,
    DeadlinePassed,
    InvalidRequest,
    Job,
    JobCancelled,
    JobState,
    NotFound,
    Overloaded,
    ProblemVerdict,
    RateLimited,
    RequestIdReused,
    Retry,
    RetryPolicy,
    Score,
    ScorerClient,
    ServiceFailure,
    Unreachable,
    Verdict,
)

from tests.client.conftest import QUICK, Colour
from tests.client.scripted_answers import (
    ScoreRequest,
    ScoreResponse,
    accepted,
    refuse,
)
from tests.client.scripted_server import ScriptedServer, Step

PROGRAMS = {"a": "fn main() {}", "b": "fn main() {}"}


def failing(code: grpc.StatusCode, message: str = "scripted", **details: Any) -> Step:
    def step(server: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        if not details:
            context.abort(code, message)
        refuse(context, code, message, **details)

    return step


def test_result_has_what_the_server_said(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    (tmp_path / "b.rs").write_text("fn main() { /* ü */ }")
    result = colour.call(
        server,
        "score_rust_codecontests",
        {"a": "fn main() {}", "b": tmp_path / "b.rs"},
        attempt_id="attempt-1",
        client={"evaluator_key": "k"},
    )
    assert result.verdict is Verdict.SCORED
    assert result.score == Score(0.5, 1.0)
    assert (result.solved_count, result.problem_count, result.profile) == (2, 4, "embedded")
    assert result.queued == timedelta(seconds=1.5)
    assert [(p.problem_id, p.verdict) for p in result.problems] == [
        ("a", ProblemVerdict.ACCEPTED),
        ("b", ProblemVerdict.ACCEPTED),
    ]
    (request,) = server.score_requests
    assert request.context.attempt_id == "attempt-1"
    assert uuid.UUID(request.context.request_id).version == 4
    assert request.context.request_id == result.request_id
    assert [program.source.inline for program in request.programs] == [
        "fn main() {}",
        "fn main() { /* ü */ }",
    ]
    assert server.metadata[-1]["authorization"] == "Bearer k"
    assert str(server.metadata[-1]["user-agent"]).startswith("scorer-client/")


def test_no_score_is_none_and_unknown_verdicts_are_named_so(server: ScriptedServer, colour: Colour) -> None:
    def newer(request: ScoreRequest, job_id: str) -> ScoreResponse:
        response = accepted(request, job_id)
        response.result.ClearField("score")
        response.result.verdict = 77  # type: ignore[assignment]
        response.problems[0].verdict = 78  # type: ignore[assignment]
        return response

    server.respond = newer
    result = colour.call(server, "score_rust_codecontests", PROGRAMS)
    assert result.score is None
    assert result.verdict is Verdict.UNKNOWN
    assert result.problems[0].verdict is ProblemVerdict.UNKNOWN


def test_score_without_anchors_is_not_normalised(server: ScriptedServer, colour: Colour) -> None:
    def without(request: ScoreRequest, job_id: str) -> ScoreResponse:
        response = accepted(request, job_id)
        response.result.score.CopyFrom(result_pb2.Score(raw=0.0))
        return response

    server.respond = without
    assert colour.call(server, "score_rust_codecontests", PROGRAMS).score == Score(0.0, None)


@pytest.mark.parametrize(
    "step",
    [
        failing(grpc.StatusCode.UNAVAILABLE, "Socket closed"),
        failing(grpc.StatusCode.UNAVAILABLE, reason="SERVER_DRAINING"),
        failing(grpc.StatusCode.UNAVAILABLE, reason="ENVIRONMENT_NOT_SERVING"),
        failing(grpc.StatusCode.CANCELLED, "the server's loop was torn down"),
        failing(grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
        failing(
            grpc.StatusCode.RESOURCE_EXHAUSTED, reason="QUEUE_FULL", retry_after=timedelta(milliseconds=20)
        ),
    ],
)
def test_passing_failures_are_tried_again_with_one_request_id(
    server: ScriptedServer, colour: Colour, step: Step
) -> None:
    server.steps.extend([step] * 3)
    result = colour.call(server, "score_rust_codecontests", PROGRAMS)
    assert result.verdict is Verdict.SCORED
    assert len(server.score_requests) == 4
    assert {request.SerializeToString() for request in server.score_requests} == {
        server.score_requests[0].SerializeToString()
    }


@pytest.mark.parametrize(
    ("step", "error_class", "reason"),
    [
        (failing(grpc.StatusCode.INTERNAL, reason="JUDGING_FAILED"), ServiceFailure, "JUDGING_FAILED"),
        (failing(grpc.StatusCode.UNKNOWN, "a bug"), ServiceFailure, ""),
        (failing(grpc.StatusCode.CANCELLED, reason="JOB_CANCELLED"), JobCancelled, "JOB_CANCELLED"),
        (failing(grpc.StatusCode.NOT_FOUND, reason="ATTEMPT_NOT_FOUND"), NotFound, "ATTEMPT_NOT_FOUND"),
        (
            failing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason="BUDGET_EXHAUSTED"),
            BudgetExhausted,
            "BUDGET_EXHAUSTED",
        ),
        (
            failing(
                grpc.StatusCode.RESOURCE_EXHAUSTED, reason="RATE_LIMITED", retry_after=timedelta(minutes=50)
            ),
            RateLimited,
            "RATE_LIMITED",
        ),
        (failing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason="ARTIFACT_QUOTA"), Overloaded, "ARTIFACT_QUOTA"),
        (
            failing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason="ARTIFACT_TOO_LARGE"),
            InvalidRequest,
            "ARTIFACT_TOO_LARGE",
        ),
        (
            failing(grpc.StatusCode.UNAVAILABLE, reason="SERVER_DRAINING", pushback_ms=-1),
            Unreachable,
            "SERVER_DRAINING",
        ),
    ],
)
def test_final_failures_are_raised_at_once(
    server: ScriptedServer, colour: Colour, step: Step, error_class: type[Exception], reason: str
) -> None:
    server.steps.append(step)
    with pytest.raises(error_class) as raised:
        colour.call(server, "score_rust_codecontests", PROGRAMS)
    assert raised.type is error_class
    assert raised.value.reason == reason  # type: ignore[attr-defined]
    assert raised.value.request_id == server.score_requests[0].context.request_id  # type: ignore[attr-defined]
    assert len(server.score_requests) == 1


def test_invalid_fields_are_all_named(server: ScriptedServer, colour: Colour) -> None:
    violations = {"programs[0].problem_id": "there is no problem a", "programs[1].source": "is empty"}
    server.steps.append(
        failing(
            grpc.StatusCode.INVALID_ARGUMENT,
            "2 fields are wrong",
            reason="INVALID_FIELD",
            violations=violations,
        )
    )
    with pytest.raises(InvalidRequest) as raised:
        colour.call(server, "score_rust_codecontests", PROGRAMS)
    error = raised.value
    assert {v.field: v.description for v in error.field_violations} == violations
    assert error.message == "2 fields are wrong"
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "programs[1].source: is empty" in str(error)


def test_the_server_names_the_pause(server: ScriptedServer, colour: Colour) -> None:
    full = failing(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason="QUEUE_FULL",
        retry_after=timedelta(milliseconds=30),
        pushback_ms=70,
    )
    server.steps.append(full)
    retries: list[Retry] = []
    colour.call(server, "score_rust_codecontests", PROGRAMS, client={"on_retry": retries.append})
    (retry,) = retries
    assert retry.error.retry_after == timedelta(milliseconds=70)
    assert 0.07 <= retry.pause_s <= 0.078


def test_a_queue_that_stays_full_is_given_up(server: ScriptedServer, colour: Colour) -> None:
    full = failing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason="QUEUE_FULL", retry_after=timedelta(seconds=30))
    server.steps.append(full)
    policy = RetryPolicy(overload_limit_s=10)
    with pytest.raises(Overloaded) as raised:
        colour.call(server, "score_rust_codecontests", PROGRAMS, client={"retry_policy": policy})
    assert raised.value.retry_after == timedelta(seconds=30)


def test_a_restart_in_the_middle_of_judging_goes_unnoticed(server: ScriptedServer, colour: Colour) -> None:
    server.judged.clear()
    states: list[Job] = []
    restarted = threading.Event()

    def on_progress(job: Job) -> None:
        states.append(job)
        if job.state is JobState.RUNNING and not restarted.is_set():
            restarted.set()
            threading.Thread(target=restart).start()

    def restart() -> None:
        server.restart()
        server.judged.set()

    result = colour.call(server, "score_rust_codecontests", PROGRAMS, on_progress=on_progress)
    assert restarted.is_set()
    assert result.verdict is Verdict.SCORED
    assert len(server.score_requests) >= 2
    assert len({request.context.request_id for request in server.score_requests}) == 1
    assert {job.job_id for job in states} == {result.job_id}
    assert states[-1].state is JobState.SUCCEEDED


def test_progress_comes_while_the_call_waits(server: ScriptedServer, colour: Colour) -> None:
    server.judged.clear()
    jobs: list[Job] = []

    def on_progress(job: Job) -> None:
        jobs.append(job)
        if job.state is JobState.RUNNING:
            server.judged.set()

    colour.call(server, "score_rust_codecontests", PROGRAMS, on_progress=on_progress)
    running = [job for job in jobs if job.state is JobState.RUNNING]
    assert (running[0].stage, running[0].progress.done, running[0].progress.total) == ("judge", 1, 2)
    assert jobs[-1].state is JobState.SUCCEEDED
    assert len(jobs) == len(set(jobs)), "heartbeats are not reported"


def test_a_failing_callback_costs_no_score(
    server: ScriptedServer, colour: Colour, caplog: pytest.LogCaptureFixture
) -> None:
    def on_progress(job: Job) -> None:
        raise RuntimeError("broken bar")

    result = colour.call(server, "score_rust_codecontests", PROGRAMS, on_progress=on_progress)
    assert result.verdict is Verdict.SCORED
    assert "broken bar" in caplog.text


def test_a_given_request_id_re_attaches(server: ScriptedServer, colour: Colour) -> None:
    request_id = str(uuid.uuid4())
    first = colour.call(server, "score_rust_codecontests", PROGRAMS, request_id=request_id)
    assert colour.call(server, "score_rust_codecontests", PROGRAMS, request_id=request_id) == first
    with pytest.raises(RequestIdReused):
        colour.call(server, "score_rust_codecontests", {"a": "other"}, request_id=request_id)


@pytest.mark.parametrize(
    "request_id", ["", "1", "2f1c1e52-ecba-11f1-8f6e-3b9d4c1a7e55", "6d8f6c1e4f3b4a439f570b9a3a0e9d11"]
)
def test_a_request_id_that_is_no_uuid4_is_refused_before_the_call(
    server: ScriptedServer, colour: Colour, request_id: str
) -> None:
    with pytest.raises(InvalidRequest, match=r"context\.request_id"):
        colour.call(server, "score_rust_codecontests", PROGRAMS, request_id=request_id)
    assert not server.metadata


def test_the_time_limit_leaves_the_job_and_tells_its_id(server: ScriptedServer, colour: Colour) -> None:
    server.judged.clear()
    with pytest.raises(DeadlinePassed) as raised:
        colour.call(server, "score_rust_codecontests", PROGRAMS, timeout=0.3)
    request_id = raised.value.request_id
    assert request_id in str(raised.value)
    server.judged.set()
    result = colour.call(server, "score_rust_codecontests", PROGRAMS, request_id=request_id)
    assert result.verdict is Verdict.SCORED


def test_the_time_limit_covers_the_pauses_too(server: ScriptedServer, colour: Colour) -> None:
    full = failing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason="QUEUE_FULL", retry_after=timedelta(seconds=15))
    server.steps.append(full)
    with pytest.raises(DeadlinePassed, match="scripted"):
        colour.call(server, "score_rust_codecontests", PROGRAMS, timeout=timedelta(seconds=5))


def test_no_server_is_unreachable_and_named(colour: Colour) -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1\b"):
        colour.call("127.0.0.1:1", "score_rust_codecontests", PROGRAMS)


def test_sources_that_cannot_be_sent_are_refused_by_name(
    server: ScriptedServer, colour: Colour, tmp_path: Path
) -> None:
    (tmp_path / "latin.rs").write_bytes(b"// \xe9")
    cases: list[tuple[dict[str, str | Path], str]] = [
        ({}, "at least one"),
        ({"x": tmp_path / "latin.rs"}, r"programs\['x'\].source: .*latin\.rs is not UTF-8"),
        ({"y": "\ud800"}, r"programs\['y'\].source: is not UTF-8"),
    ]
    for programs, words in cases:
        with pytest.raises(InvalidRequest, match=words):
            colour.call(server, "score_rust_codecontests", programs)
    server.source_limit_bytes = 3
    with pytest.raises(InvalidRequest, match="12 bytes; the server takes at most 3"):
        colour.call(server, "score_rust_codecontests", PROGRAMS)
    assert not server.score_requests


def test_large_sources_are_uploaded_and_resumed(server: ScriptedServer, colour: Colour) -> None:
    server.inline_limit_bytes = 100
    large = "// " + "x" * (3 * 1024 * 1024)
    server.break_upload_after.extend([2, 1])
    result = colour.call(server, "score_rust_codecontests", {"large": large, "small": "fn main() {}"})
    assert result.verdict is Verdict.SCORED
    (request,) = server.score_requests
    by_id = {program.problem_id: program.source for program in request.programs}
    assert by_id["small"].inline == "fn main() {}"
    reference = by_id["large"].artifact
    assert server.artifacts == {reference.sha256: large.encode()}
    assert reference.size_bytes == len(large)
    mib = 1024 * 1024
    assert server.upload_offsets == [0, 2 * mib, 3 * mib]
    assert server.largest_chunk_bytes == mib
    colour.call(server, "score_rust_codecontests", {"large": large})
    assert server.upload_offsets == [0, 2 * mib, 3 * mib], "what the server has is not sent again"


def test_many_inline_sources_do_not_pass_the_message_limit(server: ScriptedServer, colour: Colour) -> None:
    programs = {f"p{n}": f"// {n}" + "x" * 60_000 for n in range(80)}
    result = colour.call(server, "score_rust_codecontests", programs)
    assert [problem.problem_id for problem in result.problems] == list(programs)
    (request,) = server.score_requests
    assert 0 < request.ByteSize() < 4 * 1024 * 1024
    assert len(server.artifacts) > 20


def test_results_over_the_default_message_limit_arrive(server: ScriptedServer, colour: Colour) -> None:
    def verbose(request: ScoreRequest, job_id: str) -> ScoreResponse:
        response = accepted(request, job_id)
        for problem in response.problems:
            problem.compiler_output = "e" * 16 * 1024
        return response

    server.respond = verbose
    result = colour.call(server, "score_rust_codecontests", {f"p{n}": "" for n in range(300)})
    assert sum(len(problem.compiler_output) for problem in result.problems) > 4 * 1024 * 1024


def test_each_pause_is_told_once(server: ScriptedServer, colour: Colour) -> None:
    server.judged.clear()
    retries: list[Retry] = []

    def on_progress(job: Job) -> None:
        if job.state is JobState.RUNNING and not retries:
            server.stop()

    def on_retry(retry: Retry) -> None:
        retries.append(retry)
        if len(retries) == 3:
            server.judged.set()
            server.start()

    colour.call(
        server, "score_rust_codecontests", PROGRAMS, on_progress=on_progress, client={"on_retry": on_retry}
    )
    assert [retry.failure_count for retry in retries] == list(range(1, len(retries) + 1))


def test_one_client_serves_several_threads(server: ScriptedServer) -> None:
    results: list[Any] = []
    with ScorerClient(server.target, retry_policy=QUICK) as client:
        work: Callable[[], None] = lambda: results.append(client.score_rust_codecontests(PROGRAMS))  # noqa: E731
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({result.job_id for result in results}) == 8
