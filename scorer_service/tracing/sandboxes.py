"""Spans of sandboxes: their start, and what runs in them. Their methods are called in threads."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import scorer_launcher
from opentelemetry.semconv._incubating.attributes.process_attributes import PROCESS_EXIT_CODE
from opentelemetry.trace import Span

from scorer_service.sandbox.interface import Sandbox, SandboxBackend, WarmSandbox
from scorer_service.tracing.forwarding import Forwarding
from scorer_service.tracing.spans import Attributes, Spans, failed

KIND = "scorer.sandbox.kind"
TERMINATION = "scorer.sandbox.termination"
"""As in `scorer_launcher.Termination`: exited, or by which limit."""
CPU_S = "scorer.sandbox.cpu_s"
WALL_S = "scorer.sandbox.wall_s"
TEST_COUNT = "scorer.sandbox.test_count"
"""Tests that were run: after one that failed, the rest is left out."""
COLD: Attributes = {KIND: "cold"}
WARM: Attributes = {KIND: "warm"}


class TracedBackend(Forwarding):
    """A `SandboxBackend` whose sandboxes make spans."""

    inner: SandboxBackend

    def __init__(self, backend: SandboxBackend, spans: Spans) -> None:
        super().__init__(backend)
        self._spans = spans

    def open(self, *arguments: Any, **options: Any) -> "_TracedSandbox":
        """See `SandboxBackend.open`."""
        with self._spans.within("sandbox start", COLD):
            sandbox = self.inner.open(*arguments, **options)
        return _TracedSandbox(sandbox, self._spans)

    def open_warm(self, *arguments: Any, **options: Any) -> "_TracedWarmSandbox":
        """See `SandboxBackend.open_warm`."""
        with self._spans.within("sandbox start", WARM):
            sandbox = self.inner.open_warm(*arguments, **options)
        return _TracedWarmSandbox(sandbox, self._spans)

    def special_checker(
        self, sandbox: Sandbox, argv: Sequence[str], limits: scorer_launcher.Limits
    ) -> scorer_launcher.Checker:
        """See `SandboxBackend.special_checker`."""
        inner = sandbox.inner if isinstance(sandbox, _TracedSandbox) else sandbox
        return self.inner.special_checker(inner, argv, limits)


class _TracedSandbox(Forwarding):
    inner: Sandbox

    def __init__(self, sandbox: Sandbox, spans: Spans) -> None:
        super().__init__(sandbox)
        self._spans = spans

    def run(self, argv: Sequence[str], **options: Any) -> scorer_launcher.RunResult:
        with self._spans.within("sandbox run", COLD) as span:
            result = self.inner.run(argv, **options)
            span.set_attributes(_ending(result))
        return result

    def run_tests(
        self, argv: Sequence[str], tests: Sequence[scorer_launcher.TestCase], **options: Any
    ) -> list[scorer_launcher.TestOutcome]:
        with self._spans.within("sandbox tests", COLD) as span:
            outcomes = self.inner.run_tests(argv, tests, **options)
            span.set_attributes(
                {
                    TEST_COUNT: len(outcomes),
                    CPU_S: sum(outcome.result.cpu_s for outcome in outcomes),
                    WALL_S: sum(outcome.result.wall_s for outcome in outcomes),
                }
            )
        return outcomes


class _TracedWarmSandbox(Forwarding):
    inner: WarmSandbox

    def __init__(self, sandbox: WarmSandbox, spans: Spans) -> None:
        super().__init__(sandbox)
        self._spans = spans

    def start(self, argv: Sequence[str], **options: Any) -> "_TracedRun":
        span = self._spans.begin("sandbox run", WARM)
        try:
            run = self.inner.start(argv, **options)
        except BaseException as error:
            failed(span, error)
            span.end()
            raise
        return _TracedRun(run, span)


class _TracedRun(Forwarding):
    """A run whose span ends when somebody first hears how it ended."""

    inner: scorer_launcher.Run

    def __init__(self, run: scorer_launcher.Run, span: Span) -> None:
        super().__init__(run)
        self._span = span
        self._open = threading.Lock()

    def wait(self) -> scorer_launcher.RunResult:
        try:
            result = self.inner.wait()
        except BaseException as error:
            if self._open.acquire(blocking=False):
                failed(self._span, error)
                self._span.end()
            raise
        if self._open.acquire(blocking=False):
            self._span.set_attributes(_ending(result))
            self._span.end()
        return result


def _ending(result: scorer_launcher.RunResult) -> Attributes:
    ending: Mapping[str, str | int | float] = {
        TERMINATION: result.termination.value,
        CPU_S: result.cpu_s,
        WALL_S: result.wall_s,
    }
    return ending if result.exit_code is None else {**ending, PROCESS_EXIT_CODE: result.exit_code}
