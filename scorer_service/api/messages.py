"""Records of the store as messages of the contract."""

from google.protobuf.timestamp_pb2 import Timestamp
from scorer.v1 import attempt_pb2, environment_pb2, job_pb2, result_pb2

from scorer_service.environments.interface import Direction, EnvironmentDescription, Verdict
from scorer_service.scheduling.scheduler import JobSnapshot
from scorer_service.store.interface import JobRecord, JobState, ScorePolicy
from scorer_service.store.limits import Priority

VERDICTS = {verdict: result_pb2.Verdict.Value(f"VERDICT_{verdict.name}") for verdict in Verdict}
JOB_STATES = {state: job_pb2.JobState.Value(f"JOB_STATE_{state.name}") for state in JobState}
DIRECTIONS = {
    direction: environment_pb2.ScoreDirection.Value(f"SCORE_DIRECTION_{direction.name}")
    for direction in Direction
}
POLICIES = {policy: attempt_pb2.ScorePolicy.Value(f"SCORE_POLICY_{policy.name}") for policy in ScorePolicy}
PRIORITIES = {priority: attempt_pb2.Priority.Value(f"PRIORITY_{priority.name}") for priority in Priority}


def timestamp(seconds: float | None) -> Timestamp | None:
    """Seconds since the epoch; None stays None, which leaves a field unset."""
    if seconds is None:
        return None
    message = Timestamp()
    message.FromNanoseconds(int(seconds * 1e9))
    return message


def score(raw: float | None, normalized: float | None) -> result_pb2.Score | None:
    """A score; None where there is none."""
    return None if raw is None else result_pb2.Score(raw=raw, normalized=normalized)


def scoring_result(record: JobRecord, *, hidden: bool) -> result_pb2.ScoringResult:
    """The common part of a response to a job that has succeeded."""
    if record.result is None:
        raise ValueError(f"{record.job_id} has no result")
    message = result_pb2.ScoringResult(
        job_id=record.job_id,
        accepted_at=timestamp(record.accepted_at),
        finished_at=timestamp(record.finished_at),
        profile=record.result.profile,
    )
    if record.started_at is not None:
        message.queued.FromNanoseconds(int(max(0.0, record.started_at - record.accepted_at) * 1e9))
    if hidden:
        message.verdict = result_pb2.VERDICT_HIDDEN
        message.summary = "The scoring was logged; the attempt's policy hides its result."
        return message
    message.verdict = VERDICTS[record.result.verdict]
    message.summary = record.result.summary
    if (value := score(record.result.raw_score, record.result.normalized_score)) is not None:
        message.score.CopyFrom(value)
    return message


def job(snapshot: JobSnapshot) -> job_pb2.Job:
    """A job."""
    record = snapshot.record
    running = record.state is JobState.RUNNING
    return job_pb2.Job(
        job_id=record.job_id,
        environment=record.environment,
        state=JOB_STATES[record.state],
        stage=snapshot.progress.stage if running else "",
        queue_position=snapshot.queue_position,
        progress=job_pb2.Progress(
            done=snapshot.progress.done, total=snapshot.progress.total, unit=snapshot.progress.unit
        )
        if running
        else None,
        accepted_at=timestamp(record.accepted_at),
        started_at=timestamp(record.started_at),
        finished_at=timestamp(record.finished_at),
        delivery_count=record.delivery_count,
        failure=failure_for_clients(record) if record.state is JobState.FAILED else "",
        attempt_id=record.attempt_id or "",
        set_aside=record.set_aside,
    )


# What went wrong inside is the operator's to know: it may name paths, and what a test did.
FAILURE_FOR_CLIENTS = (
    "the service failed while it judged; nothing was scored, and the log of the server says why"
)
SET_ASIDE_FOR_CLIENTS = (
    "the service died over it again and again, so that it was set aside; nothing was scored, and it is not "
    "tried again: the operator of the server can say why"
)


def failure_for_clients(record: JobRecord) -> str:
    """What is told of a job that failed."""
    return SET_ASIDE_FOR_CLIENTS if record.set_aside else FAILURE_FOR_CLIENTS


def environment(description: EnvironmentDescription) -> environment_pb2.Environment:
    """An environment that is served; whether it serves now is for the caller to add."""
    message = environment_pb2.Environment(
        name=description.name,
        description=description.description,
        profile=description.profile,
        device=description.device,
        raw_score_unit=description.raw_score_unit,
        direction=DIRECTIONS[description.direction],
        inline_source_limit_bytes=description.inline_source_limit_bytes,
        source_limit_bytes=description.source_limit_bytes,
        limits=[
            environment_pb2.EnvironmentLimit(name=name, value=value) for name, value in description.limits
        ],
        isolation=description.isolation,
    )
    if description.anchors is not None:
        message.anchors.starting_raw = description.anchors.starting_raw
        message.anchors.reference_raw = description.anchors.reference_raw
    return message
