"""Metrics of sandboxes, as a decorator round the backend that makes them."""

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import scorer_launcher
from prometheus_client import CollectorRegistry, Counter, Histogram

from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.sandbox.interface import Sandbox, SandboxBackend, WarmSandbox

COLD = "cold"
"""Made for one submission."""
WARM = "warm"
"""Has torch imported, and serves many submissions."""
KINDS = (COLD, WARM)
STEPS = ("start", "run")


class SandboxMetrics:
    """Counts sandboxes and what runs in them. Its decorators may be used from any thread."""

    def __init__(self, registry: CollectorRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._starts = Counter(
            "scorer_sandbox_starts",
            "Sandboxes made: cold ones for one submission each, warm ones for many.",
            ["kind"],
            registry=registry,
        )
        self._start_seconds = Histogram(
            "scorer_sandbox_start_seconds",
            "Time to make a sandbox; a warm one imports torch.",
            ["kind"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._runs = Counter(
            "scorer_sandbox_runs",
            "Programs started in sandboxes: compilers, tests, submitted scripts and kernels.",
            ["kind"],
            registry=registry,
        )
        self._terminations = Counter(
            "scorer_sandbox_terminations",
            "Programs of cold sandboxes that ended, by how: of their own accord, or by which limit.",
            ["termination"],
            registry=registry,
        )
        self._failures = Counter(
            "scorer_sandbox_failures",
            "Failures of the sandbox, never of what runs in it: to be made (start), to run a program (run).",
            ["kind", "step"],
            registry=registry,
        )
        for kind in KINDS:
            self._starts.labels(kind)
            self._runs.labels(kind)
            for step in STEPS:
                self._failures.labels(kind, step)

    def metered(self, backend: SandboxBackend) -> SandboxBackend:
        """The backend with everything counted."""
        return _MeteredBackend(backend, self)

    @contextlib.contextmanager
    def _starting(self, kind: str) -> Iterator[None]:
        began = self._clock()
        with self._failing(kind, "start"):
            yield
        self._starts.labels(kind).inc()
        self._start_seconds.labels(kind).observe(self._clock() - began)

    @contextlib.contextmanager
    def _failing(self, kind: str, step: str) -> Iterator[None]:
        try:
            yield
        except scorer_launcher.SandboxClosed:  # its job was cancelled
            raise
        except scorer_launcher.SandboxError:
            self._failures.labels(kind, step).inc()
            raise

    def _ended(self, results: Sequence[scorer_launcher.RunResult]) -> None:
        self._runs.labels(COLD).inc(len(results))
        for result in results:
            self._terminations.labels(result.termination.value).inc()


class _MeteredBackend:
    def __init__(self, backend: SandboxBackend, metrics: SandboxMetrics) -> None:
        self._backend = backend
        self._metrics = metrics

    @property
    def description(self) -> str:
        return self._backend.description

    @property
    def slot_count(self) -> int:
        return self._backend.slot_count

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        with self._metrics._starting(COLD):
            sandbox = self._backend.open(mounts, environment, copied)
        return _MeteredSandbox(sandbox, self._metrics)

    def take_places(self, count: int) -> scorer_launcher.Places:
        return self._backend.take_places(count)

    def open_warm(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        argv: Sequence[str],
        devices: Sequence[str],
    ) -> WarmSandbox:
        with self._metrics._starting(WARM):
            sandbox = self._backend.open_warm(mounts, environment, argv, devices)
        return _MeteredWarmSandbox(sandbox, self._metrics)

    def special_checker(
        self, sandbox: Sandbox, argv: Sequence[str], limits: scorer_launcher.Limits
    ) -> scorer_launcher.Checker:
        inner = sandbox._sandbox if isinstance(sandbox, _MeteredSandbox) else sandbox
        return self._backend.special_checker(inner, argv, limits)


class _MeteredSandbox:
    def __init__(self, sandbox: Sandbox, metrics: SandboxMetrics) -> None:
        self._sandbox = sandbox
        self._metrics = metrics

    def run(
        self,
        argv: Sequence[str],
        *,
        limits: scorer_launcher.Limits,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        collect: Mapping[str, int] | None = None,
    ) -> scorer_launcher.RunResult:
        with self._metrics._failing(COLD, "run"):
            result = self._sandbox.run(
                argv, limits=limits, stdin=stdin, files=files or {}, collect=collect or {}
            )
        self._metrics._ended([result])
        return result

    def run_tests(
        self,
        argv: Sequence[str],
        tests: Sequence[scorer_launcher.TestCase],
        *,
        limits: scorer_launcher.Limits,
        checker: scorer_launcher.Checker,
        stop_at_first_failure: bool = True,
        keep_output: bool = False,
    ) -> list[scorer_launcher.TestOutcome]:
        with self._metrics._failing(COLD, "run"):
            outcomes = self._sandbox.run_tests(
                argv,
                tests,
                limits=limits,
                checker=checker,
                stop_at_first_failure=stop_at_first_failure,
                keep_output=keep_output,
            )
        self._metrics._ended([outcome.result for outcome in outcomes])
        return outcomes

    def close(self) -> None:
        self._sandbox.close()


class _MeteredWarmSandbox:
    def __init__(self, sandbox: WarmSandbox, metrics: SandboxMetrics) -> None:
        self._sandbox = sandbox
        self._metrics = metrics

    def start(
        self,
        argv: Sequence[str],
        *,
        limits: scorer_launcher.Limits,
        places: scorer_launcher.Places,
        files: Mapping[str, bytes],
        collect: Mapping[str, int],
        channel: int,
    ) -> scorer_launcher.Run:
        with self._metrics._failing(WARM, "run"):
            run = self._sandbox.start(
                argv, limits=limits, places=places, files=files, collect=collect, channel=channel
            )
        self._metrics._runs.labels(WARM).inc()
        return run

    def close(self) -> None:
        self._sandbox.close()
