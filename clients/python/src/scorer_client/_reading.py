"""Reads the parts of messages that are optional or open-ended: enums of a newer server, absent times."""

import enum
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

E = TypeVar("E", bound=enum.Enum)


def enum_member(members: type[E], descriptor: EnumDescriptor, prefix: str, number: int) -> E:
    """The member named like the contract's value without `prefix`; UNKNOWN for a value of a newer server."""
    value = descriptor.values_by_number.get(number)
    try:
        return members(value.name.removeprefix(prefix).lower() if value is not None else "unknown")
    except ValueError:
        return members("unknown")


def time_of(timestamp: Timestamp) -> datetime:
    """In UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


def duration_of(duration: Duration) -> timedelta:
    """To the microsecond."""
    return duration.ToTimedelta()
