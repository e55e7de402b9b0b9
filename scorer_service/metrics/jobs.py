"""Metrics of jobs, as a decorator round the queue."""

import time
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from scorer_service.environments.interface import Verdict
from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.metrics.failures import FailureMetrics
from scorer_service.metrics.lanes import LaneMetrics
from scorer_service.metrics.leases import LeaseMetrics
from scorer_service.store.interface import (
    JobQueue,
    JobRecord,
    JobState,
    JudgedResult,
    Lease,
    NewJob,
    QueueState,
)
from scorer_service.store.limits import REFUSALS, QueueLimits, SubmissionRefused

REFUSAL_REASONS = tuple(refusal.reason for refusal in REFUSALS)


class MeteredQueue:
    """A `JobQueue` that counts what goes through it."""

    def __init__(
        self,
        queue: JobQueue,
        registry: CollectorRegistry,
        *,
        failures: FailureMetrics | None = None,
        lanes: LaneMetrics | None = None,
    ) -> None:
        self._queue = queue
        self._failures = failures or FailureMetrics(registry)
        self._lanes = lanes or LaneMetrics(registry)
        self._leases = LeaseMetrics(registry)
        self._accepted = Counter(
            "scorer_jobs_accepted", "Jobs put in the queue.", ["environment"], registry=registry
        )
        self._refused = Counter(
            "scorer_jobs_refused",
            "Submissions that a limit refused; nothing of them is kept. Reasons: "
            f"{', '.join(REFUSAL_REASONS)}.",
            ["environment", "reason"],
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
            "Jobs that ended by a failure of the service, without a verdict.",
            ["environment"],
            registry=registry,
        )
        self._cancelled = Counter(
            "scorer_jobs_cancelled", "Jobs that were cancelled.", ["environment"], registry=registry
        )
        self._redelivered = Counter(
            "scorer_jobs_reclaimed", "Jobs taken back from a worker that died.", registry=registry
        )
        self._dropped = Counter(
            "scorer_results_dropped",
            "Results that came after the lease of their job was void; another delivery of it counts.",
            ["environment"],
            registry=registry,
        )
        self._depth = Gauge("scorer_queue_depth", "Jobs that wait.", ["environment"], registry=registry)
        self._oldest = Gauge(
            "scorer_queue_oldest_age_seconds",
            "How long the job that has waited longest waits; 0 where none waits.",
            ["environment"],
            registry=registry,
        )
        self._waited = Histogram(
            "scorer_queue_wait_seconds",
            "Time from the acceptance of a job to its first stage.",
            ["environment"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )

    def add_environments(self, environments: Sequence[str]) -> None:
        """Show them from the start: a counter that begins with 1 is no increase to a query."""
        for counter in (self._accepted, self._failed, self._cancelled, self._dropped):
            for environment in environments:
                counter.labels(environment)
        for environment in environments:
            for reason in REFUSAL_REASONS:
                self._refused.labels(environment, reason)
            for verdict in Verdict:
                self._judged.labels(environment, verdict.value)
        self._failures.add_environments(environments)
        self._leases.add_environments(environments)

    async def refresh(self, environments: Sequence[str]) -> None:
        """Read the state of the queues. On a schedule: a scrape must not wait for the store."""
        for environment in environments:
            state = await self._queue.state(environment)
            self._depth.labels(environment).set(state.depth)
            self._oldest.labels(environment).set(state.oldest_age_s)
            self._lanes.set_queued(environment, state.depth)
        self._leases.refresh(environments)
        self._lanes.advance()

    async def accept(
        self, job: NewJob, limits: QueueLimits, *, position_limit: int | None = None
    ) -> tuple[JobRecord, bool]:
        """See `JobQueue.accept`."""
        try:
            record, is_new = await self._queue.accept(job, limits, position_limit=position_limit)
        except SubmissionRefused as error:
            self._refused.labels(job.environment, error.reason).inc()
            raise
        if is_new:
            self._accepted.labels(job.environment).inc()
            self._lanes.queued(job.environment, 1)
        return record, is_new

    async def claim(self, environment: str, owner: str, lease_s: float) -> Lease | None:
        """See `JobQueue.claim`."""
        lease = await self._queue.claim(environment, owner, lease_s)
        if lease is None:
            return None
        self._leases.taken(lease)
        self._lanes.taken(lease.job_id, environment)
        # What came before a later delivery was work that was lost, not a wait.
        if lease.number == 1:
            self._waited.labels(environment).observe(max(0.0, time.time() - lease.accepted_at))
        return lease

    async def renew(self, lease: Lease, lease_s: float) -> bool:
        """See `JobQueue.renew`."""
        renewed = await self._queue.renew(lease, lease_s)
        if renewed:
            self._leases.renewed(lease)
        else:
            self._leases.lost(lease)
        return renewed

    async def finish(self, lease: Lease, result: JudgedResult) -> bool:
        """See `JobQueue.finish`."""
        stored = await self._queue.finish(lease, result)
        if stored:
            self._judged.labels(lease.environment, result.verdict.value).inc()
        else:
            self._dropped.labels(lease.environment).inc()
        self._end(lease, kept=stored)
        return stored

    async def fail(self, lease: Lease, failure: str) -> bool:
        """See `JobQueue.fail`."""
        stored = await self._queue.fail(lease, failure)
        if stored:
            self._failed.labels(lease.environment).inc()
        self._end(lease, kept=stored)
        return stored

    async def give_back(self, lease: Lease) -> bool:
        """See `JobQueue.give_back`."""
        given_back = await self._queue.give_back(lease)
        if given_back:
            self._lanes.queued(lease.environment, 1)
        self._end(lease, kept=given_back)
        return given_back

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
            if before.state is JobState.QUEUED:
                self._lanes.queued(record.environment, -1)
            self._leases.cancelled(job_id)
            self._lanes.ended(job_id)
        return record

    async def worker_died(
        self, lease: Lease, *, death_limit: int, in_company: bool, failure: str
    ) -> JobState | None:
        """See `JobQueue.worker_died`."""
        state = await self._queue.worker_died(
            lease, death_limit=death_limit, in_company=in_company, failure=failure
        )
        if state is JobState.QUEUED:
            self._lanes.queued(lease.environment, 1)
        elif state is JobState.FAILED:
            self._failed.labels(lease.environment).inc()
            self._failures.set_aside(lease.environment)
        self._end(lease, kept=state is not None)
        return state

    async def reclaim(self, *, everything: bool, death_limit: int) -> Sequence[str]:
        """See `JobQueue.reclaim`."""
        reclaimed = await self._queue.reclaim(everything=everything, death_limit=death_limit)
        for job_id in reclaimed:
            record = await self._queue.find(job_id=job_id)
            if record is not None and record.state is JobState.FAILED:  # set aside
                self._failed.labels(record.environment).inc()
                self._failures.set_aside(record.environment)
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

    def _end(self, lease: Lease, *, kept: bool) -> None:
        if kept:
            self._leases.ended(lease)
        else:
            self._leases.lost(lease)
        self._lanes.ended(lease.job_id)
