"""What the lines of a task are about: set where a call or a job comes in, and on every line after that."""

import contextlib
import contextvars
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

CALL = "call"
"""Number of the RPC, counted from the start of the server."""
METHOD = "method"
"""Of the RPC, as in scorer.v1.JobService/GetJob."""
JOB = "job_id"
ATTEMPT = "attempt_id"
ENVIRONMENT = "environment"
TRACEBACK_TEXT = "traceback_text"
"""Attribute of a record with the traceback of another process, in place of an exception of this one."""
FIELDS = (CALL, METHOD, JOB, ATTEMPT, ENVIRONMENT)

_ID_OF_OURS = re.compile(r"(job|attempt)-[0-9a-f]{32}")

_NOTHING: Mapping[str, str | int] = MappingProxyType({})
_current: contextvars.ContextVar[Mapping[str, str | int]] = contextvars.ContextVar(
    "log_fields", default=_NOTHING
)


def current() -> Mapping[str, str | int]:
    """What is known here; names are those of `FIELDS`."""
    return _current.get()


def bind(**fields: str | int | None) -> None:
    """Say it of the rest of this task, and of the tasks and threads that it starts. None says nothing."""
    _current.set(_with(fields))


@contextlib.contextmanager
def bound(**fields: str | int | None) -> Iterator[None]:
    """Say it of what is inside."""
    token = _current.set(_with(fields))
    try:
        yield
    finally:
        _current.reset(token)


def of_nobody() -> contextvars.Context:
    """This context without what is known here, for a task that serves whoever comes."""
    context = contextvars.copy_context()
    context.run(_current.set, _NOTHING)
    return context


def bind_ids_of(request: Any) -> None:
    """Say which job and which attempt a request names, if these are ids that a server has given.

    Nobody has looked yet whether there are such, nor whose they are; free text of a client says nothing.
    """
    for part in (request, getattr(request, "name", None), getattr(request, "context", None)):
        bind(job_id=_id(getattr(part, JOB, None)), attempt_id=_id(getattr(part, ATTEMPT, None)))


def _with(fields: Mapping[str, str | int | None]) -> Mapping[str, str | int]:
    return {**_current.get(), **{name: value for name, value in fields.items() if value is not None}}


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and _ID_OF_OURS.fullmatch(value) else None
