"""What must hold of jobs and answers when all have ended, whatever was killed meanwhile."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.soak.disturbances import Done
from tests.soak.load import Call
from tests.soak.soaked_server import CANARY
from tests.soak.stored_jobs import StoredJob

SECRETS = (CANARY, "root:x:0", "root:*:")
FOUND_SOMETHING = "STOLEN"
"""What attacks in Python say that found something. Of those in Rust the compiler quotes it as source."""
SHOWN = 5
"""Complaints of a check."""
DEATHS_LIMIT = 2
"""Of workers or sandboxes over one job: then it may be why, and is not tried again."""


@dataclass(frozen=True)
class Check:
    """Something that must hold, and what speaks against it."""

    name: str
    looked_at: int
    """How many things it was asked of."""
    complaints: Sequence[str]
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return not self.complaints

    @classmethod
    def of(cls, name: str, complaints: Iterable[str], looked_at: int, note: str = "") -> "Check":
        """With all complaints."""
        return cls(name, looked_at, tuple(complaints), note)


@dataclass(frozen=True)
class Evidence:
    """All that is known at the end."""

    calls: Sequence[Call]
    jobs: Mapping[str, StoredJob]
    """Those of the store, by id."""
    logs: Mapping[str, Sequence[str]]
    """By attempt, the ids of its score log as the service tells it."""
    alone: Mapping[tuple[str, str], float]
    """Raw score of each control (environment, name) without load."""
    disturbances: Sequence[Done]
    exposures: Mapping[str, int]
    """Deaths of workers or sandboxes while a job was under way."""
    changed: Mapping[str, tuple[StoredJob, StoredJob]]
    """Jobs whose results changed after they had ended."""

    def job_of(self, call: Call) -> StoredJob | None:
        """The one that has its request id."""
        return next((job for job in self.jobs.values() if job.request_id == call.request_id), None)

    def expected(self, call: Call) -> float | None:
        """The raw score of a control; None where it could not be measured alone."""
        entry = call.entry
        return entry.raw if entry.raw is not None else self.alone.get((entry.environment, entry.name))

    def is_set_aside(self, job: StoredJob) -> bool:
        """Whether deaths explain that it failed."""
        return job.state == "failed" and self.exposures.get(job.job_id, 0) >= DEATHS_LIMIT


def checks(evidence: Evidence) -> list[Check]:
    """All of them."""
    calls, jobs = evidence.calls, list(evidence.jobs.values())
    paired = [(call, evidence.job_of(call)) for call in calls]
    found = [(call, job) for call, job in paired if job is not None]
    controls = [call for call in calls if call.entry.is_control and call.answer is not None]
    unknown = sum(evidence.expected(call) is None and _raw(call) is not None for call in controls)
    others = [call for call in calls if not call.entry.is_control and call.answer is not None]
    judged = [job for job in jobs if job.state == "succeeded"]
    return [
        Check.of(
            "every call ended with an answer or for a reason", _unanswered(evidence, paired), len(calls)
        ),
        Check.of("no accepted job is lost", _lost(paired, jobs), len(jobs)),
        Check.of("no job has failed unexplained", _failed(evidence, jobs), len(jobs)),
        Check.of("each judged job has one entry in the log", _log_entries(evidence, judged), len(judged)),
        Check.of("no result has changed", _changed(evidence), len(jobs)),
        Check.of("answers are what is stored", _answers(found), len(found)),
        Check.of("jobs are cancelled only for who asked", _cancelled(found), len(found)),
        Check.of("jobs are delivered again only after a death", _deliveries(evidence, jobs), len(jobs)),
        Check.of(
            "honest controls have their own score",
            _controls(evidence, controls),
            len(controls),
            f"{unknown} times, of controls that could not be timed alone, are compared with nothing"
            if unknown
            else "",
        ),
        Check.of("wrong ones and attacks get what they may", _verdicts(others), len(others)),
        Check.of("no answer holds a secret", _secrets(calls), len(calls)),
    ]


def _name(call: Call) -> str:
    return f"{call.entry.environment} {call.entry.name!r} ({call.behaviour})"


def _unanswered(evidence: Evidence, paired: Sequence[tuple[Call, StoredJob | None]]) -> Iterator[str]:
    for call, job in paired:
        if call.ended_at is None:
            yield f"{_name(call)}: never ended"
        elif call.answer is None and not (
            (call.error == "JOB_CANCELLED" and call.behaviour == "cancels")
            or (job is not None and evidence.is_set_aside(job))
        ):
            yield f"{_name(call)}: {call.error or 'no answer, and no error'}"


def _lost(paired: Sequence[tuple[Call, StoredJob | None]], jobs: Sequence[StoredJob]) -> Iterator[str]:
    for call, job in paired:
        if call.answer is not None and (job is None or job.job_id != call.answer.job_id):
            yield f"{_name(call)}: answered as {call.answer.job_id}, stored as {job and job.job_id}"
    for job in jobs:
        if not job.is_final:
            yield f"{job.job_id} of {job.environment}: {job.state}, delivered {job.delivery_count} times"


def _failed(evidence: Evidence, jobs: Sequence[StoredJob]) -> Iterator[str]:
    for job in jobs:
        if job.state == "failed" and not evidence.is_set_aside(job):
            deaths = evidence.exposures.get(job.job_id, 0)
            yield f"{job.job_id} of {job.environment}, {deaths} deaths: {job.failure}"


def _log_entries(evidence: Evidence, judged: Sequence[StoredJob]) -> Iterator[str]:
    positions = Counter(job.log_position for job in judged)
    for job in judged:
        if job.log_position is None or positions[job.log_position] != 1:
            yield f"{job.job_id}: position {job.log_position} in the log"
    for attempt_id, listed in evidence.logs.items():
        expected = sorted(job.job_id for job in judged if job.attempt_id == attempt_id)
        if sorted(listed) != expected:
            difference = Counter(listed)
            difference.subtract(expected)
            unequal = {job_id: count for job_id, count in difference.items() if count}
            yield f"the log of {attempt_id} has entries too many or too few: {unequal}"


def _changed(evidence: Evidence) -> Iterator[str]:
    for job_id, (first, last) in evidence.changed.items():
        was, became = ((job.state, job.verdict, job.raw_score) for job in (first, last))
        yield f"{job_id}: first {was}, then {became}"


def _answers(found: Sequence[tuple[Call, StoredJob]]) -> Iterator[str]:
    for call, job in found:
        if (answer := call.answer) is None:
            continue
        told = (answer.verdict, answer.raw, answer.normalized, answer.summary)
        stored = (job.verdict, job.raw_score, job.normalized_score, job.summary)
        if told != stored or job.state != "succeeded":
            yield f"{_name(call)}: told {told}, stored {stored} ({job.state})"


def _cancelled(found: Sequence[tuple[Call, StoredJob]]) -> Iterator[str]:
    for call, job in found:
        if (job.state == "cancelled") != (call.error == "JOB_CANCELLED"):
            yield f"{_name(call)}: {call.error or 'answered'}, stored as {job.state}"
        elif job.state == "cancelled" and call.behaviour != "cancels":
            yield f"{_name(call)}: cancelled"


def _deliveries(evidence: Evidence, jobs: Sequence[StoredJob]) -> Iterator[str]:
    deaths = [done.at for done in evidence.disturbances if done.kind != "stop"]
    for job in jobs:
        ended = job.finished_at or float("inf")
        meanwhile = sum(job.accepted_at - 1 <= at <= ended for at in deaths)
        if job.delivery_count - 1 > meanwhile:
            yield f"{job.job_id} of {job.environment}: {job.delivery_count} deliveries, {meanwhile} deaths"


def _controls(evidence: Evidence, controls: Sequence[Call]) -> Iterator[str]:
    for call in controls:
        yield from _wrong_verdict(call)
        raw, expected, tolerance = _raw(call), evidence.expected(call), call.entry.tolerance
        if raw is not None and expected is not None and abs(raw - expected) > tolerance:
            yield f"{_name(call)}: scored {raw}, and should {expected} (within {tolerance:.3g})"
        # A machine may be too busy to time a control alone, but nothing keeps the others from being scored.
        if expected is None and "unstable" not in call.entry.verdicts:
            yield f"{_name(call)}: had no score alone"


def _raw(call: Call) -> float | None:
    return call.answer.raw if call.answer is not None else None


def _verdicts(calls: Sequence[Call]) -> Iterator[str]:
    for call in calls:
        yield from _wrong_verdict(call)


def _wrong_verdict(call: Call) -> Iterator[str]:
    entry, answer = call.entry, call.answer
    assert answer is not None
    if answer.verdict not in entry.verdicts:
        allowed = ", ".join(sorted(entry.verdicts))
        yield f"{_name(call)}: {answer.verdict}, allowed: {allowed}: {answer.summary}"
    if entry.problems and (
        len(answer.problems) != len(entry.problems)
        or any(verdict not in right for verdict, right in zip(answer.problems, entry.problems, strict=True))
    ):
        allowed = "; ".join("/".join(sorted(right)) for right in entry.problems)
        yield f"{_name(call)}: {', '.join(answer.problems)}, allowed: {allowed}"


def _secrets(calls: Sequence[Call]) -> Iterator[str]:
    for call in calls:
        text = (call.answer.text if call.answer is not None else "") + call.error
        told = (FOUND_SOMETHING,) if call.entry.environment != "rust_codecontests" else ()
        for secret in (*SECRETS, *told):
            if secret in text:
                yield f"{_name(call)}: {secret}"
