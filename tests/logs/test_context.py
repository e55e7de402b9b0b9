"""What a line is about goes where the work goes, and no further."""

import asyncio
import contextvars
from types import SimpleNamespace

import pytest
from scorer.v1 import attempt_pb2, job_pb2, rust_codecontests_pb2

from scorer_service.logs import context

JOB = f"job-{'0a' * 16}"
ATTEMPT = f"attempt-{'1b' * 16}"


async def test_tasks_and_threads_inherit_it_and_others_do_not() -> None:
    async def work() -> tuple[object, object]:
        context.bind(job_id=JOB)
        inner = asyncio.create_task(asyncio.to_thread(context.current))
        return await inner, context.current()

    assert await asyncio.create_task(work()) == ({"job_id": JOB}, {"job_id": JOB})
    assert context.current() == {}


async def test_a_task_that_serves_whoever_comes_is_about_nobody() -> None:
    async def look() -> object:
        return dict(context.current())

    with context.bound(job_id=JOB):
        assert await asyncio.create_task(look(), context=context.of_nobody()) == {}
        assert context.current() == {"job_id": JOB}
    assert context.current() == {}


def test_what_is_not_known_says_nothing() -> None:
    with context.bound(job_id=JOB), context.bound(job_id=None, attempt_id=ATTEMPT):
        assert context.current() == {"job_id": JOB, "attempt_id": ATTEMPT}


def test_requests_name_jobs_and_attempts() -> None:
    scoring = rust_codecontests_pb2.ScoreRustCodecontestsRequest()
    scoring.context.attempt_id = ATTEMPT
    assert ids_of(scoring) == {"attempt_id": ATTEMPT}
    assert ids_of(job_pb2.GetJobRequest(name=job_pb2.JobName(job_id=JOB))) == {"job_id": JOB}
    assert ids_of(attempt_pb2.GetAttemptRequest(attempt_id=ATTEMPT)) == {"attempt_id": ATTEMPT}


@pytest.mark.parametrize("text", ["", f"{JOB}\n", f"{JOB} ", "job-7", "job-" + "A" * 32, "x" * 100_000])
def test_free_text_of_a_client_is_no_id(text: str) -> None:
    assert ids_of(SimpleNamespace(job_id=text, attempt_id=text)) == {}


@pytest.mark.parametrize("other", [None, 3, b"bytes", SimpleNamespace(job_id=7, context="text")])
def test_what_is_no_message_of_ours_names_nothing(other: object) -> None:
    assert ids_of(other) == {}


def ids_of(request: object) -> object:
    def bind() -> object:
        context.bind_ids_of(request)
        return context.current()

    return contextvars.copy_context().run(bind)
