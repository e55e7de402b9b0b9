"""The end of a soak: for a person a table, for a program JSON."""

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.soak.disturbances import Disturber
from tests.soak.verification import SHOWN, Check, Evidence
from tests.soak.watching import Watch, growth


def print_all(
    evidence: Evidence, disturber: Disturber, watch: Watch, found: Sequence[Check], server_count: int
) -> None:
    """The tables."""
    print(f"\n{'environment':<20}{'verdict':<18}{'kind':<10}{'jobs':>6}")
    for (environment, verdict, kind), count in sorted(_verdicts(evidence).items()):
        print(f"{environment:<20}{verdict:<18}{kind:<10}{count:>6}")
    again = sum(job.delivery_count > 1 for job in evidence.jobs.values())
    aside = sum(evidence.is_set_aside(job) for job in evidence.jobs.values())
    reattached = sum(call.reattached for call in evidence.calls)
    print(
        f"{len(evidence.calls)} calls, {reattached} of them re-attached; {len(evidence.jobs)} jobs,"
        f" {again} delivered more than once, {aside} set aside (killed over twice)"
    )
    kinds = Counter(done.kind for done in disturber.done)
    print(
        f"\ndone: {', '.join(f'{kind} {count}' for kind, count in sorted(kinds.items())) or 'nothing'};"
        f" {len(disturber.left_out)} left out, for want of a moment; {server_count} servers"
    )
    roles = Counter(_role(done.what) for done in disturber.done if done.kind == "sandbox")
    print(f"of sandboxes: {', '.join(f'{role} {count}' for role, count in sorted(roles.items())) or 'none'}")
    for name, samples in watch.series.items():
        trend = growth(samples)
        pids = len({sample.pid for sample in samples})
        most = max((sample.resident_bytes for sample in samples), default=0) >> 20
        slope = f", {trend.mib_an_hour:+.0f} MiB/h over {trend.lived_s:.0f} s" if trend is not None else ""
        print(f"{name}: {pids} processes, {len(samples)} looks, {most} MiB at most{slope}")
    print(f"\n{'check':<56}{'of':>7}  ok")
    for check in found:
        print(
            f"{check.name:<56}{check.looked_at:>7}  {'yes' if check.ok else f'NO, {len(check.complaints)}'}"
        )
        if check.note:
            print(f"    {check.note}")
        for complaint in check.complaints[:SHOWN]:
            print(f"    {complaint}")


def write_json(
    path: Path,
    settings: Mapping[str, Any],
    evidence: Evidence,
    disturber: Disturber,
    watch: Watch,
    found: Sequence[Check],
) -> None:
    """The same with every complaint, every disturbance and every look."""
    content = {
        "settings": settings,
        "jobs": [
            {"environment": environment, "verdict": verdict, "kind": kind, "count": count}
            for (environment, verdict, kind), count in sorted(_verdicts(evidence).items())
        ],
        "disturbances": [dataclasses.asdict(done) for done in disturber.done],
        "left_out": [dataclasses.asdict(planned) for planned in disturber.left_out],
        "series": {
            name: [dataclasses.asdict(sample) for sample in samples] for name, samples in watch.series.items()
        },
        "checks": [dataclasses.asdict(check) | {"ok": check.ok} for check in found],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def _verdicts(evidence: Evidence) -> Counter[tuple[str, str, str]]:
    kinds = {call.request_id: call.entry.kind for call in evidence.calls}
    return Counter(
        (
            job.environment,
            job.verdict or job.state,
            kinds.get(job.request_id, "own") if job.request_id is not None else "canary",
        )
        for job in evidence.jobs.values()
    )


def _role(what: str) -> str:
    return what.rpartition(" ")[0]
