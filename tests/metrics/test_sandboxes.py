"""Sandboxes: what is made and run is counted, and failures of the sandbox apart from those of programs."""

from typing import Any

import pytest
import scorer_launcher
from prometheus_client import CollectorRegistry

from scorer_service.metrics.sandboxes import SandboxMetrics
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.sandbox.native import NativeBackend

LIMITS = scorer_launcher.Limits(cpu_limit_s=5.0, wall_limit_s=10.0, memory_limit_bytes=256 << 20)
MOUNTS = {path: path for path in ("/bin", "/lib", "/lib64", "/usr")}


class Counted:
    """A registry, read by short names."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = SandboxMetrics(self.registry)

    def metered(self, backend: Any) -> SandboxBackend:
        return self.metrics.metered(backend)

    def __call__(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(f"scorer_sandbox_{name}", labels) or 0.0


@pytest.fixture
def counted() -> Counted:
    return Counted()


def test_programs_of_real_sandboxes_are_counted_by_how_they_ended(counted: Counted) -> None:
    backend = counted.metered(NativeBackend(2))
    assert backend.slot_count == 2
    sandbox = backend.open(MOUNTS, {})
    try:
        assert sandbox.run(["/bin/sh", "-c", "exit 3"], limits=LIMITS).exit_code == 3
        sandbox.run(["/bin/sh", "-c", "kill -9 $$"], limits=LIMITS)
        outcomes = sandbox.run_tests(
            ["/bin/cat"],
            [scorer_launcher.TestCase(b"1\n", b"1\n"), scorer_launcher.TestCase(b"2\n", b"2\n")],
            limits=LIMITS,
            checker=scorer_launcher.Checker.exact(),
        )
    finally:
        sandbox.close()
    assert [outcome.accepted for outcome in outcomes] == [True, True]
    assert (counted("starts_total", kind="cold"), counted("start_seconds_count", kind="cold")) == (1, 1)
    assert counted("runs_total", kind="cold") == 4
    assert counted("terminations_total", termination="exited") == 3
    assert counted("terminations_total", termination="signaled") == 1
    assert sum(counted("failures_total", kind="cold", step=step) for step in ("start", "run")) == 0


def test_a_special_checker_finds_its_sandbox(counted: Counted) -> None:
    backend = counted.metered(NativeBackend(1))
    sandbox = backend.open(MOUNTS, {})
    try:
        assert backend.special_checker(sandbox, ["/bin/true"], LIMITS)
    finally:
        sandbox.close()


class Backend:
    """Makes sandboxes, or raises; so do the sandboxes."""

    def __init__(self, open_error: Exception | None = None, run_error: Exception | None = None) -> None:
        self.open_error = open_error
        self.run_error = run_error

    def open(self, *arguments: Any) -> "Backend":
        if self.open_error is not None:
            raise self.open_error
        return self

    def run(self, *arguments: Any, **named: Any) -> None:
        if self.run_error is not None:
            raise self.run_error

    def open_warm(self, *arguments: Any) -> "Backend":
        return self.open()

    run_tests = start = run


def test_failures_are_counted_by_kind_and_step_and_passed_on(counted: Counted) -> None:
    error = scorer_launcher.SandboxError("no user namespaces")
    metered = counted.metered(Backend(open_error=error))
    with pytest.raises(scorer_launcher.SandboxError, match="no user namespaces"):
        metered.open({}, {})
    with pytest.raises(scorer_launcher.SandboxError):
        metered.open_warm({}, {}, [], [])
    for kind in ("cold", "warm"):
        assert counted("failures_total", kind=kind, step="start") == 1
        assert (counted("starts_total", kind=kind), counted("start_seconds_count", kind=kind)) == (0, 0)


def test_failures_to_run_are_told_from_failures_to_start(counted: Counted) -> None:
    metered = counted.metered(Backend(run_error=scorer_launcher.SandboxError("gone")))
    cold, warm = metered.open({}, {}), metered.open_warm({}, {}, [], [])
    with pytest.raises(scorer_launcher.SandboxError):
        cold.run([], limits=LIMITS)
    with pytest.raises(scorer_launcher.SandboxError):
        cold.run_tests([], [], limits=LIMITS, checker=scorer_launcher.Checker.exact())
    with pytest.raises(scorer_launcher.SandboxError):
        warm.start([], limits=LIMITS, places=None, files={}, collect={}, channel=3)  # type: ignore[arg-type]
    assert counted("failures_total", kind="cold", step="run") == 2
    assert counted("failures_total", kind="warm", step="run") == 1
    assert counted("runs_total", kind="warm") == 0


def test_a_sandbox_that_was_closed_by_a_cancelled_job_is_no_failure(counted: Counted) -> None:
    metered = counted.metered(Backend(run_error=scorer_launcher.SandboxClosed("cancelled")))
    with pytest.raises(scorer_launcher.SandboxClosed):
        metered.open({}, {}).run([], limits=LIMITS)
    assert counted("failures_total", kind="cold", step="run") == 0


def test_runs_of_a_warm_sandbox_are_counted_when_they_begin(counted: Counted) -> None:
    warm = counted.metered(Backend()).open_warm({}, {}, [], [])
    warm.start([], limits=LIMITS, places=None, files={}, collect={}, channel=3)  # type: ignore[arg-type]
    assert (counted("starts_total", kind="warm"), counted("runs_total", kind="warm")) == (1, 1)
