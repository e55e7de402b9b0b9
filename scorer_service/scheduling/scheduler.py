"""Takes jobs from the queue through the lanes to their results."""

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scorer_service.environments.interface import Environment
from scorer_service.scheduling.delivery import Delivery, DeliveryTools
from scorer_service.scheduling.forecast import Forecast
from scorer_service.scheduling.lane import Lane
from scorer_service.scheduling.progress import Progress, ProgressBoard
from scorer_service.scheduling.service_time import ServiceTime
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.interface import JobQueue, JobRecord, JobState, Lease, NewJob
from scorer_service.store.limits import QueueLimits

log = logging.getLogger(__name__)

RETRY_S = 1.0


@dataclass(frozen=True)
class SchedulerSettings:
    """How the queue is worked on."""

    owner: str
    """Names this server in leases."""
    lane_places: Mapping[str, int]
    """Places of each lane."""
    limits: QueueLimits = field(default_factory=QueueLimits)
    """What is refused."""
    lease_s: float = 30.0
    """A lease that was not renewed so long is void: its worker is dead."""
    server_deaths_limit: int = 12
    """A job that so many servers died over is set aside. Servers are killed from outside too, by people and
    by the kernel for want of memory, and a job must not be lost by that; one that kills each server costs so
    many restarts, over all but the first two of which it was worked on alone."""
    ahead: int = 1
    """Jobs of one environment that may be under way beyond the places of its last lane, so that one is ready
    when a place gets free."""


class Draining(Exception):
    """The server is shutting down; jobs stay in the queue."""


class JobNotFound(Exception):
    """There is no such job."""


@dataclass(frozen=True)
class JobSnapshot:
    """A job with what is known of it beyond the store."""

    record: JobRecord
    progress: Progress
    queue_position: int


class Scheduler:
    """One server's side of the queue. Belongs to the event loop."""

    def __init__(
        self,
        settings: SchedulerSettings,
        queue: JobQueue,
        artifacts: ArtifactFolder,
        environments: Mapping[str, Environment],
        *,
        make_lane: Callable[[str, int], Lane] = Lane,
        make_delivery: Callable[[DeliveryTools, Environment, Lease], Delivery] = Delivery,
    ) -> None:
        """`make_lane` and `make_delivery` are for those who want to watch them."""
        self._settings = settings
        self._queue = queue
        self._environments = environments
        self.lanes = {name: make_lane(name, places) for name, places in settings.lane_places.items()}
        self._make_delivery = make_delivery
        self._board = ProgressBoard()
        self._tools = DeliveryTools(queue, self.lanes, self._board, artifacts, settings.lease_s)
        self._service_times = {name: ServiceTime() for name in environments}
        self._work = {name: asyncio.Event() for name in environments}
        self._deliveries: dict[str, asyncio.Task[None]] = {}
        self._environment_of: dict[str, str] = {}
        """Of each job that is being delivered."""
        self._served: set[str] = set()
        """Environments whose queue is worked on, unless the server drains."""
        self._loops: dict[str, asyncio.Task[None]] = {}
        """What takes jobs, by environment; and what reclaims them, under no name."""
        self._draining = asyncio.Event()

    async def start(self) -> None:
        """Take up what a server before this one left. The caller holds the lock of the state folder, so
        every lease in it is a dead server's."""
        left = await self._queue.reclaim(everything=True, death_limit=self._settings.server_deaths_limit)
        if left:
            log.warning("taking up %d jobs that were running when the last server ended", len(left))
        self._begin_loops()

    def serve(self, environment: str) -> None:
        """Begin to work on an environment's queue, or go on after `hold`; its `start` has succeeded."""
        self._served.add(environment)
        self._begin_loops()

    async def hold(self, environment: str) -> None:
        """Work on an environment's queue no more: those of its jobs that run go back to their places."""
        self._served.discard(environment)
        if (taking := self._loops.pop(environment, None)) is not None:
            await _stop([taking])
        await _stop(
            [self._deliveries[job] for job, name in self._environment_of.items() if name == environment]
        )
        self._board.wake_all()

    def _begin_loops(self) -> None:
        if self._draining.is_set():
            return
        if "" not in self._loops:
            self._loops[""] = asyncio.create_task(self._reclaim_expired(), name="reclaim")
        for name in self._served - self._loops.keys():
            self._loops[name] = asyncio.create_task(
                self._take_jobs(self._environments[name]), name=f"take {name}"
            )

    async def submit(self, job: NewJob, *, time_left_s: float | None = None) -> tuple[JobRecord, bool]:
        """Put a job in the queue, or find the one with its request id; True where it is new. With
        `time_left_s` it is refused where, as the last jobs went, it would not end within that time.

        Raises Draining, and what `JobQueue.accept` raises.
        """
        if self._draining.is_set():
            raise Draining
        position_limit = None
        if time_left_s is not None:
            position_limit = self._forecast(job.environment).position_limit(time_left_s)
        record, is_new = await self._queue.accept(job, self._settings.limits, position_limit=position_limit)
        if is_new:
            self._work[job.environment].set()
        return record, is_new

    async def wait(self, job_id: str) -> JobRecord:
        """The job once it has ended. Raises Draining where this server will not end it, JobNotFound,
        TooManyWatchers."""
        event = self._board.watch(job_id, follow=False)
        try:
            while True:
                event.clear()
                record = await self._find(job_id)
                if record.state.is_final:
                    return record
                if self._draining.is_set() and job_id not in self._deliveries:
                    raise Draining
                await event.wait()
        finally:
            self._board.unwatch(job_id, event)

    async def wait_for_change(self, job_id: str, event: asyncio.Event, timeout_s: float) -> bool:
        """Wait until something about a watched job changes; False after so long without."""
        try:
            await asyncio.wait_for(event.wait(), timeout_s)
        except TimeoutError:
            return False
        event.clear()
        return True

    @property
    def board(self) -> ProgressBoard:
        """Where watchers wait."""
        return self._board

    @property
    def is_draining(self) -> bool:
        """Whether no more jobs are taken."""
        return self._draining.is_set()

    async def snapshot(self, *, job_id: str | None = None, request_id: str | None = None) -> JobSnapshot:
        """A job as it is now. Raises JobNotFound."""
        record = await self._queue.find(job_id=job_id, request_id=request_id)
        if record is None:
            raise JobNotFound(job_id or request_id)
        return await self._snapshot_of(record)

    async def cancel(self, job_id: str) -> JobSnapshot:
        """End a job; when this returns, nothing of it runs any more. Raises JobNotFound."""
        record = await self._queue.cancel(job_id)
        if record is None:
            raise JobNotFound(job_id)
        delivery = self._deliveries.get(job_id)
        if delivery is not None and record.state is JobState.CANCELLED:
            if not delivery.cancelling():
                delivery.cancel()
            await asyncio.wait([delivery])
        self._board.wake(job_id)
        self._board.wake_queue()
        return await self._snapshot_of(record)

    @property
    def running_count(self) -> int:
        """Jobs that are being delivered."""
        return len(self._deliveries)

    async def expected_wait_s(self, environment: str) -> float:
        """What a job that comes after all the others waits for its begin, as far as the last jobs tell."""
        state = await self._queue.state(environment)
        return self._forecast(environment).wait_s(state.depth)

    def expected_s(self, environment: str, position: int) -> tuple[float, float]:
        """How long a job with so many before it would wait for its begin, and for its end, as far as the last
        jobs tell."""
        forecast = self._forecast(environment)
        wait_s = forecast.wait_s(position)
        return wait_s, wait_s + forecast.service_s

    async def drain(self, grace_s: float) -> int:
        """Take no more jobs, let the running ones end within the grace time, put the rest back; answers with
        their number. Where it is cancelled, no more jobs are taken, and those that run go on."""
        self._draining.set()
        loops, self._loops = self._loops, {}
        await _stop(list(loops.values()))
        self._board.wake_all()
        if self._deliveries:
            await asyncio.wait(list(self._deliveries.values()), timeout=grace_s)
        put_back = list(self._deliveries.values())
        await _stop(put_back)
        self._board.wake_all()
        return len(put_back)

    def resume(self) -> None:
        """Take jobs again after `drain`. Idempotent."""
        self._draining.clear()
        self._begin_loops()

    def _places(self, environment: str) -> int:
        """How many jobs of an environment may be under way."""
        last_lane = self.lanes[self._environments[environment].stages[-1].lane]
        return last_lane.places + self._settings.ahead

    def _forecast(self, environment: str) -> Forecast:
        return Forecast(
            self._service_times[environment],
            places=self._places(environment),
            under_way=sum(name == environment for name in self._environment_of.values()),
        )

    async def _find(self, job_id: str) -> JobRecord:
        record = await self._queue.find(job_id=job_id)
        if record is None:
            raise JobNotFound(job_id)
        return record

    async def _snapshot_of(self, record: JobRecord) -> JobSnapshot:
        position = 0
        if record.state is JobState.QUEUED:
            position = await self._queue.position(record.job_id)
        return JobSnapshot(record, self._board.get(record.job_id), position)

    async def _take_jobs(self, environment: Environment) -> None:
        """Keep as many jobs under way as the last lane has places, and a few ahead."""
        places = asyncio.Semaphore(self._places(environment.name))
        work = self._work[environment.name]
        while True:
            await places.acquire()
            work.clear()
            try:
                lease = await self._claim(environment.name)
            except Exception:
                # A full disk, say. The jobs are safe where they are; try again rather than stand still.
                log.exception("cannot take jobs of %s; trying again", environment.name)
                places.release()
                await asyncio.sleep(RETRY_S)
                continue
            if lease is None:
                places.release()
                await work.wait()
                continue
            task = asyncio.create_task(
                self._make_delivery(self._tools, environment, lease).run(), name=f"job {lease.job_id}"
            )
            self._deliveries[lease.job_id] = task
            self._environment_of[lease.job_id] = lease.environment
            task.add_done_callback(functools.partial(self._ended, lease, places, time.monotonic()))
            self._board.wake_queue()

    async def _claim(self, environment: str) -> Lease | None:
        """As `JobQueue.claim`; where it is called off meanwhile, what was claimed goes back."""
        claiming = asyncio.ensure_future(
            self._queue.claim(environment, self._settings.owner, self._settings.lease_s)
        )
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            if (lease := await claiming) is not None:
                await self._queue.give_back(lease)
            raise

    def _ended(
        self, lease: Lease, places: asyncio.Semaphore, began: float, delivery: asyncio.Task[None]
    ) -> None:
        del self._deliveries[lease.job_id], self._environment_of[lease.job_id]
        places.release()
        if not delivery.cancelled():
            if error := delivery.exception():
                # Its lease runs out, and it is delivered again.
                log.error("%s: cannot store what came of it", lease.job_id, exc_info=error)
            else:
                self._service_times[lease.environment].add(time.monotonic() - began)
        self._board.forget(lease.job_id)
        # It may be back in the queue.
        self._work[lease.environment].set()
        self._board.wake_queue()

    async def _reclaim_expired(self) -> None:
        """Take up the jobs of workers elsewhere that died. On one machine there are none."""
        while True:
            await asyncio.sleep(self._settings.lease_s / 2)
            try:
                expired = await self._queue.reclaim(
                    everything=False, death_limit=self._settings.server_deaths_limit
                )
            except Exception:
                log.exception("cannot look for expired leases; trying again")
                continue
            for job_id in expired:
                log.warning("the lease on %s expired", job_id)
                self._board.wake(job_id)
                for work in self._work.values():
                    work.set()


async def _stop(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if not task.cancelling():
            task.cancel()
    if tasks:
        await asyncio.wait(tasks)
