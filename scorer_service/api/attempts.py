"""AttemptService: attempts and their score logs, as far as the caller may see them."""

import json
import secrets

import grpc
from scorer.v1 import attempt_pb2, attempt_pb2_grpc, result_pb2

from scorer_service.api import pages
from scorer_service.api.access.authentication import agent_token, new_agent_secret
from scorer_service.api.access.caller import current_caller, presented
from scorer_service.api.access.ownership import evaluates
from scorer_service.api.errors import ApiError, invalid_field
from scorer_service.api.interceptors.around import Context
from scorer_service.api.messages import POLICIES, PRIORITIES, VERDICTS, score, timestamp
from scorer_service.api.registry import EnvironmentRegistry
from scorer_service.api.scoring import attempt_not_found
from scorer_service.environments.interface import Direction
from scorer_service.store.interface import (
    AttemptNotFound,
    AttemptRecord,
    AttemptStore,
    JobRecord,
    ScorePolicy,
)
from scorer_service.store.limits import Priority
from scorer_service.store.tokens import secret_sha256

LABEL_LIMIT = 200
BUDGET_LIMIT = 1_000_000

_POLICY_OF_MESSAGE = {
    attempt_pb2.SCORE_POLICY_UNSPECIFIED: ScorePolicy.VISIBLE,
    **{number: policy for policy, number in POLICIES.items()},
}
_PRIORITY_OF_MESSAGE = {
    attempt_pb2.PRIORITY_UNSPECIFIED: Priority.NORMAL,
    **{number: priority for priority, number in PRIORITIES.items()},
}


class AttemptServicer(attempt_pb2_grpc.AttemptServiceServicer):
    """Shows an attempt to its evaluator as a whole, and to others what its policy shows."""

    def __init__(
        self, registry: EnvironmentRegistry, attempts: AttemptStore, default_budget: int | None = None
    ) -> None:
        """`default_budget` is for attempts that are created without one; None for no limit."""
        self._registry = registry
        self._attempts = attempts
        self._default_budget = default_budget

    async def CreateAttempt(
        self, request: attempt_pb2.CreateAttemptRequest, context: Context
    ) -> attempt_pb2.CreateAttemptResponse:
        """Begin an attempt; the caller is its evaluator."""
        environment = self._registry.served(request.environment)
        policy = _POLICY_OF_MESSAGE.get(request.policy)
        if policy is None:
            raise invalid_field("policy", f"{request.policy} is not a ScorePolicy")
        if len(request.label) > LABEL_LIMIT:
            raise invalid_field(
                "label", f"has {len(request.label)} characters, at most {LABEL_LIMIT} are allowed"
            )
        priority = _PRIORITY_OF_MESSAGE.get(request.priority)
        if priority is None:
            raise invalid_field("priority", f"{request.priority} is not a Priority")
        if not 0 <= request.scoring_budget <= BUDGET_LIMIT:
            raise invalid_field(
                "scoring_budget", f"must be between 0 and {BUDGET_LIMIT}, not {request.scoring_budget}"
            )
        key = secrets.token_urlsafe(32)
        caller = current_caller()
        agent_secret = None if caller.is_anybody else new_agent_secret()
        record = await self._attempts.create(
            environment=environment.name,
            policy=policy,
            label=request.label,
            evaluator_key_sha256=secret_sha256(key),
            created_by=caller.token_id,
            agent_secret_sha256=None if agent_secret is None else secret_sha256(agent_secret),
            priority=priority,
            scoring_budget=request.scoring_budget or self._default_budget,
        )
        return attempt_pb2.CreateAttemptResponse(
            attempt=await self._message(record, is_evaluator=True),
            evaluator_key=key,
            agent_token="" if agent_secret is None else agent_token(record.attempt_id, agent_secret),
        )

    async def GetAttempt(
        self, request: attempt_pb2.GetAttemptRequest, context: Context
    ) -> attempt_pb2.GetAttemptResponse:
        """The attempt as it is now."""
        record, is_evaluator = await self._open(request.attempt_id, context)
        return attempt_pb2.GetAttemptResponse(attempt=await self._message(record, is_evaluator=is_evaluator))

    async def ListScores(
        self, request: attempt_pb2.ListScoresRequest, context: Context
    ) -> attempt_pb2.ListScoresResponse:
        """A page of the score log."""
        record, is_evaluator = await self._open(request.attempt_id, context)
        limit = pages.entry_limit(request.page_size)
        entries = await self._attempts.log(
            record.attempt_id,
            after=pages.position(request.page_token) or 0,
            limit=limit,
        )
        return attempt_pb2.ListScoresResponse(
            entries=[_entry(record, job, is_evaluator=is_evaluator) for _, job in entries],
            next_page_token=str(entries[-1][0]) if entries else "",
        )

    async def CloseAttempt(
        self, request: attempt_pb2.CloseAttemptRequest, context: Context
    ) -> attempt_pb2.CloseAttemptResponse:
        """Take no more submissions."""
        record, is_evaluator = await self._open(request.attempt_id, context)
        if not is_evaluator:
            raise ApiError(
                grpc.StatusCode.PERMISSION_DENIED,
                "WRONG_EVALUATOR_KEY",
                "only its evaluator may close an attempt: send the evaluator key that CreateAttempt answered "
                "as metadata `authorization: Bearer <key>`",
            )
        closed = await self._attempts.close(record.attempt_id)
        return attempt_pb2.CloseAttemptResponse(attempt=await self._message(closed, is_evaluator=True))

    async def _open(self, attempt_id: str, context: Context) -> tuple[AttemptRecord, bool]:
        """An attempt, and whether its evaluator asks. Raises ApiError."""
        if not attempt_id:
            raise invalid_field("attempt_id", "is missing")
        try:
            record = await self._attempts.get(attempt_id)
        except AttemptNotFound:
            raise attempt_not_found(attempt_id) from None
        key = presented(context.invocation_metadata()).evaluator_key
        return record, evaluates(record, current_caller(), key)

    async def _message(self, record: AttemptRecord, *, is_evaluator: bool) -> attempt_pb2.Attempt:
        counts = await self._attempts.counts(record.attempt_id)
        message = attempt_pb2.Attempt(
            attempt_id=record.attempt_id,
            environment=record.environment,
            policy=POLICIES[record.policy],
            created_at=timestamp(record.created_at),
            closed_at=timestamp(record.closed_at),
            score_count=counts.judged,
            pending_count=counts.pending,
            label=record.label if is_evaluator else "",
            priority=PRIORITIES[record.priority],
        )
        if record.scoring_budget is not None:
            message.scoring_budget = record.scoring_budget
            message.remaining_scorings = max(0, record.scoring_budget - counts.counted)
        if is_evaluator or record.policy is ScorePolicy.VISIBLE:
            best = await self._attempts.best_score(record.attempt_id, self._direction(record.environment))
            if best is not None and (value := score(*best)) is not None:
                message.final_score.CopyFrom(value)
        return message

    def _direction(self, environment: str) -> Direction:
        return self._registry.served(environment).describe().direction


def _entry(attempt: AttemptRecord, job: JobRecord, *, is_evaluator: bool) -> attempt_pb2.ScoreLogEntry:
    entry = attempt_pb2.ScoreLogEntry(job_id=job.job_id)
    entry.since_start.FromNanoseconds(int(max(0.0, job.accepted_at - attempt.created_at) * 1e9))
    if job.result is None or not (is_evaluator or attempt.policy is ScorePolicy.VISIBLE):
        entry.verdict = result_pb2.VERDICT_HIDDEN
        return entry
    entry.verdict = VERDICTS[job.result.verdict]
    entry.summary = job.result.summary
    if (value := score(job.result.raw_score, job.result.normalized_score)) is not None:
        entry.score.CopyFrom(value)
    if is_evaluator:
        entry.evaluator_details_json = json.dumps(job.result.evaluator_details)
    return entry
