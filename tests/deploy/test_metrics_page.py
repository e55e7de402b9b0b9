"""The page of metrics is what the code says."""

from collections.abc import Sequence
from pathlib import Path

import metrics_page
import pytest
from metrics_page import Metric


def test_the_page_is_as_the_code_says(registered: Sequence[Metric], repository: Path) -> None:
    written = (repository / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert written == metrics_page.page(registered), "run `make metrics-page`"


def test_names_have_base_units_and_the_suffix_of_their_kind(registered: Sequence[Metric]) -> None:
    for metric in registered:
        if not metric.name.startswith("scorer_"):
            continue
        assert (metric.kind == "counter") == metric.name.endswith("_total"), metric
        assert not any(unit in metric.name for unit in ("_ms", "_millis", "_minutes", "_mib", "_percent")), (
            metric
        )
        if metric.kind == "histogram":
            assert metric.name.endswith("_seconds"), metric


@pytest.mark.parametrize(
    ("metric", "missing"),
    [
        (Metric("scorer_moods", "gauge", [], "New."), "SECTIONS"),
        (Metric("scorer_jobs_lost_total", "counter", ["job_id"], "New."), "LABELS"),
    ],
)
def test_a_new_metric_is_given_its_place_and_a_new_label_its_values(metric: Metric, missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        metrics_page.page([metric])


def test_a_stale_page_is_told_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "metrics.md"
    monkeypatch.setattr(metrics_page, "PAGE", stale)
    assert metrics_page.main(["--check"]) == 1
    stale.write_text("# Metrics\n")
    assert metrics_page.main(["--check"]) == 1
    assert "make metrics-page" in capsys.readouterr().err
    assert stale.read_text() == "# Metrics\n"
    assert metrics_page.main([]) == 0
    assert metrics_page.main(["--check"]) == 0
