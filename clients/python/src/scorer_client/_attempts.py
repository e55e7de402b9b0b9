"""Attempts: one agent's try at one environment, with its score log."""

import enum
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scorer.v1 import attempt_pb2

from scorer_client import _methods as methods
from scorer_client._errors import invalid_field
from scorer_client._flow import Emit, Flow, unary
from scorer_client._reading import duration_of, enum_member, time_of
from scorer_client._results import Score, Verdict, read_score, read_verdict
from scorer_client._retry import Session

_BUDGET_LIMIT = 1_000_000  # of the contract
_PAGE_SIZE = 500  # the most that the contract allows: fewest round trips


class ScorePolicy(enum.Enum):
    """What an agent sees of its scores."""

    VISIBLE = "visible"
    """Verdict and score of each scoring."""
    HIDDEN = "hidden"
    """That the scoring was logged, and nothing else."""
    UNKNOWN = "unknown"
    """A policy that this version of the client does not know."""


class Priority(enum.Enum):
    """How large an attempt's share is while several clients have submissions waiting."""

    LOW = "low"
    """A quarter of a normal one."""
    NORMAL = "normal"
    """One share."""
    HIGH = "high"
    """Four times a normal one."""
    UNKNOWN = "unknown"
    """A priority that this version of the client does not know."""


@dataclass(frozen=True)
class Attempt:
    """An attempt."""

    attempt_id: str
    """Its identity."""
    environment: str
    """The environment's name."""
    policy: ScorePolicy
    """What the agent sees."""
    created_at: datetime
    """When it began, UTC."""
    closed_at: datetime | None
    """When it was closed, UTC; None while it is open."""
    score_count: int
    """Entries in its score log."""
    final_score: Score | None
    """The best valid score so far; None where no scoring was valid, and where the policy hides it."""
    label: str
    """Whose attempt it is; shown to the evaluator only."""
    priority: Priority = Priority.NORMAL
    """How its submissions are treated beside those of others."""
    scoring_budget: int | None = None
    """How many scorings it may have; None for no limit."""
    remaining_scorings: int | None = None
    """How many of them are left; None for no limit."""


@dataclass(frozen=True)
class CreatedAttempt:
    """A new attempt, with the key that shows and closes it."""

    attempt: Attempt
    """The attempt."""
    evaluator_key: str = field(repr=False)
    """Shown this once: the server keeps its hash only. Left out of `repr`, so that no log has it."""
    agent_token: str = field(repr=False, default="")
    """The access token for the attempt's agent, shown this once too. Empty where the server asks for no
    tokens."""


@dataclass(frozen=True)
class ScoreLogEntry:
    """One scoring of an attempt."""

    job_id: str
    """The job."""
    since_start: timedelta
    """From the attempt's begin to the acceptance of the job."""
    verdict: Verdict
    """HIDDEN where the policy hides it."""
    score: Score | None
    """None unless the verdict is SCORED."""
    summary: str
    """One sentence for a person."""
    evaluator_details_json: str
    """For the evaluator only: what the environment recorded, as JSON; empty otherwise."""


def read_attempt(attempt: attempt_pb2.Attempt) -> Attempt:
    """The attempt of a message."""
    return Attempt(
        attempt_id=attempt.attempt_id,
        environment=attempt.environment,
        policy=enum_member(ScorePolicy, attempt_pb2.ScorePolicy.DESCRIPTOR, "SCORE_POLICY_", attempt.policy),
        created_at=time_of(attempt.created_at),
        closed_at=time_of(attempt.closed_at) if attempt.HasField("closed_at") else None,
        score_count=attempt.score_count,
        final_score=read_score(attempt.final_score) if attempt.HasField("final_score") else None,
        label=attempt.label,
        priority=_read_priority(attempt.priority),
        scoring_budget=attempt.scoring_budget or None,
        remaining_scorings=attempt.remaining_scorings if attempt.HasField("remaining_scorings") else None,
    )


def _read_priority(number: int) -> Priority:
    if number == attempt_pb2.PRIORITY_UNSPECIFIED:  # of a server that knows none: all are alike
        return Priority.NORMAL
    return enum_member(Priority, attempt_pb2.Priority.DESCRIPTOR, "PRIORITY_", number)


def create_attempt(
    session: Session, environment: str, *, hidden: bool, label: str, priority: Priority, budget: int
) -> Flow[CreatedAttempt]:
    """Begins an attempt. Not tried again after a broken connection: that could begin two."""
    if priority is Priority.UNKNOWN:
        raise invalid_field("priority", "must be LOW, NORMAL or HIGH")
    if not 0 <= budget <= _BUDGET_LIMIT:
        raise invalid_field("scoring_budget", f"must be between 0 and {_BUDGET_LIMIT}, not {budget}")
    request = attempt_pb2.CreateAttemptRequest(
        environment=environment,
        policy=attempt_pb2.SCORE_POLICY_HIDDEN if hidden else attempt_pb2.SCORE_POLICY_VISIBLE,
        label=label,
        priority=attempt_pb2.Priority.Value(f"PRIORITY_{priority.name}"),
        scoring_budget=budget,
    )
    response = yield from unary(session, methods.CREATE_ATTEMPT, request, idempotent=False)
    return CreatedAttempt(read_attempt(response.attempt), response.evaluator_key, response.agent_token)


def get_attempt(session: Session, attempt_id: str) -> Flow[Attempt]:
    """The attempt as it is now."""
    request = attempt_pb2.GetAttemptRequest(attempt_id=attempt_id)
    return read_attempt((yield from unary(session, methods.GET_ATTEMPT, request)).attempt)


def close_attempt(session: Session, attempt_id: str) -> Flow[Attempt]:
    """Closes the attempt; its state afterwards."""
    request = attempt_pb2.CloseAttemptRequest(attempt_id=attempt_id)
    return read_attempt((yield from unary(session, methods.CLOSE_ATTEMPT, request)).attempt)


def list_scores(session: Session, attempt_id: str) -> Flow[None]:
    """Emits the entries of the score log, oldest first, page by page."""
    page_token = ""
    while True:
        request = attempt_pb2.ListScoresRequest(
            attempt_id=attempt_id, page_size=_PAGE_SIZE, page_token=page_token
        )
        response = yield from unary(session, methods.LIST_SCORES, request)
        for entry in response.entries:
            yield Emit(
                ScoreLogEntry(
                    job_id=entry.job_id,
                    since_start=duration_of(entry.since_start),
                    verdict=read_verdict(entry.verdict),
                    score=read_score(entry.score) if entry.HasField("score") else None,
                    summary=entry.summary,
                    evaluator_details_json=entry.evaluator_details_json,
                )
            )
        page_token = response.next_page_token
        if not page_token:
            return
