"""docs/logs-and-traces.md names every field and every attribute that there is, and no other."""

import re
from pathlib import Path

import pytest

from scorer_service.logs import context


@pytest.fixture
def names(repository: Path) -> set[str]:
    """The first column of the tables."""
    text = (repository / "docs" / "logs-and-traces.md").read_text()
    cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_field_is_in_the_document(names: set[str]) -> None:
    of_every_line = {"time", "level", "logger", "message", "exception", "trace_id", "span_id"}
    fields = {name for name in names if re.fullmatch(r"[a-z_]+", name)}
    assert fields == of_every_line | set(context.FIELDS)


def test_every_attribute_of_ours_is_in_the_document(names: set[str], repository: Path) -> None:
    source = "".join(file.read_text() for file in (repository / "scorer_service" / "tracing").glob("*.py"))
    attributes = set(re.findall(r'= "(scorer\.[a-z_.]+)"', source))
    assert attributes == {name for name in names if name.startswith("scorer.")}
