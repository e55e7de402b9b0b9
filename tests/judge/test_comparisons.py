"""The default checker against every pair that a judge is known to have got wrong."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import scorer_launcher

CASES = tomllib.loads((Path(__file__).parent / "comparisons.toml").read_text())["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['expected']!r} {case['output']!r}")
def test_outputs_are_compared_as_their_problem_means_them(case: dict[str, Any]) -> None:
    checker = scorer_launcher.Checker.tokens(decimals=case.get("decimals", False))
    expected, output = (case[key].encode("latin-1") for key in ("expected", "output"))
    assert checker.accepts(stdin=b"", expected=expected, output=output) is case["accepted"], case["why"]


@pytest.mark.parametrize(
    ("expected", "decimals"),
    [(b"1 2 3", False), (b"0.5", True), (b"1e5", True), (b"a.b", False), (b"0011.5", False), (b"-3.", True)],
)
def test_decimals_are_found_in_expected_outputs(expected: bytes, decimals: bool) -> None:
    assert scorer_launcher.has_decimals(expected) is decimals
