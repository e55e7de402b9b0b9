"""One delivery of a job: its stages under a lease that is kept alive."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scorer_service.environments.interface import Environment, JudgingFailed, Outcome, WorkerDied
from scorer_service.logs import context as log_context
from scorer_service.scheduling.company import Company
from scorer_service.scheduling.lane import Lane
from scorer_service.scheduling.progress import Progress, ProgressBoard
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.interface import JobQueue, JobState, JudgedResult, Lease

log = logging.getLogger(__name__)

FAILURE_TEXT_LIMIT = 1000
WORKER_DEATHS_LIMIT = 2
"""A submission over which a worker died so often is set aside. The first death may have been another's doing,
the second one not: by then it was worked on alone."""


@dataclass(frozen=True)
class DeliveryTools:
    """What deliveries share."""

    queue: JobQueue
    lanes: Mapping[str, Lane]
    board: ProgressBoard
    artifacts: ArtifactFolder
    lease_s: float
    company: Company = field(default_factory=Company)


class Delivery:
    """Works on one job until it has ended, or the lease is void."""

    def __init__(self, tools: DeliveryTools, environment: Environment, lease: Lease) -> None:
        self._tools = tools
        self._environment = environment
        self._lease = lease
        self._had_company = False

    async def run(self) -> None:
        """Take the job through its stages and store what came. Never raises but CancelledError: then the
        job is back in the queue, unless it was cancelled there."""
        log_context.bind(
            job_id=self._lease.job_id,
            attempt_id=self._lease.attempt_id,
            environment=self._lease.environment,
        )
        stages = asyncio.create_task(self._work())
        heartbeat = asyncio.create_task(self._keep_lease(stages))
        try:
            await asyncio.wait([stages])
        except asyncio.CancelledError:
            stages.cancel()
            await asyncio.wait([stages])
            await self._tools.queue.give_back(self._lease)
            raise
        finally:
            heartbeat.cancel()
        if stages.cancelled():
            log.warning("the lease is void, the work was dropped")
        elif (error := stages.exception()) is None:
            outcome = stages.result()
            # Not the summary: a submission has words in it.
            if await self._store(outcome):
                log.info("judged: %s, raw score %s", outcome.verdict.value, outcome.raw_score)
            else:
                log.warning("the lease is void, the result was dropped")
        elif isinstance(error, WorkerDied):
            await self._count_death(error)
        elif isinstance(error, JudgingFailed):
            log.error("judging failed: %s", error)
            await self._tools.queue.fail(self._lease, str(error)[:FAILURE_TEXT_LIMIT])
        else:
            log.error("judging failed", exc_info=error)
            await self._tools.queue.fail(self._lease, f"unexpected {type(error).__name__}")

    async def _count_death(self, error: WorkerDied) -> None:
        state = await self._tools.queue.worker_died(
            self._lease,
            death_limit=WORKER_DEATHS_LIMIT,
            in_company=self._had_company,
            failure=f"set aside: {WORKER_DEATHS_LIMIT} workers died over it, the last: {error}"[
                :FAILURE_TEXT_LIMIT
            ],
        )
        if state is JobState.FAILED:
            log.error("%s; the job is set aside: it is the second one that died over it", error)
        elif state is None:
            log.error("%s; the lease was void before, another delivery of the job counts", error)
        else:
            beside = ", alone: other jobs were under way" if self._had_company else ""
            log.error("%s; the job is delivered again%s", error, beside)

    async def _work(self) -> Outcome:
        value: object = self._environment.request_type.FromString(self._lease.payload)
        async with (
            self._tools.company.joined(alone=self._lease.is_suspect) as member,
            contextlib.AsyncExitStack() as exit_stack,
        ):
            for stage in self._environment.stages:
                context = DeliveryContext(self._tools, self._lease.job_id, stage.name, exit_stack)
                try:
                    async with self._tools.lanes[stage.lane].place():
                        context.report(0, 0, "")
                        value = await stage.run(value, context)
                finally:
                    self._had_company = member.had_company
                if isinstance(value, Outcome):
                    break
        if not isinstance(value, Outcome):
            raise JudgingFailed(f"the last stage gave {type(value).__name__}, not an outcome")
        return value

    async def _store(self, outcome: Outcome) -> bool:
        description = self._environment.describe()
        normalized = None
        if outcome.raw_score is not None and description.anchors is not None:
            normalized = description.anchors.normalize(outcome.raw_score)
        result = JudgedResult(
            verdict=outcome.verdict,
            raw_score=outcome.raw_score,
            normalized_score=normalized,
            summary=outcome.summary,
            response=outcome.response.SerializeToString(),
            evaluator_details=outcome.evaluator_details,
            profile=description.profile,
        )
        return await self._tools.queue.finish(self._lease, result)

    async def _keep_lease(self, stages: asyncio.Task[Outcome]) -> None:
        while True:
            await asyncio.sleep(self._tools.lease_s / 3)
            try:
                if not await self._tools.queue.renew(self._lease, self._tools.lease_s):
                    stages.cancel()
                    return
            except Exception:
                # A full disk, say. There is time to try again before the lease ends.
                log.exception("cannot renew the lease; trying again")


class DeliveryContext:
    """`StageContext` for one stage of a delivery."""

    def __init__(
        self, tools: DeliveryTools, job_id: str, stage: str, exit_stack: contextlib.AsyncExitStack
    ) -> None:
        self.job_id = job_id
        self.exit_stack = exit_stack
        self._tools = tools
        self._stage = stage
        self._loop = asyncio.get_running_loop()

    def report(self, done: int, total: int, unit: str) -> None:
        """See `StageContext.report`."""
        progress = Progress(self._stage, done, total, unit)
        self._loop.call_soon_threadsafe(self._tools.board.set, self.job_id, progress)

    def artifact(self, sha256: str) -> Path:
        """See `StageContext.artifact`."""
        path = self._tools.artifacts.path(sha256)
        if path is None:
            raise JudgingFailed(f"artifact {sha256} is gone")
        return path
