"""Metrics of stages, as a decorator round the environments."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from google.protobuf.message import Message
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from scorer_service.environments.interface import (
    CalibrationTable,
    Environment,
    EnvironmentDescription,
    Outcome,
    Stage,
    StageContext,
    StarterFile,
)
from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.metrics.failures import FailureMetrics
from scorer_service.metrics.lanes import LaneMetrics


class StageMetrics:
    """Times the stages of environments, and counts what fails in them."""

    def __init__(
        self,
        registry: CollectorRegistry,
        *,
        failures: FailureMetrics | None = None,
        lanes: LaneMetrics | None = None,
    ) -> None:
        self._failures = failures or FailureMetrics(registry)
        self._lanes = lanes or LaneMetrics(registry)
        self._seconds = Histogram(
            "scorer_stage_seconds",
            "Time that a stage of a job took, its wait for a lane left out.",
            ["environment", "stage"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._running = Gauge(
            "scorer_stages_running", "Stages being worked on.", ["environment", "stage"], registry=registry
        )
        self._compilations = Counter(
            "scorer_compile_cache_lookups",
            "Programs of judged jobs, by whether their compiled form was in the cache: hit or miss.",
            ["environment", "result"],
            registry=registry,
        )

    def metered(self, environment: Environment) -> Environment:
        """The environment with its stages timed."""
        metered = _MeteredEnvironment(environment, self)
        self._lanes.add_environment(environment.name, {stage.lane for stage in environment.stages})
        return metered

    def _timed(self, environment: str, stage: Stage) -> Stage:
        seconds = self._seconds.labels(environment, stage.name)
        running = self._running.labels(environment, stage.name)

        def wrap(
            run: Callable[[Any, StageContext], Awaitable[Any]],
        ) -> Callable[[Any, StageContext], Awaitable[Any]]:
            async def timed(value: Any, context: StageContext) -> Any:
                self._lanes.reached(context.job_id, stage.lane)
                try:
                    with running.track_inprogress(), seconds.time():
                        result = await run(value, context)
                except asyncio.CancelledError:
                    raise
                except Exception as error:
                    self._failures.failed(environment, error)
                    raise
                if isinstance(result, Outcome):
                    self._count_compilations(environment, result)
                return result

            return timed

        return Stage(stage.name, stage.lane, wrap(stage.run))

    def _count_compilations(self, environment: str, outcome: Outcome) -> None:
        """An environment that compiles says of each program in its details whether it had to."""
        for program in outcome.evaluator_details.get("problems", ()):
            if "compile_cached" in program:
                result = "hit" if program["compile_cached"] else "miss"
                self._compilations.labels(environment, result).inc()


class _MeteredEnvironment(Environment):
    def __init__(self, environment: Environment, metrics: StageMetrics) -> None:
        self._environment = environment
        # An instance's own attributes: what is a constant of each class is a value of this wrapper.
        self.name = environment.name  # type: ignore[misc]
        self.request_type = environment.request_type  # type: ignore[misc]
        self.response_type = environment.response_type  # type: ignore[misc]
        self._stages = [metrics._timed(environment.name, stage) for stage in environment.stages]

    async def start(self) -> None:
        await self._environment.start()

    async def close(self) -> None:
        await self._environment.close()

    def describe(self) -> EnvironmentDescription:
        return self._environment.describe()

    def validate(self, request: Message) -> None:
        self._environment.validate(request)

    @property
    def stages(self) -> Sequence[Stage]:
        return self._stages

    def starter(self) -> Sequence[StarterFile]:
        return self._environment.starter()

    async def calibrate(self) -> CalibrationTable:
        return await self._environment.calibrate()

    def canary(self) -> Message | None:
        return self._environment.canary()
