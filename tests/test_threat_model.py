"""Every test and attack that the threat model rests on is there."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs/design/threat-model.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE)))


def test_the_threat_model_names_tests() -> None:
    assert len(NAMED) > 40


@pytest.mark.parametrize("path", NAMED)
def test_what_the_threat_model_names_is_there(path: str) -> None:
    assert (REPOSITORY / path).is_file()


def test_every_boundary_has_something_that_shows_it() -> None:
    begin, end = PAGE.index("## Boundaries"), PAGE.index("## What is lost")
    rows = [line for line in PAGE[begin:end].splitlines() if line.startswith("| ")]
    boundaries = [row for row in rows if not row.startswith("| boundary")]
    assert [row for row in boundaries if "`tests/" not in row.rsplit("|", 2)[1]] == []
