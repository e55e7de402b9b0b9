"""What can go wrong, as exceptions: one class for each way out that a caller has."""

from collections.abc import Iterable
from datetime import timedelta

import grpc

from scorer_client._rpc_status import FieldViolation, read_status_details


class ScorerError(Exception):
    """A call failed, so that there is no score. Never raised for a verdict: verdicts are results."""

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode = grpc.StatusCode.UNKNOWN,
        reason: str = "",
        field_violations: tuple[FieldViolation, ...] = (),
        retry_after: timedelta | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        """One sentence for a person."""
        self.code = code
        """The gRPC status."""
        self.reason = reason
        """ErrorInfo.reason, as in `QUEUE_FULL`; empty where the server gave none."""
        self.field_violations = field_violations
        """The fields that are wrong, where the server or the client refused some."""
        self.retry_after = retry_after
        """When the server asks to be called again; None where it did not say."""
        self.request_id = request_id
        """For a scoring: the id with which the same call re-attaches to the job. Empty otherwise."""

    def __str__(self) -> str:
        lines = [f"{self.message} ({self.reason or self.code.name})"]
        violations = (f"{violation.field}: {violation.description}" for violation in self.field_violations)
        # A server's message has the first of them already, for those who see nothing else.
        lines += (violation for violation in violations if violation not in self.message)
        return "\n  ".join(lines)


class InvalidRequest(ScorerError):
    """A field of the request is missing or wrong; `field_violations` names each."""


class FileChanged(InvalidRequest):
    """A file was written to while it was sent. Call again once it stays as it is."""


class RequestIdReused(InvalidRequest):
    """The request id was used before, with another payload. Leave it out to get a new one."""


class NotFound(ScorerError):
    """There is no such environment, job, attempt or artifact."""


class AccessDenied(ScorerError):
    """The access token or the evaluator key is missing, wrong, or not for this."""


class AttemptRefused(ScorerError):
    """The attempt is closed, or for another environment."""


class BudgetExhausted(ScorerError):
    """The attempt has no scoring left: trying again does not help, another attempt does."""


class Overloaded(ScorerError):
    """The queue is full, as a whole or for this client (or a quota is used up), and stayed so longer than the
    retry policy waits."""


class RateLimited(Overloaded):
    """The client had as many scorings within an hour as it may; `retry_after` says when it has another."""


class JobCancelled(ScorerError):
    """Somebody cancelled the job; it has no result."""


class DeadlinePassed(ScorerError):
    """The caller's own time limit passed. A job goes on; call again with the same `request_id`."""


class ServiceFailure(ScorerError):
    """The service failed. Nothing was scored."""


class NotServed(ServiceFailure):
    """This server does not serve the environment (or does not know the call)."""


class Unreachable(ServiceFailure):
    """There is no server, or the connection broke, longer than the retry policy waits."""


class UnsafeStarter(ServiceFailure):
    """The server sent a starter file whose path leaves the folder, or that cannot be written as sent."""


# A reason says more than a code, so it is looked up first.
_CLASS_BY_REASON: dict[str, type[ScorerError]] = {
    "ARTIFACT_TOO_LARGE": InvalidRequest,
    "BUDGET_EXHAUSTED": BudgetExhausted,
    "RATE_LIMITED": RateLimited,
    "JOB_CANCELLED": JobCancelled,
}
_CLASS_BY_CODE: dict[grpc.StatusCode, type[ScorerError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.OUT_OF_RANGE: InvalidRequest,
    grpc.StatusCode.ALREADY_EXISTS: RequestIdReused,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.PERMISSION_DENIED: AccessDenied,
    grpc.StatusCode.UNAUTHENTICATED: AccessDenied,
    grpc.StatusCode.FAILED_PRECONDITION: AttemptRefused,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Overloaded,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlinePassed,
    grpc.StatusCode.UNIMPLEMENTED: NotServed,
    grpc.StatusCode.UNAVAILABLE: Unreachable,
}

# How gRPC's core words a stream that broke under a call with a status other than UNAVAILABLE. The last stands
# in grpc.aio for the server's status, where the server ended the call while it was written to
# (https://github.com/grpc/grpc/issues/36066).
_BROKEN_STREAM_WORDS = ("RST_STREAM", "Stream removed", "GOAWAY", "Internal error from Core")


class CallFailed(Exception):
    """One try of a call failed; the retry policy decides whether its error reaches the caller."""

    def __init__(
        self, error: ScorerError, *, accepted: bool, must_not_retry: bool, connection_broke: bool
    ) -> None:
        super().__init__(str(error))
        self.error = error
        """What the caller gets if there is no other try."""
        self.accepted = accepted
        """Whether the job was in the queue before the call failed."""
        self.must_not_retry = must_not_retry
        """Whether the server forbids another try."""
        self.connection_broke = connection_broke
        """Whether the failure says nothing about the job, only about the way to it."""


def call_failed(
    code: grpc.StatusCode,
    details: str | None,
    trailing_metadata: Iterable[tuple[str, str | bytes]] | None,
    *,
    target: str,
    accepted: bool,
) -> CallFailed:
    """Translates the status of one try of a call to the server at `target`."""
    status = read_status_details(trailing_metadata)
    message = status.message or details or "the server gave no message"
    # A reason is the server's own word; without one the status was made by gRPC itself, on either side.
    connection_broke = not status.reason and (
        code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
        or any(word in message for word in _BROKEN_STREAM_WORDS)
    )
    if connection_broke:
        message = f"no answer from {target}: {_tls_hint(message)}{message}"
    error_class = _CLASS_BY_REASON.get(status.reason) or _CLASS_BY_CODE.get(code, ServiceFailure)
    error = (Unreachable if connection_broke else error_class)(
        message,
        code=code,
        reason=status.reason,
        field_violations=status.field_violations,
        retry_after=status.retry_after,
    )
    return CallFailed(
        error, accepted=accepted, must_not_retry=status.must_not_retry, connection_broke=connection_broke
    )


# What gRPC's core says of a handshake that failed, and what it means.
_TLS_HINTS = {
    "CERTIFICATE_VERIFY_FAILED": "its certificate has expired, or nobody who is trusted here has signed it",
    "Hostname Verification": "its certificate is for another name",
    "WRONG_VERSION_NUMBER": "it does not speak TLS",
}


def _tls_hint(message: str) -> str:
    return next((f"{hint}: " for words, hint in _TLS_HINTS.items() if words in message), "")


def empty_answer() -> ServiceFailure:
    """An error of a server that ends a unary call well, with no response."""
    return ServiceFailure("the server sent no response", code=grpc.StatusCode.INTERNAL)


def invalid_field(field: str, description: str) -> InvalidRequest:
    """An error of a value that is refused before anything is sent."""
    return InvalidRequest(
        "the request is not valid",
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason="INVALID_FIELD",
        field_violations=(FieldViolation(field, description),),
    )
