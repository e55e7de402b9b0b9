"""Jobs: their states, and the flows that look at, follow and cancel them."""

import enum
import uuid
from dataclasses import dataclass, replace
from datetime import datetime

import grpc
from scorer.v1 import job_pb2

from scorer_client import _methods as methods
from scorer_client._errors import CallFailed, ScorerError, Unreachable, invalid_field
from scorer_client._flow import Emit, Flow, Pause, open_stream, unary
from scorer_client._reading import enum_member, time_of
from scorer_client._retry import Retrying, Session


class JobState(enum.Enum):
    """Where a job is."""

    QUEUED = "queued"
    """In the durable queue."""
    RUNNING = "running"
    """A worker has it."""
    SUCCEEDED = "succeeded"
    """Judged; the result is stored."""
    FAILED = "failed"
    """The service failed; there is no result."""
    CANCELLED = "cancelled"
    """Cancelled; there is no result."""
    UNKNOWN = "unknown"
    """A state that this version of the client does not know."""

    @property
    def ended(self) -> bool:
        """Whether the job stays in this state."""
        return self in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True)
class Progress:
    """Counts of work."""

    done: int
    """Pieces of work that are done."""
    total: int
    """Pieces of work in all; 0 where it is not known."""
    unit: str
    """What a piece is, as in `problems`."""


@dataclass(frozen=True)
class Job:
    """A job as it was at one moment."""

    job_id: str
    """Its identity."""
    environment: str
    """The environment's name."""
    state: JobState
    """Where it is."""
    stage: str
    """What is being done, as in `build`, `judge`; empty unless it runs."""
    queue_position: int
    """Jobs of the same environment before it; 0 unless it is queued."""
    progress: Progress
    """How far the work is."""
    accepted_at: datetime | None
    """When it was accepted, UTC."""
    started_at: datetime | None
    """When a worker took it, last, UTC; None before."""
    finished_at: datetime | None
    """When it ended, UTC; None before."""
    delivery_count: int
    """How often a worker took it. More than 1 after a crash of the server or of a worker."""
    failure: str
    """Why it failed, where it did."""
    attempt_id: str
    """The attempt that it belongs to; empty for none."""


def read_job(job: job_pb2.Job) -> Job:
    """The job of a message."""
    return Job(
        job_id=job.job_id,
        environment=job.environment,
        state=enum_member(JobState, job_pb2.JobState.DESCRIPTOR, "JOB_STATE_", job.state),
        stage=job.stage,
        queue_position=job.queue_position,
        progress=Progress(job.progress.done, job.progress.total, job.progress.unit),
        accepted_at=time_of(job.accepted_at) if job.HasField("accepted_at") else None,
        started_at=time_of(job.started_at) if job.HasField("started_at") else None,
        finished_at=time_of(job.finished_at) if job.HasField("finished_at") else None,
        delivery_count=job.delivery_count,
        failure=job.failure,
        attempt_id=job.attempt_id,
    )


def job_name(job: str) -> job_pb2.JobName:
    """Names a job by either id: a UUID is a request id, anything else a job id."""
    if not job:
        raise invalid_field("job", "is empty: give a job id or a request id")
    try:
        return job_pb2.JobName(request_id=str(uuid.UUID(job)))
    except ValueError:
        return job_pb2.JobName(job_id=job)


def get_job(session: Session, job: str) -> Flow[Job]:
    """The job as it is now."""
    request = job_pb2.GetJobRequest(name=job_name(job))
    return read_job((yield from unary(session, methods.GET_JOB, request)).job)


def cancel_job(session: Session, job: str) -> Flow[Job]:
    """Cancels the job; its state afterwards."""
    request = job_pb2.CancelJobRequest(name=job_name(job))
    return read_job((yield from unary(session, methods.CANCEL_JOB, request)).job)


def watch_job(session: Session, job: str) -> Flow[None]:
    """Emits the job as it is now and after every change, until it has ended. Heartbeats are left out."""
    request = job_pb2.WatchJobRequest(name=job_name(job))
    tries = Retrying(session)
    last: Job | None = None
    while True:
        try:
            read = yield from open_stream(methods.WATCH_JOB, request)
            while (response := (yield from read())) is not None:
                tries.answered()
                current = read_job(response.job)
                if current != last:
                    last = current
                    yield Emit(current)
            if last is not None and last.state.ended:
                return
            raise _stream_ended_early(session.target)
        except CallFailed as failed:
            yield Pause(tries.pause_s_after(failed))


def report_job(session: Session, request_id: str) -> Flow[None]:
    """Like watch_job, beside a scoring: what goes wrong here is the scoring's to tell, retries included."""
    try:
        yield from watch_job(replace(session, on_retry=None), request_id)
    except ScorerError:
        return


def _stream_ended_early(target: str) -> CallFailed:
    error = Unreachable(
        f"the server at {target} ended the stream before the job had ended", code=grpc.StatusCode.UNAVAILABLE
    )
    return CallFailed(error, accepted=False, must_not_retry=False, connection_broke=True)
