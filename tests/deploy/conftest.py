"""What a server shows, and the files that operators start from."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from promql import references

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "scripts"))

import metrics_page


@pytest.fixture(scope="session")
def registered() -> Sequence[metrics_page.Metric]:
    """Every metric that the code registers."""
    return metrics_page.metrics()


@pytest.fixture(scope="session")
def series(registered: Sequence[metrics_page.Metric]) -> Mapping[str, frozenset[str]]:
    """The labels of each series that a scrape has; Prometheus adds `job` and `instance`."""
    return {
        name: frozenset(metric.series_labels(name)) | {"job", "instance"}
        for metric in registered
        for name in metric.series()
    }


@pytest.fixture(scope="session")
def recorded(repository: Path, series: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """The labels of each series that the recording rules make, at most."""
    rules = yaml.safe_load((repository / "deploy" / "prometheus" / "recording.yml").read_text())
    made = {}
    for group in rules["groups"]:
        for rule in group["rules"]:
            found = references(rule["expr"])
            of_series = frozenset().union(*(series[name] for name, _ in found.selectors))
            made[rule["record"]] = of_series & found.grouping or of_series
    return made
