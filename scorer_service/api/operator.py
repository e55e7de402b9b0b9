"""OperatorService: what the server is doing, and what its operator does to it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import grpc
from google.protobuf.duration_pb2 import Duration
from scorer.v1 import operator_pb2, operator_pb2_grpc

import scorer_service
from scorer_service.api import pages
from scorer_service.api.access.caller import current_caller, presented
from scorer_service.api.errors import ApiError, invalid_field
from scorer_service.api.interceptors.around import Context
from scorer_service.api.messages import JOB_STATES, timestamp
from scorer_service.api.messages import job as job_message
from scorer_service.api.registry import EnvironmentRegistry
from scorer_service.operation.devices import DeviceKeeper, DeviceState, DeviceStatus
from scorer_service.operation.draining import Drain, DrainCalledOff, DrainState, ServerEnding
from scorer_service.operation.self_test import SelfTestFailed
from scorer_service.scheduling.progress import Progress
from scorer_service.scheduling.scheduler import JobSnapshot, Scheduler
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.disk_room import DiskRoom
from scorer_service.store.interface import JobQueue, JobRecord
from scorer_service.store.job_listing import JobFilter, JobListing
from scorer_service.store.tokens import Role, secret_sha256

REASON_LIMIT = 500
GRACE_LIMIT_S = 86_400.0

_DRAIN_STATES = {state: operator_pb2.DrainState.Value(f"DRAIN_STATE_{state.name}") for state in DrainState}
_DEVICE_STATES = {
    state: operator_pb2.DeviceState.Value(f"DEVICE_STATE_{state.name}") for state in DeviceState
}
_STATE_OF_MESSAGE = {number: state for state, number in JOB_STATES.items()}


@dataclass(frozen=True)
class Operated:
    """What an operator works on, of one server."""

    drain: Drain
    devices: Mapping[str, DeviceKeeper]
    """By name."""
    jobs: JobListing
    artifacts: ArtifactFolder
    room: DiskRoom
    started_at: float
    """Seconds since the epoch."""


class OperatorServicer(operator_pb2_grpc.OperatorServiceServicer):
    """Shows and does what `operation` has."""

    def __init__(
        self, operated: Operated, registry: EnvironmentRegistry, scheduler: Scheduler, queue: JobQueue
    ) -> None:
        self._operated = operated
        self._registry = registry
        self._scheduler = scheduler
        self._queue = queue

    async def GetStatus(
        self, request: operator_pb2.GetStatusRequest, context: Context
    ) -> operator_pb2.GetStatusResponse:
        """Everything at a glance."""
        operated = self._operated
        return operator_pb2.GetStatusResponse(
            server_version=scorer_service.__version__,
            started_at=timestamp(operated.started_at),
            drain_state=_DRAIN_STATES[operated.drain.state],
            devices=[_device(keeper.status) for _, keeper in sorted(operated.devices.items())],
            lanes=[
                operator_pb2.LaneStatus(name=name, places=lane.places, busy=lane.busy, waiting=lane.waiting)
                for name, lane in sorted(self._scheduler.lanes.items())
            ],
            environments=[await self._environment(name) for name in sorted(self._registry.environments)],
            storage=operator_pb2.StorageStatus(
                free_bytes=operated.room.free_bytes(),
                reserve_bytes=operated.room.reserve_bytes,
                artifact_bytes=await asyncio.to_thread(operated.artifacts.used_bytes),
                artifact_quota_bytes=operated.artifacts.quota_bytes,
            ),
        )

    async def Drain(self, request: operator_pb2.DrainRequest, context: Context) -> operator_pb2.DrainResponse:
        """Answers when nothing runs any more."""
        grace_s = None
        if request.HasField("grace"):
            grace_s = request.grace.ToNanoseconds() / 1e9
            if not 0 <= grace_s <= GRACE_LIMIT_S:
                raise invalid_field("grace", f"must be from 0 to {GRACE_LIMIT_S:.0f} s, not {grace_s:g} s")
        try:
            put_back = await self._operated.drain.drain(grace_s, exit_when_drained=request.exit_when_drained)
        except DrainCalledOff:
            raise ApiError(
                grpc.StatusCode.ABORTED, "DRAIN_CALLED_OFF", "the drain was undone by Resume meanwhile"
            ) from None
        queued = [(await self._queue.state(name)).depth for name in self._registry.environments]
        return operator_pb2.DrainResponse(put_back_count=put_back, queued_count=sum(queued))

    async def Resume(
        self, request: operator_pb2.ResumeRequest, context: Context
    ) -> operator_pb2.ResumeResponse:
        """Take submissions again."""
        try:
            await self._operated.drain.resume()
        except ServerEnding:
            raise ApiError(
                grpc.StatusCode.FAILED_PRECONDITION,
                "SERVER_ENDING",
                "the server is ending: start it again; its queue is kept",
            ) from None
        return operator_pb2.ResumeResponse()

    async def QuarantineDevice(
        self, request: operator_pb2.QuarantineDeviceRequest, context: Context
    ) -> operator_pb2.QuarantineDeviceResponse:
        """Out of use, whatever its state was."""
        keeper = self._keeper(request.device)
        if not request.reason.strip():
            raise invalid_field("reason", "is missing: those who find the device quarantined read it")
        await keeper.quarantine(_reason(request.reason))
        return operator_pb2.QuarantineDeviceResponse(device=_device(keeper.status))

    async def ReleaseDevice(
        self, request: operator_pb2.ReleaseDeviceRequest, context: Context
    ) -> operator_pb2.ReleaseDeviceResponse:
        """Back in use, where the self-test passes."""
        keeper = self._keeper(request.device)
        try:
            await keeper.release(_reason(request.reason))
        except SelfTestFailed as error:
            raise ApiError(
                grpc.StatusCode.FAILED_PRECONDITION,
                "SELF_TEST_FAILED",
                f"device {keeper.name} does not pass its self-test and stays quarantined: {error}",
            ) from None
        return operator_pb2.ReleaseDeviceResponse(device=_device(keeper.status))

    async def ListJobs(
        self, request: operator_pb2.ListJobsRequest, context: Context
    ) -> operator_pb2.ListJobsResponse:
        """One job more than the page has is asked for, so that the last page is known to be the last."""
        limit = pages.entry_limit(request.page_size)
        found = await self._operated.jobs.page(
            _filter(request, context), before=pages.position(request.page_token), limit=limit + 1
        )
        page = found[:limit]
        sees_failures = current_caller().role is not Role.EVALUATOR
        return operator_pb2.ListJobsResponse(
            jobs=[_listed(record, sees_failures=sees_failures) for _, record in page],
            next_page_token=str(page[-1][0]) if len(found) > limit else "",
        )

    async def _environment(self, name: str) -> operator_pb2.EnvironmentStatus:
        state = await self._queue.state(name)
        message = operator_pb2.EnvironmentStatus(
            name=name,
            serving=self._registry.is_serving(name),
            not_serving_reason=self._registry.not_serving_reason(name),
            queue_depth=state.depth,
            running=await self._operated.jobs.running(name),
        )
        if state.depth:
            message.oldest_queued.CopyFrom(_duration(state.oldest_age_s))
        return message

    def _keeper(self, name: str) -> DeviceKeeper:
        keeper = self._operated.devices.get(name)
        if keeper is None:
            known = ", ".join(sorted(self._operated.devices)) or "none: no environment here measures on one"
            raise ApiError(
                grpc.StatusCode.NOT_FOUND,
                "DEVICE_NOT_FOUND",
                f"no device {name[:80]!r}: this server has {known}",
            )
        return keeper


def _reason(text: str) -> str:
    if len(text) > REASON_LIMIT or not text.isprintable():
        raise invalid_field("reason", f"must be printable and at most {REASON_LIMIT} characters long")
    return text.strip()


def _filter(request: operator_pb2.ListJobsRequest, context: Context) -> JobFilter:
    states = []
    for number in request.states:
        if number not in _STATE_OF_MESSAGE:
            raise invalid_field("states", f"{number} is not a JobState")
        states.append(_STATE_OF_MESSAGE[number])
    caller = current_caller()
    evaluator = None
    if caller.role is Role.EVALUATOR:
        # Of an evaluator whose token has no id, nothing is its own.
        evaluator = caller.token_id or ""
    key = presented(context.invocation_metadata()).evaluator_key
    return JobFilter(
        environment=request.environment,
        states=tuple(states),
        attempt_id=request.attempt_id,
        submitted_by=request.submitted_by,
        set_aside=request.set_aside,
        evaluator_token_id=evaluator,
        evaluator_key_sha256="" if key is None else secret_sha256(key),
    )


def _listed(record: JobRecord, *, sees_failures: bool) -> operator_pb2.ListedJob:
    return operator_pb2.ListedJob(
        job=job_message(JobSnapshot(record, Progress(), 0)),
        request_id=record.request_id or "",
        submitted_by=record.submitted_by or "",
        failure_detail=record.failure if sees_failures else "",
        worker_deaths=record.worker_deaths,
        server_deaths=record.server_deaths,
    )


def _device(status: DeviceStatus) -> operator_pb2.Device:
    return operator_pb2.Device(
        name=status.name,
        description=status.description,
        state=_DEVICE_STATES[status.state],
        reason=status.reason,
        since=timestamp(status.since),
        quarantined_by_operator=status.by_operator,
        self_test_passed_at=timestamp(status.self_test_passed_at),
        environments=status.environments,
    )


def _duration(seconds: float) -> Duration:
    message = Duration()
    message.FromNanoseconds(int(seconds * 1e9))
    return message
