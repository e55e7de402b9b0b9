"""Environments, jobs and attempts through both clients."""

from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from scorer.v1 import attempt_pb2, job_pb2, result_pb2
from scorer_client import (
    AccessDenied,
    Anchors,
    InvalidRequest,
    JobState,
    NotFound,
    Priority,
    Score,
    ScoreDirection,
    ScorePolicy,
    ScorerClient,
    Unreachable,
    Verdict,
)

from tests.client.conftest import QUICK, Colour
from tests.client.scripted_answers import (
    refuse,
)
from tests.client.scripted_server import ScriptedServer

REQUEST_ID = "6d8f6c1e-4f3b-4a43-9f57-0b9a3a0e9d11"


def test_environments_are_read_whole(server: ScriptedServer, colour: Colour) -> None:
    rust, cumsum = colour.call(server, "environments")
    assert rust.serving
    assert rust.direction is ScoreDirection.HIGHER
    assert rust.anchors == Anchors(0.0, 0.5)
    assert rust.limits == (("compile time", "10 s"),)
    assert (rust.inline_source_limit_bytes, rust.source_limit_bytes) == (65536, 8 * 1024 * 1024)
    assert not cumsum.serving
    assert cumsum.anchors is None
    assert cumsum.direction is ScoreDirection.UNKNOWN
    assert cumsum.not_serving_reason == "there is no worker for it"


def test_a_job_is_found_by_either_id(server: ScriptedServer, colour: Colour) -> None:
    server.set_job(REQUEST_ID, queue_position=3)
    by_job_id = colour.call(server, "get_job", "job-1")
    assert by_job_id == colour.call(server, "get_job", REQUEST_ID)
    assert (by_job_id.state, by_job_id.queue_position) == (JobState.QUEUED, 3)
    assert by_job_id.started_at is None
    with pytest.raises(NotFound, match="job-2"):
        colour.call(server, "get_job", "job-2")


def test_watching_ends_with_the_job_and_survives_a_restart(server: ScriptedServer) -> None:
    server.set_job(REQUEST_ID)
    states = []
    with ScorerClient(server.target, retry_policy=QUICK) as client:
        for job in client.watch(REQUEST_ID):
            states.append(job.state)
            if job.state is JobState.QUEUED:
                server.restart()
                server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_RUNNING)
            elif job.state is JobState.RUNNING:
                server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_FAILED, failure="the disk is full")
    assert states == [JobState.QUEUED, JobState.RUNNING, JobState.FAILED]
    assert job.failure == "the disk is full"


def test_watching_goes_on_where_the_server_ends_the_stream_early(
    server: ScriptedServer, colour: Colour
) -> None:
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_RUNNING)
    server.end_watch_early = 2
    server.on_early_end = lambda: server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_SUCCEEDED)
    jobs = colour.call(server, "watch", REQUEST_ID)
    assert [job.state for job in jobs] == [JobState.RUNNING, JobState.SUCCEEDED]
    assert server.end_watch_early == 0


def test_watching_a_job_that_has_ended_tells_its_state(server: ScriptedServer, colour: Colour) -> None:
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_SUCCEEDED)
    (job,) = colour.call(server, "watch", "job-1")
    assert job.state is JobState.SUCCEEDED
    with pytest.raises(NotFound):
        colour.call(server, "watch", "job-7")


def test_cancelling_tells_how_the_job_ended(server: ScriptedServer, colour: Colour) -> None:
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_RUNNING)
    assert colour.call(server, "cancel", "job-1").state is JobState.CANCELLED
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_SUCCEEDED)
    assert colour.call(server, "cancel", REQUEST_ID).state is JobState.SUCCEEDED


def test_an_attempt_is_created_shown_and_closed(server: ScriptedServer, colour: Colour) -> None:
    created = colour.call(server, "create_attempt", "rust_codecontests", hidden=True, label="run 7")
    attempt = created.attempt
    assert attempt.policy is ScorePolicy.HIDDEN
    assert (attempt.environment, attempt.label) == ("rust_codecontests", "run 7")
    assert attempt.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert attempt.closed_at is None
    assert attempt.final_score is None
    assert created.evaluator_key not in repr(created)
    assert colour.call(server, "get_attempt", attempt.attempt_id) == attempt
    with pytest.raises(AccessDenied):
        colour.call(server, "close_attempt", attempt.attempt_id)
    key = {"evaluator_key": created.evaluator_key}
    closed = colour.call(server, "close_attempt", attempt.attempt_id, client=key)
    assert closed.closed_at == attempt.created_at + timedelta(seconds=60)
    with pytest.raises(NotFound):
        colour.call(server, "get_attempt", "attempt-9")


def test_an_attempt_has_the_priority_and_the_budget_that_it_was_given(
    server: ScriptedServer, colour: Colour
) -> None:
    without = colour.call(server, "create_attempt", "rust_codecontests").attempt
    assert (without.priority, without.scoring_budget, without.remaining_scorings) == (
        Priority.NORMAL,
        None,
        None,
    )
    given = {"priority": Priority.HIGH, "budget": 5}
    attempt = colour.call(server, "create_attempt", "rust_codecontests", **given).attempt
    assert (attempt.priority, attempt.scoring_budget, attempt.remaining_scorings) == (Priority.HIGH, 5, 5)
    server.attempts[attempt.attempt_id].remaining_scorings = 0
    assert colour.call(server, "get_attempt", attempt.attempt_id).remaining_scorings == 0
    # As a server of before sends it.
    server.attempts[attempt.attempt_id].ClearField("priority")
    assert colour.call(server, "get_attempt", attempt.attempt_id).priority is Priority.NORMAL
    for wrong in ({"priority": Priority.UNKNOWN}, {"budget": -1}):
        with pytest.raises(InvalidRequest):
            colour.call(server, "create_attempt", "rust_codecontests", **wrong)


def test_the_score_log_is_read_over_all_pages(server: ScriptedServer, colour: Colour) -> None:
    attempt_id = colour.call(server, "create_attempt", "rust_codecontests").attempt.attempt_id
    for number in range(5):
        entry = attempt_pb2.ScoreLogEntry(job_id=f"job-{number}", verdict=result_pb2.VERDICT_SCORED)
        entry.since_start.FromSeconds(number)
        entry.score.raw = number / 10
        server.log.append(entry)
    server.log.append(attempt_pb2.ScoreLogEntry(job_id="job-5", verdict=result_pb2.VERDICT_BUILD_ERROR))
    entries = colour.call(server, "list_scores", attempt_id)
    assert [entry.job_id for entry in entries] == [f"job-{number}" for number in range(6)]
    assert entries[3].score == Score(0.3, None)
    assert entries[3].since_start == timedelta(seconds=3)
    assert (entries[5].verdict, entries[5].score) == (Verdict.BUILD_ERROR, None)
    assert server.page_sizes == [500] * 3


def broken(context: Any) -> None:
    context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")


def test_reading_is_tried_again_after_a_broken_connection(server: ScriptedServer, colour: Colour) -> None:
    server.plain_failures.extend([broken, broken])
    assert len(colour.call(server, "environments")) == 2
    assert len(server.metadata) == 3


def test_an_attempt_is_never_created_twice(server: ScriptedServer, colour: Colour) -> None:
    server.plain_failures.append(broken)
    with pytest.raises(Unreachable):
        colour.call(server, "create_attempt", "rust_codecontests")
    assert len(server.metadata) == 1, "the answer may be lost, and the attempt be there"

    def draining(context: Any) -> None:
        refuse(context, grpc.StatusCode.UNAVAILABLE, "shutting down", reason="SERVER_DRAINING")

    server.plain_failures.append(draining)
    colour.call(server, "create_attempt", "rust_codecontests")
    assert len(server.attempts) == 1, "the server said that it did nothing"
