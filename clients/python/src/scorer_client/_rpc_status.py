"""Reads the rich error model of gRPC: google.rpc.Status and its details, from a call's trailing metadata.

The messages are declared here, in a descriptor pool of their own, by the field numbers of
google/rpc/status.proto and google/rpc/error_details.proto. So the client needs no googleapis-common-protos,
and none is disturbed where a harness has it: the default pool, where a second declaration would be an error,
is not touched.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, message_factory
from google.protobuf.message import DecodeError

STATUS_DETAILS_KEY = "grpc-status-details-bin"
RETRY_PUSHBACK_KEY = "grpc-retry-pushback-ms"

_Field = descriptor_pb2.FieldDescriptorProto
_STRING, _INT32, _MESSAGE = _Field.TYPE_STRING, _Field.TYPE_INT32, _Field.TYPE_MESSAGE

# Message, field, number, type, name of its message type, repeated. Fields that are not read are left out: the
# parser skips them.
_FIELDS = (
    ("Status", "code", 1, _INT32, "", False),
    ("Status", "message", 2, _STRING, "", False),
    ("Status", "details", 3, _MESSAGE, ".google.protobuf.Any", True),
    ("ErrorInfo", "reason", 1, _STRING, "", False),
    ("ErrorInfo", "domain", 2, _STRING, "", False),
    ("FieldViolation", "field", 1, _STRING, "", False),
    ("FieldViolation", "description", 2, _STRING, "", False),
    ("BadRequest", "field_violations", 1, _MESSAGE, ".google.rpc.FieldViolation", True),
    ("RetryInfo", "retry_delay", 1, _MESSAGE, ".google.protobuf.Duration", False),
)


def _message_classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="scorer_client/rpc_status.proto",
        package="google.rpc",
        syntax="proto3",
        dependency=[any_pb2.DESCRIPTOR.name, duration_pb2.DESCRIPTOR.name],
    )
    declared: dict[str, descriptor_pb2.DescriptorProto] = {}
    for message, field, number, kind, type_name, repeated in _FIELDS:
        if message not in declared:
            declared[message] = file.message_type.add(name=message)
        declared[message].field.add(
            name=field,
            number=number,
            type=kind,
            type_name=type_name or None,
            label=_Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL,
        )
    pool = descriptor_pool.DescriptorPool()
    for dependency in (any_pb2.DESCRIPTOR, duration_pb2.DESCRIPTOR):
        pool.AddSerializedFile(dependency.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"google.rpc.{name}"))
        for name in declared
    }


_CLASSES = _message_classes()


@dataclass(frozen=True)
class FieldViolation:
    """A field of a request that is missing or wrong."""

    field: str
    """Path of the field, as in `programs[2].problem_id`."""
    description: str
    """What is wrong with it."""


@dataclass(frozen=True)
class StatusDetails:
    """What a failed call's trailing metadata says beyond code and message."""

    reason: str = ""
    """ErrorInfo.reason; empty where the server sent none."""
    message: str = ""
    """Status.message; empty where the server sent none."""
    field_violations: tuple[FieldViolation, ...] = ()
    """BadRequest.field_violations."""
    retry_after: timedelta | None = None
    """When to try again: the longer of RetryInfo.retry_delay and `grpc-retry-pushback-ms`."""
    must_not_retry: bool = False
    """Whether a negative `grpc-retry-pushback-ms` forbids another try (gRFC A6)."""


def read_status_details(trailing_metadata: Iterable[tuple[str, str | bytes]] | None) -> StatusDetails:
    """Reads what it knows and skips the rest; details that cannot be parsed count as absent."""
    reason, message = "", ""
    violations: list[FieldViolation] = []
    delays: list[timedelta] = []
    must_not_retry = False
    for key, value in trailing_metadata or ():
        if key == RETRY_PUSHBACK_KEY:
            pushback_ms = _integer(value)
            if pushback_ms is None or pushback_ms < 0:
                must_not_retry = True
            else:
                delays.append(timedelta(milliseconds=pushback_ms))
        elif key == STATUS_DETAILS_KEY and isinstance(value, bytes):
            try:
                status = _CLASSES["Status"].FromString(value)
                message = status.message
                for detail in status.details:
                    name = detail.type_url.rpartition("/")[2]
                    if name == "google.rpc.ErrorInfo":
                        reason = _CLASSES["ErrorInfo"].FromString(detail.value).reason
                    elif name == "google.rpc.BadRequest":
                        violations += (
                            FieldViolation(violation.field, violation.description)
                            for violation in _CLASSES["BadRequest"].FromString(detail.value).field_violations
                        )
                    elif name == "google.rpc.RetryInfo":
                        delay = _CLASSES["RetryInfo"].FromString(detail.value).retry_delay
                        delays.append(timedelta(seconds=delay.seconds, microseconds=delay.nanos // 1000))
            except DecodeError:
                continue
    return StatusDetails(reason, message, tuple(violations), max(delays, default=None), must_not_retry)


def _integer(value: str | bytes) -> int | None:
    try:
        return int(value)
    except ValueError:
        return None
