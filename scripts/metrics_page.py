"""Writes docs/metrics.md from the metrics that the code registers, or checks that it is what they are."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

from scorer_service.api.interceptors.rpc_metrics import RpcMetricsInterceptor
from scorer_service.environments.discovery import environment_names
from scorer_service.environments.interface import Verdict
from scorer_service.metrics import artifacts, failures, sandboxes
from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.metrics.service import ServiceMetrics
from scorer_service.scheduling.canaries import Canaries

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"

SECTIONS: Sequence[tuple[str, Sequence[str]]] = (
    ("Jobs and queue", ("scorer_jobs_", "scorer_queue_", "scorer_results_", "scorer_service_failures")),
    ("Leases", ("scorer_lease",)),
    ("Stages and lanes", ("scorer_stage", "scorer_lane_")),
    ("Device and worker", ("scorer_device_", "scorer_worker_")),
    ("Sandboxes and compile cache", ("scorer_sandbox_", "scorer_compile_cache_")),
    ("Artifacts", ("scorer_artifact_",)),
    ("Canaries", ("scorer_canary_",)),
    ("Server", ("scorer_build", "scorer_environment_", "scorer_refresh_", "scorer_state_")),
    ("RPCs", ("grpc_server_",)),
    ("Process", ("process_", "python_")),
)
"""Headings of the page, with the beginnings of the names below each."""

LABELS: Mapping[str, str] = {
    "environment": ", ".join(f"`{name}`" for name in environment_names()),
    "verdict": ", ".join(f"`{verdict.value}`" for verdict in Verdict),
    "reason": ", ".join(f"`{reason}`" for reason in failures.REASONS),
    "stage": "`build`, `measure`, `judge`",
    "lane": "`judge` (rust_codecontests), `build` and `device` (the others)",
    "use": "`exclusive`, `shared`",
    "operation": "functions of the worker, such as `check_public`, `check_hidden`, `measure`",
    "outcome": "of uploads: "
    + ", ".join(f"`{outcome}`" for outcome in artifacts.OUTCOMES)
    + "; of calls to the worker: `ok`, `failed`, `lost`, `unavailable`, `cancelled`",
    "kind": ", ".join(f"`{kind}`" for kind in sandboxes.KINDS) + " sandboxes; a device is `cpu` or `cuda`",
    "step": ", ".join(f"`{step}`" for step in sandboxes.STEPS),
    "termination": "`exited`, `signaled`, `stopped`, and the limits: `cpu_time_limit`, `wall_time_limit`, "
    "`memory_limit`, `output_limit`, `process_limit`",
    "result": "`hit`, `miss`",
    "device": "`cpu`, or the name of the GPU",
    "version": "of the service, or of Python",
    "python": "its version",
    "profile": "`embedded`, `paper`",
    "grpc_type": "`unary`, `client_stream`, `server_stream`, `bidi_stream`",
    "grpc_service": "as in `scorer.v1.ScoringService`",
    "grpc_method": "as in `ScoreRustCodecontests`; methods that there are not are not counted",
    "grpc_code": "as Go's implementation names them: `OK`, `ResourceExhausted`, ...",
    "generation": "of the garbage collector",
    "implementation": "of Python",
    "major": "part of a version",
    "minor": "part of a version",
    "patchlevel": "part of a version",
}
"""The values of each label. None of them holds an identifier: there are few of each."""


@dataclass(frozen=True)
class Metric:
    """A metric as a scrape shows it."""

    name: str
    """With the suffix of its kind, but without those of a histogram's series."""
    kind: str
    labels: Sequence[str]
    meaning: str

    def series(self) -> Sequence[str]:
        """The names that a query may have."""
        if self.kind == "histogram":
            return [f"{self.name}_{suffix}" for suffix in ("bucket", "sum", "count")]
        return [self.name]

    def series_labels(self, series: str) -> Sequence[str]:
        """The labels of one of them."""
        return [*self.labels, "le"] if series.endswith("_bucket") else self.labels


def metrics() -> Sequence[Metric]:
    """Every metric of a server, by name."""
    with tempfile.TemporaryDirectory() as folder:
        registry = _registry(Path(folder))
    labels = {
        collector._name: list(collector._labelnames)
        for collector in registry._collector_to_names
        if isinstance(collector, MetricWrapperBase)
    }
    found = []
    for family in registry.collect():
        # What is not ours has its labels in its samples only.
        sampled = sorted({name for sample in family.samples for name in sample.labels})
        suffix = {"counter": "_total", "info": "_info"}.get(family.type, "")
        kind = "gauge" if family.type == "info" else family.type
        of_family = labels[family.name] if labels.get(family.name) else sampled
        of_family = [name for name in of_family if name != "le"]
        found.append(Metric(family.name + suffix, kind, of_family, family.documentation))
    return sorted(found, key=lambda metric: metric.name)


def page(found: Sequence[Metric]) -> str:
    """The page, as Markdown. Raises ValueError for a metric without a section, or a label without values."""
    left = list(found)
    parts = [_HEAD]
    for title, prefixes in SECTIONS:
        rows = [metric for metric in left if metric.name.startswith(tuple(prefixes))]
        left = [metric for metric in left if metric not in rows]
        parts.append(f"\n## {title}\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n")
        for metric in rows:
            names = ", ".join(f"`{label}`" for label in metric.labels)
            parts.append(f"| `{metric.name}` | {metric.kind} | {names} | {metric.meaning} |\n")
    if left:
        raise ValueError(f"no section of the page has {left[0].name}: add one to SECTIONS")
    parts.append("\n## Labels\n\n| label | values |\n|---|---|\n")
    for label in sorted({label for metric in found for label in metric.labels}):
        if label not in LABELS:
            raise ValueError(f"nothing is known of the label {label}: add it to LABELS")
        parts.append(f"| `{label}` | {LABELS[label]} |\n")
    buckets = ", ".join(f"{bound:g}" for bound in DURATION_BUCKETS_S)
    parts.append(f"\nHistograms of time have buckets up to {buckets} seconds.\n")
    return "".join(parts)


_HEAD = """# Metrics

Written by `make metrics-page` from the code; do not edit. `/metrics` on the metrics port has these for
Prometheus, and `/healthz` answers 200 while an environment is served. A histogram has the series `_bucket`,
`_sum` and `_count`. Recording and alert rules are in `deploy/prometheus`, a dashboard in `deploy/grafana`.

Power, clocks and memory of a GPU are not here: NVIDIA's DCGM exporter has them, and the dashboard joins it.
"""


def _registry(folder: Path) -> CollectorRegistry:
    """A registry with all that a server registers."""
    made = ServiceMetrics(profile="embedded", state_dir=folder)
    made.metered_queue(cast(Any, None))
    RpcMetricsInterceptor(made.registry)
    Canaries({}, cast(Any, None), 0, made.registry)
    return made.registry


def main(arguments: Sequence[str]) -> int:
    """Write the page; with `--check`, say whether it is as it would be written."""
    text = page(metrics())
    if list(arguments) == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print("docs/metrics.md is not what the code says: run `make metrics-page`", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
