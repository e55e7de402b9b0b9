"""How a line looks: for people, or as a JSON object for a collector."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from scorer_service.logs import context

MESSAGE_LIMIT_CHARACTERS = 4096
EXCEPTION_LIMIT_CHARACTERS = 8192
"""Of both, so that a line of plain text has less than 16 KiB: container engines cut lines there."""


class TextFormat(logging.Formatter):
    """One line an event; a traceback follows, each line of it indented.

    Whatever cannot be printed is escaped, line breaks too: nobody who gives the server a name can write lines
    of its log, or speak to the terminal on which it is read.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        known = context.current()
        about = [f"call {known[context.CALL]}"] if context.CALL in known else []
        if context.JOB in known:
            about.append(str(known[context.JOB]))
        where = f" [{', '.join(about)}]" if about else ""
        line = (
            f"{_time(record)} {record.levelname} {record.name}{where} "
            f"{printable(_head(record.getMessage(), MESSAGE_LIMIT_CHARACTERS))}"
        )
        trace = _exception(self, record)
        return "\n    ".join([line, *(printable(part) for part in trace.split("\n"))]) if trace else line


class JsonFormat(JsonFormatter):
    """One object an event, on one line, in ASCII."""

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Those of ours alone: what libraries add to their records stays out."""
        log_data["time"] = _time(record)
        log_data["level"] = record.levelname
        log_data["logger"] = record.name
        log_data["message"] = _whole_characters(_head(record.getMessage(), MESSAGE_LIMIT_CHARACTERS))
        log_data.update(context.current())
        for name in _TRACE_FIELDS:
            if hasattr(record, name):
                log_data[name] = getattr(record, name)
        if trace := _exception(self, record):
            log_data["exception"] = _whole_characters(trace)


_TRACE_FIELDS: Sequence[str] = ("trace_id", "span_id")
"""Attributes that records have while traces are made."""


def printable(text: str) -> str:
    """The text with Python's escapes for line breaks, control characters and whatever else is no glyph."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def _time(record: logging.LogRecord) -> str:
    """RFC 3339, in UTC."""
    return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _exception(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text: str = getattr(record, context.TRACEBACK_TEXT, "").rstrip("\n")
    if record.exc_info and record.exc_info[0] is not None:
        # Not kept in the record, as the library would: other handlers have formats of their own.
        text = logging.Formatter.formatException(formatter, record.exc_info)
    # Its end says what went wrong.
    cut = len(text) - EXCEPTION_LIMIT_CHARACTERS
    return text if cut <= 0 else f"... ({cut} characters before)\n{text[cut:]}"


def _head(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text) - limit} characters more)"


def _whole_characters(text: str) -> str:
    """Without lone halves of surrogate pairs, which file names can have and JSON cannot."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
