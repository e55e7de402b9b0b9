"""A measured number beside its goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """One line of the table."""

    name: str
    value: float
    goal: float
    higher_is_better: bool = False
    unit: str = ""
    """Empty for ratios."""
    detail: str = ""
    """What the value was computed from."""

    @property
    def reached(self) -> bool:
        """Whether the goal was reached."""
        return self.value >= self.goal if self.higher_is_better else self.value <= self.goal

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "name": self.name,
            "value": self.value,
            "goal": self.goal,
            "higher_is_better": self.higher_is_better,
            "unit": self.unit,
            "reached": self.reached,
            "detail": self.detail,
        }


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that is not less than `percent` of them."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def table(measurements: Sequence[Measurement]) -> str:
    """For a person."""
    lines = [f"{'measurement':<58} {'value':>10} {'goal':>10}         computed from"]
    for one in measurements:
        sign = ">=" if one.higher_is_better else "<="
        mark = "reached" if one.reached else "MISSED"
        lines.append(
            f"{one.name:<58} {_number(one.value, one.unit):>10} {sign} {_number(one.goal, one.unit):>7} "
            f"{mark:<8} {one.detail}"
        )
    return "\n".join(lines)


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip() if value < 1000 else f"{value:.0f} {unit}".strip()
