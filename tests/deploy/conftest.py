"""What a server shows, and the files that operators start from."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

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
