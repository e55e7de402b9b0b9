"""Canaries: reference solutions that the server scores again and again, to see when it drifts."""

import asyncio
import logging
import time
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Gauge

from scorer_service.environments.interface import Environment
from scorer_service.logs import context as log_context
from scorer_service.scheduling.scheduler import Draining, JobNotFound, Scheduler
from scorer_service.store.interface import JobRecord, NewJob
from scorer_service.store.limits import Priority, SubmissionRefused

log = logging.getLogger(__name__)

DRIFT_SHARE = 0.1
"""A reference solution that scores so far from 1 is reported: the device or its load is not what it was."""


class Canaries:
    """Puts a canary of each environment into its queue, like any submission, and compares its score with 1.

    It is nobody's submission: it belongs to no attempt, and has no request id to ask for it by.
    """

    def __init__(
        self,
        environments: Mapping[str, Environment],
        scheduler: Scheduler,
        interval_minutes: float,
        registry: CollectorRegistry,
    ) -> None:
        self._environments = environments
        self._scheduler = scheduler
        self._interval_s = interval_minutes * 60
        self._watching: asyncio.Queue[str] = asyncio.Queue()
        self._score = Gauge(
            "scorer_canary_normalized_score",
            "What the reference solution scored last, normalised; 1 when nothing drifts.",
            ["environment"],
            registry=registry,
        )
        self._drifting = Gauge(
            "scorer_canary_drifting",
            f"1 where the reference solution scored more than {DRIFT_SHARE:.0%} from 1, or got no score.",
            ["environment"],
            registry=registry,
        )
        self._time = Gauge(
            "scorer_canary_timestamp_seconds",
            "When the reference solution was scored last, or first to be scored; seconds since the epoch.",
            ["environment"],
            registry=registry,
        )
        self._awaited: set[str] = set()
        Gauge(
            "scorer_canary_interval_seconds",
            "Time between two scorings of a reference solution; 0: there are none.",
            registry=registry,
        ).set(self._interval_s)

    def watch(self, name: str) -> None:
        """Score the canary of an environment that serves, from now on."""
        self._watching.put_nowait(name)

    async def run(self) -> None:
        """Score canaries until cancelled."""
        if self._interval_s == 0:
            return
        async with asyncio.TaskGroup() as tasks:
            while True:
                name = await self._watching.get()
                tasks.create_task(self._watch(self._environments[name]), name=f"canary of {name}")

    async def _watch(self, environment: Environment) -> None:
        log_context.bind(environment=environment.name)
        while True:
            try:
                await self._score_once(environment)
            except (SubmissionRefused, Draining, JobNotFound) as error:
                log.info("no canary of %s this time: %s", environment.name, error or type(error).__name__)
            except Exception:
                log.exception("no canary of %s this time", environment.name)
            await asyncio.sleep(self._interval_s)

    async def _score_once(self, environment: Environment) -> None:
        request = environment.canary()
        if request is None:
            return
        if environment.name not in self._awaited:
            # From here on its age grows until there is a score, so that one which never comes is seen.
            self._awaited.add(environment.name)
            self._time.labels(environment.name).set(time.time())
        payload = request.SerializeToString(deterministic=True)
        job, _ = await self._scheduler.submit(
            NewJob(
                environment.name,
                payload,
                "canary",
                request_id=None,
                attempt_id=None,
                priority=Priority.HIGH,
            )
        )
        try:
            record = await self._scheduler.wait(job.job_id)
        except asyncio.CancelledError:
            await asyncio.shield(self._scheduler.cancel(job.job_id))
            raise
        with log_context.bound(job_id=job.job_id):
            self._report(environment.name, record)

    def _report(self, name: str, record: JobRecord) -> None:
        if record.result is None:
            log.error("the canary of %s was not judged: %s", name, record.failure or record.state.value)
            self._drifting.labels(name).set(1)
            return
        score = record.result.normalized_score
        drifting = score is None or abs(score - 1) > DRIFT_SHARE
        self._drifting.labels(name).set(drifting)
        if record.finished_at is not None:
            self._time.labels(name).set(record.finished_at)
        if score is not None:
            self._score.labels(name).set(score)
        log.log(
            logging.WARNING if drifting else logging.INFO,
            "the reference solution of %s scores %s, which %s: %s",
            name,
            "nothing" if score is None else f"{score:.3f}",
            "has drifted from 1; calibrate again, or find what changed" if drifting else "is as calibrated",
            record.result.summary,
        )
