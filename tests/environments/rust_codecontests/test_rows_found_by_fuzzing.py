"""The least row for each fault that fuzzing found in the loader of problem sets."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scorer_service.environments.rust_codecontests import problem_set, row
from tests.environments.rust_codecontests.conftest import make_row

HUGE = 10**400
"""An integer of JSON that no float can hold."""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"time_limit": {"seconds": HUGE, "nanos": 0}}, "time_limit"),
        ({"time_limit": {"seconds": 1, "nanos": -HUGE}}, "time_limit"),
        ({"time_limit": HUGE}, "time_limit"),
        ({"checker": {"kind": "floats", "absolute": HUGE}}, "checker.absolute"),
        ({"checker": {"kind": "floats", "relative": -HUGE}}, "checker.relative"),
    ],
)
def test_a_number_that_no_float_holds_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(row.RowRefused, match=reason):
        row.parse(row.decode(json.dumps(make_row(**changes)).encode()))


def test_a_value_that_nests_as_deep_as_can_be_read_is_refused() -> None:
    for depth in range(sys.getrecursionlimit()):
        line = (
            json.dumps(make_row(name="@"))
            .replace('"@"', "[" * depth + "]" * depth if depth else "5")
            .encode()
        )
        with pytest.raises(row.RowRefused):
            row.parse(row.decode(line))


def test_an_index_of_another_form_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(make_row()))
    first = problem_set.ProblemSet.open(path, tmp_path / "index")
    (index,) = (tmp_path / "index").iterdir()
    document = json.loads(index.read_bytes())
    document["problems"][0]["problem"] = 7
    index.write_text(json.dumps(document))
    again = problem_set.ProblemSet.open(path, tmp_path / "index")
    assert dict(again.problems) == dict(first.problems)
    again.close()
    first.close()
