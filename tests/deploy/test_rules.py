"""Rules and alerts: they ask for what there is, and each alert fires when it should and not otherwise."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from promql import references

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="no promtool: Debian's package prometheus has it"
)
FROM_PROMETHEUS = {
    "up": frozenset({"job", "instance"}),
    "ALERTS": frozenset({"alertname", "alertstate", "severity", "job", "instance", "environment", "profile"}),
}


@pytest.fixture
def folder(repository: Path) -> Path:
    return repository / "deploy" / "prometheus"


@pytest.fixture
def known(
    series: Mapping[str, frozenset[str]], recorded: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """Every series that a rule may ask for, with its labels."""
    return {**series, **recorded, **FROM_PROMETHEUS}


def rules(folder: Path) -> list[dict[str, Any]]:
    files = [yaml.safe_load((folder / name).read_text()) for name in ("recording.yml", "alerts.yml")]
    return [rule for file in files for group in file["groups"] for rule in group["rules"]]


def alerts(folder: Path) -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in rules(folder) if "alert" in rule}


def rule_tests(folder: Path) -> dict[str, dict[str, Any]]:
    """The tests of rules, by name."""
    files = [yaml.safe_load(file.read_text()) for file in sorted((folder / "tests").glob("*.yml"))]
    found = [test for file in files for test in file["tests"]]
    assert len({test["name"] for test in found}) == len(found)
    return {test["name"]: test for test in found}


def check(query: str, known: Mapping[str, frozenset[str]]) -> None:
    found = references(query)
    assert found.selectors, query
    for name, labels in found.selectors:
        assert name in known, f"{query}: the code has no metric {name}"
        assert labels <= known[name], f"{query}: {name} has no label {', '.join(labels - known[name])}"
    there = frozenset().union(*(known[name] for name, _ in found.selectors))
    assert found.grouping <= there, f"{query}: no metric of it has {', '.join(found.grouping - there)}"


def test_rules_ask_for_metrics_and_labels_that_the_code_has(
    folder: Path, known: Mapping[str, frozenset[str]]
) -> None:
    for rule in rules(folder):
        check(rule["expr"], known)


def test_tests_of_rules_have_series_that_the_code_has(
    folder: Path, known: Mapping[str, frozenset[str]]
) -> None:
    for test in rule_tests(folder).values():
        for given in test["input_series"]:
            [(name, labels)] = references(given["series"]).selectors
            assert labels == known[name], given["series"]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("scorer_no_such_metric > 0", "no metric scorer_no_such_metric"),
        ('scorer_queue_depth{lane="device"}', "no label lane"),
        ("sum by (verdict) (scorer_queue_depth)", "no metric of it has verdict"),
    ],
)
def test_a_query_for_what_is_not_there_is_found(
    query: str, complaint: str, known: Mapping[str, frozenset[str]]
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check(query, known)


def test_each_alert_says_whom_it_wakes_and_what_to_do(folder: Path) -> None:
    for name, alert in alerts(folder).items():
        assert alert["labels"]["severity"] in ("page", "ticket"), name
        assert "$labels.instance" in alert["annotations"]["summary"], name
        assert alert["annotations"]["description"].endswith("."), name


def test_each_alert_has_a_test_in_which_it_fires_and_one_in_which_it_does_not(folder: Path) -> None:
    tested = rule_tests(folder)
    assert set(tested) == set(alerts(folder))
    for name, test in tested.items():
        expected = [one["exp_samples"] for one in test["promql_expr_test"] if f'"{name}"' in one["expr"]]
        assert any(expected), f"{name} never fires"
        assert not all(expected), f"{name} always fires"
        assert len(test["input_series"]) > 1, f"{name} has no series for which it is silent"


@needs_promtool
def test_promtool_accepts_rules_and_configuration(folder: Path) -> None:
    for what, file in (("rules", "recording.yml"), ("rules", "alerts.yml"), ("config", "prometheus.yml")):
        checked = promtool("check", what, str(folder / file))
        assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_promtool
def test_alerts_fire_when_they_should_and_not_otherwise(folder: Path) -> None:
    files = sorted(str(file) for file in (folder / "tests").glob("*.yml"))
    tested = promtool("test", "rules", *files)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    assert PROMTOOL is not None
    return subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False)
