"""Spans of the device: its waits, its uses, the calls of its worker, and runs in warm sandboxes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import scorer_launcher
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from scorer_service.logs import context as log_context
from scorer_service.tracing.device import TracedGate, TracedWorker
from scorer_service.tracing.sandboxes import TracedBackend
from scorer_service.tracing.spans import Spans
from scorer_service.worker.client import WorkerLost


class Gate:
    """Opens when it is told to."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()

    @contextlib.asynccontextmanager
    async def exclusive(self) -> AsyncIterator[str]:
        await self.opened.wait()
        yield "places"


def named(ended: InMemorySpanExporter, name: str) -> ReadableSpan:
    (span,) = [span for span in ended.get_finished_spans() if span.name == name]
    return span


async def test_the_wait_for_the_device_ends_where_its_use_begins(
    spans: Spans, ended: InMemorySpanExporter
) -> None:
    inner: Any = Gate()
    gate = TracedGate(inner, spans)
    with spans.around("stage", {}):
        using = asyncio.create_task(use(gate))
        await asyncio.sleep(0)
        inner.opened.set()
        assert await using == "places"
    wait, held = named(ended, "wait for device"), named(ended, "device")
    assert wait.attributes == held.attributes == {"scorer.device.use": "exclusive"}
    assert wait.end_time is not None
    assert held.start_time is not None
    assert wait.end_time <= held.start_time
    assert wait.parent == held.parent == named(ended, "stage").context


async def test_who_is_called_off_while_waiting_has_waited_and_not_failed(
    spans: Spans, ended: InMemorySpanExporter
) -> None:
    inner: Any = Gate()
    gate = TracedGate(inner, spans)
    with spans.around("stage", {}):
        using = asyncio.create_task(use(gate))
        await asyncio.sleep(0)
        using.cancel()
        await asyncio.wait([using])
    wait = named(ended, "wait for device")
    assert wait.status.status_code is StatusCode.UNSET
    assert dict(wait.attributes or {})["error.type"] == "CancelledError"


async def use(gate: TracedGate) -> Any:
    async with gate.exclusive() as places:
        return places


class Worker:
    restarts = 3

    async def call(self, operation: str, arguments: Any, *, descriptors: Any = ()) -> Any:
        if operation.endswith("die"):
            raise WorkerLost("words of a submission")
        return arguments


async def test_a_call_of_the_worker_names_job_and_operation(
    spans: Spans, ended: InMemorySpanExporter
) -> None:
    inner: Any = Worker()
    worker = TracedWorker(inner, spans)
    assert worker.restarts == 3
    with log_context.bound(job_id="job-1", attempt_id="attempt-1"), spans.around("stage", {}):
        assert await worker.call("package.module:judge", {"a": 1}, descriptors=[3]) == {"a": 1}
        with pytest.raises(WorkerLost):
            await worker.call("package.module:die", {})
    judged, died = named(ended, "worker judge"), named(ended, "worker die")
    assert judged.attributes == {
        "scorer.job.id": "job-1",
        "scorer.attempt.id": "attempt-1",
        "scorer.worker.operation": "package.module:judge",
    }
    assert died.status.status_code is StatusCode.ERROR
    assert "words" not in died.to_json()


class Run:
    def __init__(self) -> None:
        self.thawed = False

    def thaw(self) -> None:
        self.thawed = True

    def wait(self) -> Any:
        return SimpleNamespace(
            termination=scorer_launcher.Termination.MEMORY_LIMIT, exit_code=None, cpu_s=0.25, wall_s=0.5
        )


def test_a_run_in_a_warm_sandbox_ends_when_somebody_hears_of_it(
    spans: Spans, ended: InMemorySpanExporter
) -> None:
    inner = Run()
    sandbox = SimpleNamespace(start=lambda argv, **options: inner)
    backend: Any = SimpleNamespace(open_warm=lambda *arguments: sandbox)
    with spans.around("stage", {}):
        run = TracedBackend(backend, spans).open_warm({}, {}, [], []).start(["program"])
        run.thaw()
        assert inner.thawed
        assert not [span for span in ended.get_finished_spans() if span.name == "sandbox run"]
        run.wait()
        run.wait()
    attributes = dict(named(ended, "sandbox run").attributes or {})
    assert attributes == {
        "scorer.sandbox.kind": "warm",
        "scorer.sandbox.termination": "memory_limit",
        "scorer.sandbox.cpu_s": 0.25,
        "scorer.sandbox.wall_s": 0.5,
    }
