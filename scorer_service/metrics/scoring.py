"""Metrics of jobs, queue and stages, as decorators round the queue and the environments."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from scorer_service.environments.interface import (
    CalibrationTable,
    Environment,
    EnvironmentDescription,
    Stage,
    StageContext,
    StarterFile,
)
from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.store.interface import (
    JobQueue,
    JobRecord,
    JobState,
    JudgedResult,
    Lease,
    NewJob,
    QueueFull,
    QueueState,
)


class MeteredQueue:
    """A `JobQueue` that counts what goes through it."""

    def __init__(self, queue: JobQueue, registry: CollectorRegistry) -> None:
        self._queue = queue
        self._accepted = Counter(
            "scorer_jobs_accepted", "Jobs put in the queue.", ["environment"], registry=registry
        )
        self._refused = Counter(
            "scorer_jobs_refused",
            "Submissions refused because the queue was full.",
            ["environment"],
            registry=registry,
        )
        self._judged = Counter(
            "scorer_jobs_judged",
            "Jobs that ended with a verdict.",
            ["environment", "verdict"],
            registry=registry,
        )
        self._failed = Counter(
            "scorer_jobs_failed",
            "Jobs that ended by a failure of the service.",
            ["environment"],
            registry=registry,
        )
        self._cancelled = Counter(
            "scorer_jobs_cancelled", "Jobs that were cancelled.", ["environment"], registry=registry
        )
        self._redelivered = Counter(
            "scorer_jobs_reclaimed", "Jobs taken back from a worker that died.", registry=registry
        )
        self._waited = Histogram(
            "scorer_queue_wait_seconds",
            "Time from the acceptance of a job to its first stage.",
            ["environment"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )

    async def accept(self, job: NewJob, queue_limit: int) -> tuple[JobRecord, bool]:
        """See `JobQueue.accept`."""
        try:
            record, is_new = await self._queue.accept(job, queue_limit)
        except QueueFull:
            self._refused.labels(job.environment).inc()
            raise
        if is_new:
            self._accepted.labels(job.environment).inc()
        return record, is_new

    async def claim(self, environment: str, owner: str, lease_s: float) -> Lease | None:
        """See `JobQueue.claim`."""
        lease = await self._queue.claim(environment, owner, lease_s)
        # What came before a later delivery was work that was lost, not a wait.
        if lease is not None and lease.number == 1:
            self._waited.labels(environment).observe(max(0.0, time.time() - lease.accepted_at))
        return lease

    async def renew(self, lease: Lease, lease_s: float) -> bool:
        """See `JobQueue.renew`."""
        return await self._queue.renew(lease, lease_s)

    async def finish(self, lease: Lease, result: JudgedResult) -> bool:
        """See `JobQueue.finish`."""
        stored = await self._queue.finish(lease, result)
        if stored:
            self._judged.labels(lease.environment, result.verdict.value).inc()
        return stored

    async def fail(self, lease: Lease, failure: str) -> bool:
        """See `JobQueue.fail`."""
        stored = await self._queue.fail(lease, failure)
        if stored:
            self._failed.labels(lease.environment).inc()
        return stored

    async def give_back(self, lease: Lease) -> bool:
        """See `JobQueue.give_back`."""
        return await self._queue.give_back(lease)

    async def cancel(self, job_id: str) -> JobRecord | None:
        """See `JobQueue.cancel`."""
        before = await self._queue.find(job_id=job_id)
        record = await self._queue.cancel(job_id)
        if (
            record is not None
            and record.state is JobState.CANCELLED
            and before is not None
            and not before.state.is_final
        ):
            self._cancelled.labels(record.environment).inc()
        return record

    async def reclaim(self, *, everything: bool, delivery_limit: int) -> Sequence[str]:
        """See `JobQueue.reclaim`."""
        reclaimed = await self._queue.reclaim(everything=everything, delivery_limit=delivery_limit)
        for job_id in reclaimed:
            record = await self._queue.find(job_id=job_id)
            if record is not None and record.state is JobState.FAILED:  # given up
                self._failed.labels(record.environment).inc()
            else:
                self._redelivered.inc()
        return reclaimed

    async def find(self, *, job_id: str | None = None, request_id: str | None = None) -> JobRecord | None:
        """See `JobQueue.find`."""
        return await self._queue.find(job_id=job_id, request_id=request_id)

    async def position(self, job_id: str) -> int:
        """See `JobQueue.position`."""
        return await self._queue.position(job_id)

    async def state(self, environment: str) -> QueueState:
        """See `JobQueue.state`."""
        return await self._queue.state(environment)

    async def purge(self, older_than_s: float) -> int:
        """See `JobQueue.purge`."""
        return await self._queue.purge(older_than_s)


class StageMetrics:
    """Times the stages of environments."""

    def __init__(self, registry: CollectorRegistry) -> None:
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

    def metered(self, environment: Environment) -> Environment:
        """The environment with its stages timed."""
        return _MeteredEnvironment(environment, self)

    def _timed(self, environment: str, stage: Stage) -> Stage:
        seconds = self._seconds.labels(environment, stage.name)
        running = self._running.labels(environment, stage.name)

        def wrap(
            run: Callable[[Any, StageContext], Awaitable[Any]],
        ) -> Callable[[Any, StageContext], Awaitable[Any]]:
            async def timed(value: Any, context: StageContext) -> Any:
                with running.track_inprogress(), seconds.time():
                    return await run(value, context)

            return timed

        return Stage(stage.name, stage.lane, wrap(stage.run))


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


class QueueGauges:
    """Depth and age of the queues, refreshed on a schedule: a scrape must not wait for the store."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._depth = Gauge("scorer_queue_depth", "Jobs that wait.", ["environment"], registry=registry)
        self._oldest = Gauge(
            "scorer_queue_oldest_age_seconds",
            "How long the first job in the queue has waited.",
            ["environment"],
            registry=registry,
        )
        self._slots_busy = Gauge(
            "scorer_lane_busy", "Places of a lane that are taken.", ["lane"], registry=registry
        )
        self._slots_waiting = Gauge(
            "scorer_lane_waiting", "Stages that wait for a place.", ["lane"], registry=registry
        )

    async def refresh(self, queue: JobQueue, environments: Sequence[str], lanes: Mapping[str, Any]) -> None:
        """Read the state of the queues and lanes."""
        for environment in environments:
            state = await queue.state(environment)
            self._depth.labels(environment).set(state.depth)
            self._oldest.labels(environment).set(state.oldest_age_s)
        for name, lane in lanes.items():
            self._slots_busy.labels(name).set(lane.busy)
            self._slots_waiting.labels(name).set(lane.waiting)
