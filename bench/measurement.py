"""A measured number beside its goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NAME_WIDTH = 60


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

    @property
    def row(self) -> str:
        """For a person, below `HEADER`."""
        sign = ">=" if self.higher_is_better else "<="
        return (
            f"{self.name:<{NAME_WIDTH}} {_number(self.value, self.unit):>9} {sign} "
            f"{_number(self.goal, self.unit):>7}  {'OK' if self.reached else 'MISSED':<7} {self.detail}"
        ).rstrip()

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


HEADER = f"{'measurement':<{NAME_WIDTH}} {'value':>9} {'goal':>10}          computed from"


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that is not less than `percent` of them."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip() if value < 1000 else f"{value:.0f} {unit}".strip()
