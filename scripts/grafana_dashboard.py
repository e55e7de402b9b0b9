"""Writes deploy/grafana/scorer.json, the service's dashboard, or checks that it is as it would be written."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dashboard_panels import AT, ROWS, Panel

DASHBOARD = Path(__file__).parent.parent / "deploy" / "grafana" / "scorer.json"
WIDTH = 24
"""Columns of a dashboard."""
HEIGHT = 8
"""Of a panel, in Grafana's units."""


def queries() -> Iterator[str]:
    """Every query of the dashboard."""
    for row in ROWS:
        for panel in row.panels:
            for query in panel.queries:
                yield query.expression


def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana's JSON model."""
    panels: list[dict[str, Any]] = []
    top = 0
    for row in ROWS:
        heading: dict[str, Any] = {
            "id": len(panels) + 1,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"x": 0, "y": top, "w": WIDTH, "h": 1},
            "panels": [],
        }
        if row.repeat:
            heading["repeat"] = row.repeat
        panels.append(heading)
        top += 1
        left = 0
        for panel in row.panels:
            if left + panel.width > WIDTH:
                left, top = 0, top + HEIGHT
            panels.append(_panel(panel, len(panels) + 1, left, top))
            left += panel.width
        top += HEIGHT
    return {
        "uid": "scorer",
        "title": "Scoring service",
        "description": "Load, waits, device and failures of the scoring service.",
        "tags": ["scorer"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": _variables()},
        "annotations": {"list": []},
        "links": [],
        "panels": panels,
    }


def _panel(panel: Panel, number: int, left: int, top: int) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": panel.unit, "min": 0}
    if panel.maximum is not None:
        defaults["max"] = panel.maximum
    if panel.thresholds:
        steps = [{"color": colour, "value": value} for colour, value in panel.thresholds]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
    options: dict[str, Any] = {"legend": {"displayMode": "list", "placement": "bottom"}}
    if panel.kind == "timeseries":
        stacking = "normal" if panel.stacked else "none"
        defaults["custom"] = {"fillOpacity": 20 if panel.stacked else 0, "stacking": {"mode": stacking}}
        options["tooltip"] = {"mode": "multi", "sort": "desc"}
    else:
        options = {"colorMode": "background" if panel.thresholds else "none", "textMode": "value_and_name"}
        options["reduceOptions"] = {"calcs": ["lastNotNull"], "fields": "", "values": False}
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": _DATASOURCE,
        "gridPos": {"x": left, "y": top, "w": panel.width, "h": HEIGHT},
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": _DATASOURCE,
                "expr": query.expression,
                "legendFormat": query.legend,
            }
            for index, query in enumerate(panel.queries)
        ],
    }


def _variables() -> list[dict[str, Any]]:
    return [
        {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
        _variable("job", "label_values(scorer_build_info, job)"),
        _variable("instance", 'label_values(scorer_build_info{job=~"$job"}, instance)'),
        _variable("environment", f"label_values(scorer_environment_serving{{{AT}}}, environment)"),
    ]


def _variable(name: str, query: str) -> dict[str, Any]:
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": _DATASOURCE,
        "query": {"query": query, "refId": name},
        "definition": query,
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
    }


_DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def main(arguments: Sequence[str]) -> int:
    """Write the dashboard; with `--check`, say whether it is as it would be written."""
    text = json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"
    if list(arguments) == ["--check"]:
        if not DASHBOARD.exists() or DASHBOARD.read_text(encoding="utf-8") != text:
            print("deploy/grafana/scorer.json is stale: run `make dashboard`", file=sys.stderr)
            return 1
        return 0
    DASHBOARD.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
