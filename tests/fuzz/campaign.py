"""Gives a surface one input after the other, and counts what came of them.

Whatever is drawn for input number n comes from a generator that is seeded by both, so that it is the same
every time; of surfaces that change what they kept of earlier inputs (guided.py), after the same inputs.
"""

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

FAILURES_LISTED = 20


class Fault(AssertionError):
    """A surface did with an input what it must not do."""


class Surface(Protocol):
    """What reads inputs from outside."""

    name: str
    growth_limit_bytes: int
    """By which the memory may grow after the first tenth of a campaign, however long it is."""

    def attempt(self, chance: random.Random) -> str:
        """Draw an input, give it to the surface, and return in a word what came of it.

        Raises Fault for what must never come of any input.
        """

    def resident_bytes(self) -> int:
        """Memory of the process that reads the inputs."""

    def close(self) -> None:
        """End what was started. Raises Fault where the surface did not stay well."""


@dataclass
class Report:
    """What a campaign has found."""

    surface: str
    seed: int
    growth_limit_bytes: int
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    """The first ones, each with the number of its input."""
    resident_bytes_at_first: int = 0
    """After the first tenth: imports, caches and pools have filled by then."""
    resident_bytes_at_last: int = 0

    @property
    def growth_bytes(self) -> int:
        """By how much the memory grew after the first tenth."""
        return self.resident_bytes_at_last - self.resident_bytes_at_first

    @property
    def is_well(self) -> bool:
        """Whether nothing was found."""
        return not self.failures and self.growth_bytes <= self.growth_limit_bytes

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.most_common(8))
        memory = (
            f"memory {self.resident_bytes_at_last / (1 << 20):.0f} MiB, {self.growth_bytes / (1 << 20):+.1f} "
            f"since the first tenth (at most {self.growth_limit_bytes >> 20})"
        )
        told = f"{self.tried} inputs (seed {self.seed}), {len(self.failures)} failures; {memory}; {outcomes}"
        lines = [f"{self.surface}: {told}", *self.failures]
        return "\n  ".join(lines)


def run(
    surface: Surface, seed: int, *, count: int | None = None, limit_s: float | None = None, first: int = 0
) -> Report:
    """Try `count` inputs, or as many as fit into the time, from number `first` on. Closes the surface."""
    report = Report(surface.name, seed, surface.growth_limit_bytes)
    began_s = time.monotonic()
    while (count is None or report.tried < count) and (
        limit_s is None or time.monotonic() - began_s < limit_s
    ):
        number = first + report.tried
        try:
            report.outcomes[surface.attempt(random.Random(f"{seed}/{number}"))] += 1
        except Exception as error:
            report.outcomes["FAULT"] += 1
            if len(report.failures) < FAILURES_LISTED:
                report.failures.append(f"input {number}: {type(error).__name__}: {error}")
        report.tried += 1
        share = report.tried / count if count else (time.monotonic() - began_s) / (limit_s or 1.0)
        if share < 0.1 or not report.resident_bytes_at_first:
            report.resident_bytes_at_first = surface.resident_bytes()
    report.resident_bytes_at_last = surface.resident_bytes()
    try:
        surface.close()
    except Fault as error:
        report.failures.append(f"at the end: {error}")
    return report
