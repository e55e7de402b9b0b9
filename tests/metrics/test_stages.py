"""Metrics of stages: time, failures by reason, and what an environment says of its compile cache."""

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any

import pytest
import scorer_launcher
from prometheus_client import CollectorRegistry
from scorer.v1 import rust_codecontests_pb2
from scripted_environment import ScriptedEnvironment, request

from scorer_service.environments.interface import JudgingFailed, Outcome, Stage, Verdict, WorkerDied
from scorer_service.metrics.failures import reason_of
from scorer_service.metrics.stages import StageMetrics
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable


def context() -> Any:
    return SimpleNamespace(
        job_id="job", exit_stack=contextlib.AsyncExitStack(), report=lambda done, total, unit: None
    )


async def test_a_stage_is_timed_also_where_it_fails_or_is_cancelled() -> None:
    registry = CollectorRegistry()
    inner = ScriptedEnvironment()
    environment = StageMetrics(registry).metered(inner)
    assert [stage.name for stage in environment.stages] == ["build", "judge"]
    assert (environment.name, environment.describe()) == (inner.name, inner.describe())
    labels = {"environment": inner.name, "stage": "judge"}

    def sample(name: str) -> float | None:
        return registry.get_sample_value(name, labels)

    built = await environment.stages[0].run(request("a"), context())
    judging: asyncio.Future[Any] = asyncio.ensure_future(environment.stages[1].run(built, context()))
    await inner.started.wait()
    assert (sample("scorer_stages_running"), sample("scorer_stage_seconds_count")) == (1, 0)
    judging.cancel()
    await asyncio.wait([judging])
    assert inner.killed == ["a"]
    inner.failures["a"] = RuntimeError("lost")
    inner.released.set()
    with pytest.raises(RuntimeError):
        await environment.stages[1].run(built, context())
    assert (sample("scorer_stages_running"), sample("scorer_stage_seconds_count")) == (0, 2)
    failures = {"environment": inner.name, "reason": "unexpected"}
    # Being cancelled is nobody's failure.
    assert registry.get_sample_value("scorer_service_failures_total", failures) == 1


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (JudgingFailed("a bug"), "judging"),
        (WorkerDied("gone"), "worker_died"),
        (caused(WorkerDied("gone"), WorkerLost()), "worker_died"),
        (caused(WorkerDied("gone"), scorer_launcher.SandboxError("no namespaces")), "sandbox"),
        (caused(JudgingFailed("no worker"), WorkerUnavailable()), "worker_unavailable"),
        (caused(JudgingFailed("no worker"), OperationFailed()), "worker_operation"),
        (caused(JudgingFailed("disk"), OSError(28, "No space left on device")), "storage"),
        (KeyError("x"), "unexpected"),
    ],
)
def test_a_failure_is_counted_under_what_is_behind_it(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


async def test_compilations_are_counted_by_whether_the_cache_had_them() -> None:
    registry = CollectorRegistry()
    details: dict[str, Any] = {}

    class Compiling(ScriptedEnvironment):
        @property
        def stages(self) -> list[Stage]:
            async def run(value: Any, context: Any) -> Outcome:
                response = rust_codecontests_pb2.ScoreRustCodecontestsResponse()
                return Outcome(Verdict.SCORED, 0.5, "", response, details)

            return [Stage("judge", "judge", run)]

    environment = StageMetrics(registry).metered(Compiling())
    cached = [True, True, False]
    details["problems"] = [{"compile_cached": one} for one in cached] + [{"problem_id": "interpreted"}]
    await environment.stages[0].run(None, context())
    details.clear()  # an environment that compiles nothing
    await environment.stages[0].run(None, context())
    for result, count in (("hit", 2), ("miss", 1)):
        labels = {"environment": environment.name, "result": result}
        assert registry.get_sample_value("scorer_compile_cache_lookups_total", labels) == count
