"""The dashboard is as its table says, and asks for what there is."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import grafana_dashboard
import pytest
from promql import references

FROM_ELSEWHERE = {
    "ALERTS": frozenset({"alertname", "alertstate"}),
    # https://github.com/NVIDIA/dcgm-exporter, etc/default-counters.csv
    **{
        f"DCGM_FI_DEV_{name}": frozenset({"gpu", "Hostname", "job", "instance"})
        for name in ("POWER_USAGE", "SM_CLOCK", "FB_USED")
    },
}


@pytest.fixture(scope="module")
def written(repository: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((repository / "deploy" / "grafana" / "scorer.json").read_text())
    return loaded


def test_the_dashboard_is_as_its_table_says(written: dict[str, Any]) -> None:
    assert written == grafana_dashboard.dashboard(), "run `make dashboard`"
    assert grafana_dashboard.main(["--check"]) == 0


def test_there_is_a_row_for_each_thing_an_operator_looks_at(written: dict[str, Any]) -> None:
    rows = {panel["title"]: panel for panel in written["panels"] if panel["type"] == "row"}
    assert list(rows) == ["Overview", "$environment", "Queue", "Device", "Failures", "Server"]
    assert rows["$environment"]["repeat"] == "environment"


def test_queries_ask_for_metrics_and_labels_that_there_are(
    written: dict[str, Any],
    series: Mapping[str, frozenset[str]],
    recorded: Mapping[str, frozenset[str]],
) -> None:
    known = {**series, **recorded, **FROM_ELSEWHERE}
    queries = [target["expr"] for panel in written["panels"] for target in panel.get("targets", ())]
    assert len(queries) > 40
    for query in queries:
        found = references(query)
        assert found.selectors, query
        for name, labels in found.selectors:
            assert name in known, query
            assert labels <= known[name], query
        assert found.grouping <= frozenset().union(*(known[name] for name, _ in found.selectors)), query


def test_legends_name_labels_that_their_series_have(
    written: dict[str, Any],
    series: Mapping[str, frozenset[str]],
    recorded: Mapping[str, frozenset[str]],
) -> None:
    known = {**series, **recorded, **FROM_ELSEWHERE, "ALERTS": frozenset({"alertname", "environment"})}
    for panel in written["panels"]:
        for target in panel.get("targets", ()):
            found = references(target["expr"])
            left = found.grouping or frozenset().union(*(known[name] for name, _ in found.selectors))
            shown = {part.split("}}")[0] for part in target["legendFormat"].split("{{")[1:]}
            assert shown <= left, (panel["title"], target)


def test_variables_of_queries_are_there(written: dict[str, Any]) -> None:
    names = {variable["name"] for variable in written["templating"]["list"]}
    assert names == {"datasource", "job", "instance", "environment"}


def test_panels_have_numbers_of_their_own_and_do_not_overlap(written: dict[str, Any]) -> None:
    panels = written["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = []
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= grafana_dashboard.WIDTH
        places += [(place["y"] + down, place["x"], place["w"]) for down in range(place["h"])]
    for (y, x, width), (next_y, next_x, _) in pairwise(sorted(places)):
        assert y != next_y or x + width <= next_x


def test_each_panel_is_explained(written: dict[str, Any]) -> None:
    for panel in written["panels"]:
        if panel["type"] != "row":
            assert panel["description"].endswith("."), panel["title"]
