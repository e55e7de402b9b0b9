"""Whether what a request names is the caller's."""

import hmac
from typing import Any

import grpc
from scorer.v1 import job_pb2

from scorer_service.api.access.caller import Caller
from scorer_service.api.access.table import Reach, Rule, Subject
from scorer_service.api.errors import ApiError
from scorer_service.store.interface import AttemptNotFound, AttemptRecord, AttemptStore, JobQueue, JobRecord
from scorer_service.store.tokens import Role, secret_sha256


class Ownership:
    """Looks up whose an attempt or a job is."""

    def __init__(self, attempts: AttemptStore, queue: JobQueue) -> None:
        self._attempts = attempts
        self._queue = queue

    async def check(self, rule: Rule, request: Any, caller: Caller, evaluator_key: str | None) -> None:
        """Raises ApiError where the caller's reach ends before what the request names.

        What is missing in the request, or is nowhere, is left to the servicer, which says so.
        """
        if caller.role is None or rule.roles[caller.role] is Reach.ANY:
            return
        if rule.subject is Subject.ATTEMPT:
            await self._check_attempt(request.attempt_id, caller, evaluator_key)
        elif rule.subject is Subject.SUBMISSION:
            await self._check_attempt(request.context.attempt_id, caller, evaluator_key)
        elif rule.subject is Subject.JOB:
            await self._check_job(request.name, caller, evaluator_key)

    async def _check_attempt(self, attempt_id: str, caller: Caller, evaluator_key: str | None) -> None:
        if not attempt_id or attempt_id == caller.attempt_id:
            return
        if caller.role is Role.AGENT:
            # Before the store is asked: an agent does not learn which other attempts there are.
            raise ApiError(
                grpc.StatusCode.PERMISSION_DENIED,
                "OTHER_ATTEMPT",
                f"the token is for {caller.attempt_id} alone: name that attempt, or use its own token for "
                f"{attempt_id[:80]!r}",
            )
        try:
            record = await self._attempts.get(attempt_id)
        except AttemptNotFound:
            return
        if not evaluates(record, caller, evaluator_key):
            raise ApiError(
                grpc.StatusCode.PERMISSION_DENIED,
                "OTHER_ATTEMPT",
                f"{record.attempt_id} was created with another token: send its evaluator key beside it, "
                "as metadata `scorer-evaluator-key` (scorer-client: --key or SCORER_EVALUATOR_KEY)",
            )

    async def _check_job(self, name: job_pb2.JobName, caller: Caller, evaluator_key: str | None) -> None:
        if name.WhichOneof("name") is None:
            return
        job = await self._queue.find(
            job_id=name.job_id if name.HasField("job_id") else None,
            request_id=name.request_id if name.HasField("request_id") else None,
        )
        if job is None or not await self._has_job(job, caller, evaluator_key):
            raise job_not_found(name.job_id or name.request_id)

    async def _has_job(self, job: JobRecord, caller: Caller, evaluator_key: str | None) -> bool:
        if job.attempt_id is None:
            return job.submitted_by is not None and job.submitted_by == caller.token_id
        if caller.role is Role.AGENT:
            return job.attempt_id == caller.attempt_id
        return evaluates(await self._attempts.get(job.attempt_id), caller, evaluator_key)


def evaluates(attempt: AttemptRecord, caller: Caller, evaluator_key: str | None) -> bool:
    """Whether the caller is the attempt's evaluator. Raises ApiError for a key of another attempt.

    The key alone decides where the server is open. With tokens it serves an evaluator who has another token
    than the one that created the attempt; it never makes an evaluator of an agent.
    """
    if caller.role not in (None, Role.EVALUATOR):
        return False
    if caller.token_id is not None and attempt.created_by == caller.token_id:
        return True
    if evaluator_key is None:
        return False
    if not hmac.compare_digest(secret_sha256(evaluator_key), attempt.evaluator_key_sha256):
        raise ApiError(
            grpc.StatusCode.PERMISSION_DENIED,
            "WRONG_EVALUATOR_KEY",
            f"the evaluator key is not the one of {attempt.attempt_id}",
        )
    return True


def job_not_found(name: str) -> ApiError:
    """There is no such job. For the caller: a job of somebody else is told by the same words."""
    return ApiError(
        grpc.StatusCode.NOT_FOUND,
        "JOB_NOT_FOUND",
        f"no job {name[:80]!r}: it was never accepted, or was deleted after its retention time",
    )
