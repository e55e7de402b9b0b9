"""Errors of the contract: a status code, a reason, and what to do."""

from collections.abc import Sequence

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from scorer_service.environments.interface import FieldViolation

ERROR_DOMAIN = "scorer"

# gRPC limits all status metadata to 16 KiB (grpc#37852 shows what becomes of more), and the message travels
# in it twice, percent-encoded once: up to three bytes for each.
MESSAGE_LIMIT = 1500
VIOLATION_LIMIT = 16
VIOLATION_TEXT_LIMIT = 300


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
        self.details = _cut(error.message, MESSAGE_LIMIT)
        details: list[Message] = [error_details_pb2.ErrorInfo(reason=error.reason, domain=ERROR_DOMAIN)]
        metadata: list[tuple[str, str | bytes]] = []
        if error.violations:
            details.append(
                error_details_pb2.BadRequest(
                    field_violations=[
                        error_details_pb2.BadRequest.FieldViolation(
                            field=_cut(violation.field, VIOLATION_TEXT_LIMIT),
                            description=_cut(violation.description, VIOLATION_TEXT_LIMIT),
                        )
                        for violation in error.violations[:VIOLATION_LIMIT]
                    ]
                )
            )
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
    """The server is shutting down."""
    return ApiError(
        grpc.StatusCode.UNAVAILABLE,
        "SERVER_DRAINING",
        "the server is shutting down; accepted jobs stay in its queue: ask again with the same request_id",
        retry_after_s=5.0,
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
