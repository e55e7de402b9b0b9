"""Reads google.rpc.Status from a failed call, as any client does."""

from dataclasses import dataclass
from typing import Any

import grpc.aio
from google.rpc import error_details_pb2, status_pb2


@dataclass
class Rich:
    code: grpc.StatusCode
    message: str
    reason: str
    fields: dict[str, str]
    retry_ms: int | None
    pushback_ms: str | None
    metadata_bytes: int


def rich(error: grpc.aio.AioRpcError) -> Rich:
    status = status_pb2.Status()
    pushback = None
    size = 0
    for key, value in error.trailing_metadata():
        size += len(key) + len(value)
        if key == "grpc-status-details-bin":
            status.ParseFromString(value)
        if key == "grpc-retry-pushback-ms":
            pushback = str(value)
    found = Rich(error.code(), error.details() or "", "", {}, None, pushback, size)
    for detail in status.details:
        message: Any
        if detail.Unpack(message := error_details_pb2.ErrorInfo()):
            assert message.domain == "scorer"
            found.reason = message.reason
        elif detail.Unpack(message := error_details_pb2.BadRequest()):
            found.fields = {part.field: part.description for part in message.field_violations}
        elif detail.Unpack(message := error_details_pb2.RetryInfo()):
            found.retry_ms = message.retry_delay.ToMilliseconds()
    return found
