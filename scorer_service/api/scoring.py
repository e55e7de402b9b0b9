"""ScoringService: one method an environment, all of them the same."""

import asyncio
import hashlib
import logging
import uuid
from typing import Any

import grpc
from google.protobuf.message import Message
from scorer.v1 import result_pb2

from scorer_service.api.access.artifacts import ReachableArtifacts
from scorer_service.api.access.caller import address_without_port, current_caller, presented
from scorer_service.api.artifact_references import missing_artifacts
from scorer_service.api.errors import (
    ApiError,
    draining,
    invalid_field,
    invalid_fields,
    too_many_watchers,
)
from scorer_service.api.interceptors.around import Context
from scorer_service.api.messages import failure_for_clients, scoring_result
from scorer_service.api.refusals import refusal
from scorer_service.api.registry import CONTRACT_ENVIRONMENTS, EnvironmentRegistry
from scorer_service.environments.interface import Environment, InvalidSubmission
from scorer_service.logs import context as log_context
from scorer_service.scheduling.progress import TooManyWatchers
from scorer_service.scheduling.scheduler import Draining, Scheduler
from scorer_service.store.interface import (
    AttemptClosed,
    AttemptMismatch,
    AttemptNotFound,
    AttemptStore,
    JobRecord,
    JobState,
    NewJob,
    RequestIdReused,
    ScorePolicy,
)
from scorer_service.store.limits import SubmissionRefused

log = logging.getLogger(__name__)


class ScoringServicer:
    """Every Score method of the contract, served or not.

    The methods are made from the contract, so that a new environment is no edit here.
    """

    def __init__(
        self,
        registry: EnvironmentRegistry,
        scheduler: Scheduler,
        attempts: AttemptStore,
        artifacts: ReachableArtifacts,
    ) -> None:
        self._registry = registry
        self._scheduler = scheduler
        self._attempts = attempts
        self._artifacts = artifacts
        self._cancelling: set[asyncio.Task[None]] = set()
        for environment, method in CONTRACT_ENVIRONMENTS.items():
            setattr(self, method, self._method(environment))

    def _method(self, environment_name: str) -> Any:
        async def score(request: Any, context: Context) -> Message:
            return await self._score(environment_name, request, context)

        return score

    async def _score(self, environment_name: str, request: Any, context: Context) -> Message:
        if self._scheduler.is_draining:
            raise draining()
        environment = self._registry.ready(environment_name)
        job = await self._admit(environment, request, context)
        # With a request id the job outlives the call.
        outlives_call = job.request_id is not None
        record, is_new = await self._submit(job, None if outlives_call else context.time_remaining())
        # The store has it now, and hundreds of calls may wait for long, with up to 4 MiB each.
        del job
        log_context.bind(job_id=record.job_id, attempt_id=record.attempt_id, environment=environment_name)
        await context.send_initial_metadata((("scorer-job-id", record.job_id),))
        try:
            record = await self._scheduler.wait(record.job_id)
        except asyncio.CancelledError:
            if is_new and not outlives_call:
                self._cancel_in_background(record.job_id)
            raise
        except Draining:
            raise draining() from None
        except TooManyWatchers as error:
            raise too_many_watchers(error) from None
        return await self._respond(environment, record)

    async def _admit(self, environment: Environment, request: Any, context: Context) -> NewJob:
        """Check a request, whole, before it is accepted."""
        envelope: result_pb2.RequestContext = request.context
        request_id = envelope.request_id or None
        if request_id is not None and not _is_uuid4(request_id):
            raise invalid_field(
                "context.request_id",
                f"must be a UUID, version 4, of 36 characters in lower case, not {request_id[:80]!r}",
            )
        try:
            environment.validate(request)
        except InvalidSubmission as error:
            raise invalid_fields(error.violations) from None
        caller = current_caller()
        evaluator_key = presented(context.invocation_metadata()).evaluator_key
        violations = await missing_artifacts(
            request, lambda keys: self._artifacts.present(keys, caller, evaluator_key)
        )
        if violations:
            raise invalid_fields(violations)
        attempt_id = envelope.attempt_id or caller.attempt_id
        request.ClearField("context")
        payload = request.SerializeToString(deterministic=True)
        digest = hashlib.sha256(f"{attempt_id or ''}\n".encode() + payload).hexdigest()
        return NewJob(
            environment.name,
            payload,
            digest,
            request_id,
            attempt_id,
            caller.token_id,
            address_without_port(context.peer()),
        )

    async def _submit(self, job: NewJob, time_left_s: float | None) -> tuple[JobRecord, bool]:
        try:
            return await self._scheduler.submit(job, time_left_s=time_left_s)
        except Draining:
            raise draining() from None
        except SubmissionRefused as error:
            raise refusal(error, self._scheduler, job.environment, time_left_s) from None
        except RequestIdReused:
            raise ApiError(
                grpc.StatusCode.ALREADY_EXISTS,
                "REQUEST_ID_REUSED",
                f"request_id {job.request_id} was used before, for another submission: draw a new UUID",
            ) from None
        except AttemptNotFound:
            raise attempt_not_found(job.attempt_id or "") from None
        except AttemptMismatch as error:
            raise ApiError(
                grpc.StatusCode.FAILED_PRECONDITION, "ATTEMPT_MISMATCH", f"{error}, not for {job.environment}"
            ) from None
        except AttemptClosed:
            raise ApiError(
                grpc.StatusCode.FAILED_PRECONDITION,
                "ATTEMPT_CLOSED",
                f"attempt {job.attempt_id} is closed: it takes no more submissions",
            ) from None

    async def _respond(self, environment: Environment, record: JobRecord) -> Message:
        if record.state is JobState.CANCELLED:
            raise ApiError(
                grpc.StatusCode.CANCELLED,
                "JOB_CANCELLED",
                f"{record.job_id} was cancelled; nothing was scored",
            )
        if record.set_aside:
            raise ApiError(
                grpc.StatusCode.INTERNAL, "JOB_SET_ASIDE", f"{record.job_id}: {failure_for_clients(record)}"
            )
        if record.state is JobState.FAILED or record.result is None:
            raise ApiError(
                grpc.StatusCode.INTERNAL,
                "JUDGING_FAILED",
                f"the service failed while it judged {record.job_id}; nothing was scored: try again with a "
                "new request_id, or tell its operator",
            )
        hidden = False
        if record.attempt_id is not None:
            attempt = await self._attempts.get(record.attempt_id)
            hidden = attempt.policy is ScorePolicy.HIDDEN
        response: Any = environment.response_type()
        if not hidden:
            response.ParseFromString(record.result.response)
        response.result.CopyFrom(scoring_result(record, hidden=hidden))
        message: Message = response
        return message

    def _cancel_in_background(self, job_id: str) -> None:
        """The call is gone, and with it the only one who could ask for the result."""

        async def cancel() -> None:
            await self._scheduler.cancel(job_id)
            log.info("cancelled with its call")

        task = asyncio.create_task(cancel())
        self._cancelling.add(task)
        task.add_done_callback(self._cancelling.discard)


def attempt_not_found(attempt_id: str) -> ApiError:
    """There is no such attempt."""
    return ApiError(
        grpc.StatusCode.NOT_FOUND,
        "ATTEMPT_NOT_FOUND",
        f"no attempt {attempt_id[:80]!r}: create one with AttemptService.CreateAttempt",
    )


def _is_uuid4(text: str) -> bool:
    try:
        parsed = uuid.UUID(text)
    except ValueError:
        return False
    return str(parsed) == text and parsed.version == 4
