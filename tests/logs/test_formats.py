"""A line is one event: whatever is in it, it forges no other, and says what it is about."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer_service.logs import context
from scorer_service.logs.formats import (
    EXCEPTION_LIMIT_CHARACTERS,
    MESSAGE_LIMIT_CHARACTERS,
    JsonFormat,
    TextFormat,
)

FORGED = "run 7\n2026-01-01T00:00:00.000Z INFO scorer_service.api judged: scored\r\x1b[2K\u202e\u2028\x00"


def record(message: str, *arguments: object, error: BaseException | None = None) -> logging.LogRecord:
    trace = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("scorer_service.some", logging.WARNING, __file__, 1, message, arguments, trace)


def as_json(one: logging.LogRecord) -> dict[str, Any]:
    line = JsonFormat().format(one)
    assert line.isascii()
    assert line.isprintable()
    document: dict[str, Any] = json.loads(line)
    return document


def raised(message: str) -> BaseException:
    try:
        raise ValueError(message)
    except ValueError:
        error = sys.exc_info()[1]
    assert error is not None
    return error


def test_text_has_time_level_logger_and_what_it_is_about() -> None:
    one = record("cannot %s", "write")
    one.created = datetime(2026, 3, 4, 5, 6, 7, 89_000, UTC).timestamp()
    assert TextFormat().format(one) == "2026-03-04T05:06:07.089Z WARNING scorer_service.some cannot write"
    with context.bound(call=12, job_id="job-1", attempt_id="attempt-1"):
        assert " scorer_service.some [call 12, job-1] cannot write" in TextFormat().format(one)


def test_json_has_one_field_for_each() -> None:
    one = record("cannot %s", "write", error=raised("disk full"))
    one.created = datetime(2026, 3, 4, 5, 6, 7, 89_000, UTC).timestamp()
    about = {
        "call": 12,
        "method": "a.B/C",
        "job_id": "job-1",
        "attempt_id": "attempt-1",
        "environment": "triton_cumsum",
    }
    with context.bound(**about):  # type: ignore[arg-type]
        document = as_json(one)
    assert document.pop("exception").endswith("ValueError: disk full")
    assert document == {
        "time": "2026-03-04T05:06:07.089Z",
        "level": "WARNING",
        "logger": "scorer_service.some",
        "message": "cannot write",
        **about,
    }


def test_json_has_nothing_that_a_library_added_to_its_record() -> None:
    one = record("request")
    one.headers = {"authorization": "Bearer secret"}
    assert "secret" not in JsonFormat().format(one)


def test_a_name_forges_no_line_of_text() -> None:
    line = TextFormat().format(record("attempt %s", FORGED))
    assert line.isprintable()
    assert r"run 7\n2026" in line
    assert r"\x1b[2K\u202e\u2028\x00" in line


def test_an_exception_forges_no_line_of_text() -> None:
    _, *others = TextFormat().format(record("failed", error=raised(FORGED))).split("\n")
    assert any("2026-01-01" in line for line in others)
    assert all(line.startswith("    ") and line.isprintable() for line in others)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_one_line_in_both_formats(text: str) -> None:
    assert TextFormat().format(record("%s", text)).isprintable()
    assert as_json(record("%s", text))["message"] == text


def test_a_file_name_that_is_no_unicode_can_be_logged() -> None:
    name = b"\xff.pem".decode(errors="surrogateescape")
    assert r"\udcff.pem" in TextFormat().format(record("%s", name))
    assert as_json(record("%s", name))["message"] == r"\udcff.pem"


@pytest.mark.parametrize("formatter", [TextFormat(), JsonFormat()])
def test_no_line_is_longer_than_container_engines_pass_on(formatter: logging.Formatter) -> None:
    line = formatter.format(record("%s", "m" * 10_000, error=raised("e" * 20_000 + "its end")))
    assert max(map(len, line.split("\n"))) < 16 << 10
    assert f"({10_000 - MESSAGE_LIMIT_CHARACTERS} characters more)" in line
    assert "eits end" in line
    assert "e" * (EXCEPTION_LIMIT_CHARACTERS + 1) not in line
