"""JobService: follows and cancels jobs."""

import asyncio
from collections.abc import AsyncIterator

from scorer.v1 import job_pb2, job_pb2_grpc

from scorer_service.api.access.ownership import job_not_found
from scorer_service.api.errors import draining, invalid_field, too_many_watchers
from scorer_service.api.interceptors.around import Context
from scorer_service.api.messages import job as job_message
from scorer_service.scheduling.progress import TooManyWatchers
from scorer_service.scheduling.scheduler import JobNotFound, JobSnapshot, Scheduler
from scorer_service.store.interface import JobState

HEARTBEAT_S = 10.0


class JobServicer(job_pb2_grpc.JobServiceServicer):
    """Shows what the scheduler knows."""

    def __init__(self, scheduler: Scheduler, heartbeat_s: float = HEARTBEAT_S) -> None:
        self._scheduler = scheduler
        self._heartbeat_s = heartbeat_s

    async def GetJob(self, request: job_pb2.GetJobRequest, context: Context) -> job_pb2.GetJobResponse:
        """The job as it is now."""
        return job_pb2.GetJobResponse(job=job_message(await self._find(request.name)))

    async def WatchJob(
        self, request: job_pb2.WatchJobRequest, context: Context
    ) -> AsyncIterator[job_pb2.WatchJobResponse]:
        """The job after every change, until it ends."""
        job_id = (await self._find(request.name)).record.job_id
        clock = asyncio.get_running_loop().time
        silent_until = clock() + self._heartbeat_s
        try:
            event = self._scheduler.board.watch(job_id)
        except TooManyWatchers as error:
            raise too_many_watchers(error) from None
        try:
            last = None
            while True:
                snapshot = await self._find(job_pb2.JobName(job_id=job_id))
                message = job_message(snapshot)
                if message != last or clock() >= silent_until:
                    yield job_pb2.WatchJobResponse(job=message, heartbeat=message == last)
                    last = message
                    silent_until = clock() + self._heartbeat_s
                if snapshot.record.state.is_final:
                    return
                # A running job is given time to end; when it was put back, this server will not end it.
                if self._scheduler.is_draining and snapshot.record.state is JobState.QUEUED:
                    raise draining()
                # Other jobs wake this watch too: only a message of its own ends its silence.
                await self._scheduler.wait_for_change(job_id, event, max(0.0, silent_until - clock()))
        finally:
            self._scheduler.board.unwatch(job_id, event)

    async def CancelJob(
        self, request: job_pb2.CancelJobRequest, context: Context
    ) -> job_pb2.CancelJobResponse:
        """End the job; nothing of it runs when this returns."""
        found = await self._find(request.name)
        return job_pb2.CancelJobResponse(job=job_message(await self._scheduler.cancel(found.record.job_id)))

    async def _find(self, name: job_pb2.JobName) -> JobSnapshot:
        if name.WhichOneof("name") is None:
            raise invalid_field("name", "must have a job_id or a request_id")
        try:
            if name.WhichOneof("name") == "job_id":
                return await self._scheduler.snapshot(job_id=name.job_id)
            return await self._scheduler.snapshot(request_id=name.request_id)
        except JobNotFound as error:
            raise job_not_found(str(error)) from None
