"""Errors of the contract: a status code, a reason, and what to do."""

from collections.abc import Sequence

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from scorer_service.environments.interface import FieldViolation
from scorer_service.scheduling.progress import TooManyWatchers

ERROR_DOMAIN = "scorer"

# gRPC rejects metadata over 8 KiB at random and over 16 KiB always (grpc#37852 shows what becomes of it). The
# message travels in it twice: percent-encoded, up to three bytes for each, and with the violations in Base64.
MESSAGE_LIMIT_BYTES = 900
VIOLATION_TEXT_LIMIT_BYTES = 300
VIOLATIONS_LIMIT_BYTES = 2000


class ApiError(Exception):
    """Ends a call with a status that a client can act on."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        violations: Sequence[FieldViolation] = (),
        retry_after_s: float | None = None,
    ) -> None:
        """`reason` is one of those listed in the contract."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.violations = violations
        self.retry_after_s = retry_after_s

    def status(self) -> "RichStatus":
        """As sent."""
        return RichStatus(self)


class RichStatus(grpc.Status):
    """A google.rpc.Status in the trailing metadata, bounded in size."""

    def __init__(self, error: ApiError) -> None:
        self.code = error.code
        self.details = _cut(error.message, MESSAGE_LIMIT_BYTES)
        details: list[Message] = [error_details_pb2.ErrorInfo(reason=error.reason, domain=ERROR_DOMAIN)]
        metadata: list[tuple[str, str | bytes]] = []
        if error.violations:
            details.append(_bad_request(error.violations))
        if error.retry_after_s is not None:
            delay_ms = max(1, round(error.retry_after_s * 1000))
            delay = duration_pb2.Duration()
            delay.FromMilliseconds(delay_ms)
            details.append(error_details_pb2.RetryInfo(retry_delay=delay))
            metadata.append(("grpc-retry-pushback-ms", str(delay_ms)))
        status = status_pb2.Status(code=error.code.value[0], message=self.details)
        for detail in details:
            packed = any_pb2.Any()
            packed.Pack(detail)
            status.details.append(packed)
        metadata.append(("grpc-status-details-bin", status.SerializeToString()))
        self.trailing_metadata = tuple(metadata)


def invalid_field(field: str, description: str) -> ApiError:
    """One field is missing or wrong."""
    return invalid_fields([FieldViolation(field, description)])


def invalid_fields(violations: Sequence[FieldViolation]) -> ApiError:
    """Some fields are missing or wrong."""
    shown = "; ".join(f"{v.field}: {v.description}" for v in violations[:3])
    more = f"; and {len(violations) - 3} more" if len(violations) > 3 else ""
    return ApiError(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", shown + more, violations=violations)


def draining() -> ApiError:
    """The server takes no submissions, because it ends or its operator wants so."""
    return ApiError(
        grpc.StatusCode.UNAVAILABLE,
        "SERVER_DRAINING",
        "the server is draining; accepted jobs stay in its queue: ask again with the same request_id",
        retry_after_s=5.0,
    )


def too_many_watchers(error: TooManyWatchers) -> ApiError:
    """So many calls wait for one job already."""
    return ApiError(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "JOB_WATCHED_TOO_OFTEN", f"{error}: end some of them first"
    )


def _bad_request(violations: Sequence[FieldViolation]) -> error_details_pb2.BadRequest:
    """As many of the violations as there is room for, one at least."""
    message = error_details_pb2.BadRequest()
    for violation in violations:
        part = error_details_pb2.BadRequest.FieldViolation(
            field=_cut(violation.field, VIOLATION_TEXT_LIMIT_BYTES),
            description=_cut(violation.description, VIOLATION_TEXT_LIMIT_BYTES),
        )
        if message.ByteSize() + part.ByteSize() > VIOLATIONS_LIMIT_BYTES:
            break
        message.field_violations.append(part)
    return message


def _cut(text: str, limit_bytes: int) -> str:
    data = text.encode()
    return text if len(data) <= limit_bytes else data[: limit_bytes - 3].decode(errors="ignore") + "…"
