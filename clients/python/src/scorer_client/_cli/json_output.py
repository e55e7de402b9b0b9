"""Results as JSON: objects by field names, times in ISO 8601, durations in seconds as `<name>_s`."""

import dataclasses
import enum
import json
import typing
from datetime import datetime, timedelta
from typing import Any

from scorer_client._errors import ScorerError


def json_value(value: Any) -> Any:
    """The value as JSON can hold it. Bytes that are no UTF-8 are shown with replacement characters."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {}
        for field in dataclasses.fields(value):
            # By its type, so that a duration that is absent has the same name.
            is_duration = timedelta in (field.type, *typing.get_args(field.type))
            named[f"{field.name}_s" if is_duration else field.name] = json_value(getattr(value, field.name))
        return named
    match value:
        case enum.Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.decode(errors="replace")
        case dict():
            return {name: json_value(member) for name, member in value.items()}
        case tuple() | list():
            return [json_value(member) for member in value]
    return value


def json_document(value: Any) -> str:
    """One line of JSON."""
    return json.dumps(json_value(value), ensure_ascii=False, allow_nan=False)


def json_error(error: ScorerError) -> str:
    """The document of a command that failed."""
    described = {
        "kind": type(error).__name__,
        "code": error.code.name,
        "reason": error.reason,
        "message": error.message,
        "field_violations": json_value(error.field_violations),
        "retry_after_s": json_value(error.retry_after),
    }
    return json.dumps({"error": described, "request_id": error.request_id}, ensure_ascii=False)
