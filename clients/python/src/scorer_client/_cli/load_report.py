"""Throughput and latency of a load, by environment."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer_client._cli.terminal import printable, table


@dataclass(frozen=True)
class EnvironmentLoad:
    """What came of the submissions to one environment."""

    environment: str
    judged_count: int
    per_second: float
    """Verdicts a second."""
    median_s: float | None
    """Half of the calls took at most so long, seconds; absent where none ended with a verdict."""
    p95_s: float | None
    longest_s: float | None
    verdicts: Mapping[str, int]
    failures: Mapping[str, int]
    """Calls without a verdict, by reason."""


@dataclass(frozen=True)
class Load:
    """What came of all of them."""

    duration_s: float
    """From the first call to the last verdict."""
    environments: tuple[EnvironmentLoad, ...]
    pauses: Mapping[str, int]
    """Times that clients came again later, by reason."""


def summarise(
    duration_s: float,
    latencies_s: Mapping[str, Sequence[float]],
    verdicts: Mapping[tuple[str, str], int],
    failures: Mapping[tuple[str, str], int],
    pauses: Mapping[str, int],
) -> Load:
    """Counts put together, environments in the order of their names."""
    names = sorted({name for name, _ in (*verdicts, *failures)})
    environments = []
    for name in names:
        sorted_s = sorted(latencies_s.get(name, ()))
        environments.append(
            EnvironmentLoad(
                environment=name,
                judged_count=len(sorted_s),
                per_second=len(sorted_s) / duration_s,
                median_s=quantile(sorted_s, 0.5),
                p95_s=quantile(sorted_s, 0.95),
                longest_s=quantile(sorted_s, 1.0),
                verdicts=_of(name, verdicts),
                failures=_of(name, failures),
            )
        )
    return Load(duration_s, tuple(environments), dict(sorted(pauses.items())))


def quantile(sorted_values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least that share of all does not exceed (nearest rank); None of none."""
    if not sorted_values:
        return None
    return sorted_values[max(0, math.ceil(share * len(sorted_values)) - 1)]


def report(load: Load) -> str:
    """For a person."""
    header = ("environment", "judged", "a second", "p50", "p95", "longest", "verdicts", "no verdict")
    rows = [
        (
            found.environment,
            str(found.judged_count),
            f"{found.per_second:.2f}",
            _seconds(found.median_s),
            _seconds(found.p95_s),
            _seconds(found.longest_s),
            _counts(found.verdicts),
            _counts(found.failures),
        )
        for found in load.environments
    ]
    judged = sum(found.judged_count for found in load.environments)
    lines = [table(header, rows), f"\n{judged} judged in {load.duration_s:.1f} s"]
    if load.pauses:
        lines.append(f"came again later: {printable(_counts(load.pauses))}")
    return "\n".join(lines)


def _of(name: str, counts: Mapping[tuple[str, str], int]) -> Mapping[str, int]:
    return {kind: count for (environment, kind), count in sorted(counts.items()) if environment == name}


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "-"
