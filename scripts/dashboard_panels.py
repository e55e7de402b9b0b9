"""What the dashboard shows: its rows, panels and queries, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field

AT = 'job=~"$job", instance=~"$instance"'
"""What every query of this service's metrics is restricted to."""


@dataclass(frozen=True)
class Query:
    """One query of a panel."""

    expression: str
    legend: str


@dataclass(frozen=True)
class Panel:
    """One panel."""

    title: str
    description: str
    queries: Sequence[Query]
    unit: str = "short"
    """As Grafana names units: s, bytes, percentunit, ops ..."""
    kind: str = "timeseries"
    width: int = 8
    maximum: float | None = None
    stacked: bool = False
    thresholds: Sequence[tuple[str, float | None]] = field(default_factory=tuple)
    """Colours with the value that each begins at; None: the least."""


@dataclass(frozen=True)
class Row:
    """A row of panels under one heading."""

    title: str
    panels: Sequence[Panel]
    repeat: str | None = None
    """The variable of which each value has a row of its own."""


def _rate(metric: str, matchers: str = AT) -> str:
    return f"rate({metric}{{{matchers}}}[$__rate_interval])"


def _quantiles(metric: str, by: str, matchers: str = AT, legend: str = "") -> list[Query]:
    return [
        Query(
            f"histogram_quantile({quantile}, sum by ({by}, le) ({_rate(f'{metric}_bucket', matchers)}))",
            f"{legend or '{{' + by + '}}'} p{round(quantile * 100)}",
        )
        for quantile in (0.5, 0.95)
    ]


GOOD_BAD = (("green", None), ("red", 1))
BAD_GOOD = (("red", None), ("green", 1))
IN_ENVIRONMENT = f'{AT}, environment="$environment"'
HITS = f'{IN_ENVIRONMENT}, result="hit"'


def _lookups(matchers: str) -> str:
    return f"sum by (environment) ({_rate('scorer_compile_cache_lookups_total', matchers)})"


ROWS: Sequence[Row] = (
    Row(
        "Overview",
        (
            Panel(
                "Environments served",
                "Those whose self-tests passed, and that take submissions.",
                [Query(f"scorer_environment_serving{{{AT}}}", "{{environment}}")],
                kind="stat",
                thresholds=BAD_GOOD,
            ),
            Panel(
                "Jobs judged in an hour",
                "Jobs that ended with a verdict, whichever.",
                [
                    Query(
                        f"sum by (environment) (increase(scorer_jobs_judged_total{{{AT}}}[1h]))",
                        "{{environment}}",
                    )
                ],
                kind="stat",
            ),
            Panel(
                "Share of jobs that the service failed",
                "Failures of the service of the jobs that ended in half an hour. Wrong answers are none.",
                [Query(f"environment:scorer_service_failure:ratio30m{{{AT}}}", "{{environment}}")],
                unit="percentunit",
                kind="stat",
                thresholds=(("green", None), ("orange", 0.001), ("red", 0.05)),
            ),
            Panel(
                "Jobs that end",
                "Of each environment, verdicts and failures together.",
                [Query(f"environment:scorer_jobs_ended:rate5m{{{AT}}}", "{{environment}}")],
                unit="ops",
            ),
            Panel(
                "Jobs that wait",
                "Depth of each queue.",
                [Query(f"scorer_queue_depth{{{AT}}}", "{{environment}}")],
            ),
            Panel(
                "Use of the lanes",
                "Share of the places that are taken.",
                [Query(f"lane:scorer_lane_utilisation:ratio5m{{{AT}}}", "{{lane}}")],
                unit="percentunit",
                maximum=1,
            ),
            Panel(
                "Version",
                "What is running.",
                [
                    Query(
                        f"scorer_build_info{{{AT}}}",
                        "{{instance}}: {{version}}, {{profile}}, Python {{python}}",
                    )
                ],
                kind="stat",
                width=12,
            ),
            Panel(
                "Alerts",
                "Those of deploy/prometheus that fire now.",
                [
                    Query(
                        'ALERTS{alertname=~"Scorer.*", alertstate="firing"}', "{{alertname}} {{environment}}"
                    )
                ],
                kind="stat",
                width=12,
                thresholds=GOOD_BAD,
            ),
        ),
    ),
    Row(
        "$environment",
        (
            Panel(
                "Verdicts",
                "Jobs that ended in each interval, by verdict.",
                [
                    Query(
                        f"sum by (verdict) ({_rate('scorer_jobs_judged_total', IN_ENVIRONMENT)})",
                        "{{verdict}}",
                    ),
                    Query(
                        f"sum({_rate('scorer_jobs_failed_total', IN_ENVIRONMENT)})", "failed by the service"
                    ),
                    Query(f"sum({_rate('scorer_jobs_cancelled_total', IN_ENVIRONMENT)})", "cancelled"),
                ],
                unit="ops",
                stacked=True,
            ),
            Panel(
                "Time of each stage",
                "Without the wait for a lane.",
                _quantiles("scorer_stage_seconds", "stage", IN_ENVIRONMENT),
                unit="s",
            ),
            Panel(
                "Wait in the queue",
                "From the acceptance of a job to its first stage.",
                [
                    *_quantiles("scorer_queue_wait_seconds", "environment", IN_ENVIRONMENT),
                    Query(f"scorer_queue_oldest_age_seconds{{{IN_ENVIRONMENT}}}", "oldest that waits"),
                ],
                unit="s",
            ),
            Panel(
                "Score of the reference solution",
                "1 as calibrated; scored now and then by the server itself.",
                [Query(f"scorer_canary_normalized_score{{{IN_ENVIRONMENT}}}", "canary")],
            ),
            Panel(
                "Work in hand",
                "Leases, and stages that are worked on.",
                [
                    Query(f"scorer_leases_held{{{IN_ENVIRONMENT}}}", "leases"),
                    Query(f"scorer_stages_running{{{IN_ENVIRONMENT}}}", "{{stage}}"),
                ],
            ),
            Panel(
                "Compile cache",
                "Share of the programs that need not be compiled.",
                [Query(f"{_lookups(HITS)} / {_lookups(IN_ENVIRONMENT)}", "hits")],
                unit="percentunit",
                maximum=1,
            ),
        ),
        repeat="environment",
    ),
    Row(
        "Queue",
        (
            Panel(
                "Accepted and refused",
                "Refused by a limit, which the reason names.",
                [
                    Query(
                        f"sum by (environment) ({_rate('scorer_jobs_accepted_total')})",
                        "{{environment}} accepted",
                    ),
                    Query(
                        f"sum by (environment, reason) ({_rate('scorer_jobs_refused_total')})",
                        "{{environment}} refused, {{reason}}",
                    ),
                ],
                unit="ops",
            ),
            Panel(
                "Age of the first in each queue",
                "How long it has waited.",
                [Query(f"scorer_queue_oldest_age_seconds{{{AT}}}", "{{environment}}")],
                unit="s",
            ),
            Panel(
                "Wait for a lane",
                "Of a stage, for a place; that for the lane `device` is the wait for the device.",
                _quantiles("scorer_lane_wait_seconds", "lane"),
                unit="s",
            ),
            Panel(
                "Places taken and waited for",
                "In each lane.",
                [
                    Query(f"scorer_lane_busy{{{AT}}}", "{{lane}} taken"),
                    Query(f"scorer_lane_waiting{{{AT}}}", "{{lane}} waited for"),
                ],
            ),
            Panel(
                "Age of leases",
                "How long the oldest job has been worked on, and the longest time without a renewal.",
                [
                    Query(f"scorer_lease_oldest_age_seconds{{{AT}}}", "{{environment}} age"),
                    Query(
                        f"scorer_lease_oldest_renewal_age_seconds{{{AT}}}", "{{environment}} since a renewal"
                    ),
                ],
                unit="s",
            ),
            Panel(
                "Uploads",
                "Bytes of artifacts that come in.",
                [
                    Query(
                        f"sum by (instance) ({_rate('scorer_artifact_uploaded_bytes_total')})", "{{instance}}"
                    )
                ],
                unit="Bps",
            ),
        ),
    ),
    Row(
        "Device",
        (
            Panel(
                "Device",
                "What is measured on.",
                [Query(f"scorer_device_info{{{AT}}}", "{{instance}}: {{device}}")],
                kind="stat",
                width=6,
            ),
            Panel(
                "Worker",
                "1 where it takes calls.",
                [Query(f"scorer_worker_up{{{AT}}}", "{{instance}}")],
                kind="stat",
                width=6,
                thresholds=BAD_GOOD,
            ),
            Panel(
                "Busy, and idle while work waited",
                "Share of the time that it is held, and in which its lane is empty though a job comes.",
                [
                    Query(_rate("scorer_device_busy_seconds_total"), "{{instance}} busy"),
                    Query(
                        f'lane:scorer_lane_idle_while_work_waited:ratio5m{{{AT}, lane="device"}}',
                        "{{instance}} idle while work waited",
                    ),
                ],
                unit="percentunit",
                width=12,
                maximum=1,
            ),
            Panel(
                "Time that the device is held",
                "exclusive: a measurement.",
                _quantiles("scorer_device_use_seconds", "use"),
                unit="s",
            ),
            Panel(
                "Wait for the device",
                "From asking its gate to having it.",
                _quantiles("scorer_device_wait_seconds", "use"),
                unit="s",
            ),
            Panel(
                "Operations of the worker",
                "Time of each: checks, warm-up and measuring, judging.",
                [
                    Query(
                        "histogram_quantile(0.95, sum by (operation, le) "
                        f"({_rate('scorer_worker_call_seconds_bucket')}))",
                        "{{operation}} p95",
                    )
                ],
                unit="s",
            ),
            Panel(
                "Power",
                "By NVIDIA's DCGM exporter.",
                [Query("DCGM_FI_DEV_POWER_USAGE", "{{Hostname}} GPU {{gpu}}")],
                unit="watt",
            ),
            Panel(
                "Clocks of the multiprocessors",
                "By NVIDIA's DCGM exporter. Where they fall during a measurement, the device throttles.",
                [Query("DCGM_FI_DEV_SM_CLOCK * 1e6", "{{Hostname}} GPU {{gpu}}")],
                unit="hertz",
            ),
            Panel(
                "Memory of the GPU",
                "By NVIDIA's DCGM exporter.",
                [Query("DCGM_FI_DEV_FB_USED * 1024 * 1024", "{{Hostname}} GPU {{gpu}}")],
                unit="bytes",
            ),
        ),
    ),
    Row(
        "Failures",
        (
            Panel(
                "Failures of the service",
                "By reason; a job may be tried again after one.",
                [
                    Query(
                        f"sum by (environment, reason) ({_rate('scorer_service_failures_total')})",
                        "{{environment}} {{reason}}",
                    )
                ],
                unit="ops",
            ),
            Panel(
                "Sandboxes",
                "Failures to make one or to run something in one.",
                [
                    Query(
                        f"sum by (kind, step) ({_rate('scorer_sandbox_failures_total')})", "{{kind}} {{step}}"
                    )
                ],
                unit="ops",
            ),
            Panel(
                "Worker and leases",
                "Workers that died, jobs taken back, leases lost, results that came too late.",
                [
                    Query(f"increase(scorer_worker_restarts_total{{{AT}}}[1h])", "restarts of the worker"),
                    Query(f"increase(scorer_jobs_reclaimed_total{{{AT}}}[1h])", "jobs taken back"),
                    Query(f"sum(increase(scorer_leases_lost_total{{{AT}}}[1h]))", "leases lost"),
                    Query(f"sum(increase(scorer_results_dropped_total{{{AT}}}[1h]))", "results dropped"),
                ],
            ),
            Panel(
                "How programs end",
                "Of their own accord, or by which limit: a matter of submissions, not of the service.",
                [
                    Query(
                        f"sum by (termination) ({_rate('scorer_sandbox_terminations_total')})",
                        "{{termination}}",
                    )
                ],
                unit="ops",
                stacked=True,
            ),
            Panel(
                "Calls by status",
                "RPCs that ended.",
                [Query(f"sum by (grpc_code) ({_rate('grpc_server_handled_total')})", "{{grpc_code}}")],
                unit="ops",
                stacked=True,
            ),
            Panel(
                "Time of calls",
                "A scoring waits for its verdict.",
                _quantiles("grpc_server_handling_seconds", "grpc_method"),
                unit="s",
            ),
        ),
    ),
    Row(
        "Server",
        (
            Panel(
                "Memory",
                "Of the server itself.",
                [Query(f"process_resident_memory_bytes{{{AT}}}", "{{instance}}")],
                unit="bytes",
            ),
            Panel(
                "Processor",
                "Cores that the server itself uses.",
                [Query(_rate("process_cpu_seconds_total"), "{{instance}}")],
            ),
            Panel(
                "Room on the disk of the state folder",
                "For jobs, artifacts and caches.",
                [Query(f"scorer_state_free_bytes{{{AT}}}", "{{instance}}")],
                unit="bytes",
            ),
        ),
    ),
)
