"""What the worker measured of a model, as verdict, summary and details."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scorer.v1 import restricted_mlm_pb2

from scorer_service.environments.interface import Verdict
from scorer_service.evaluation.estimate import LossEstimate

_LOSS_DIGITS = 5
_ERROR_DIGITS = 3
"""Significant ones, of what is told and scored. They go beyond the standard error. More would say something
of the hidden text itself: weights can be made so that a mean in float64 spells out how often three tokens
occur."""


@dataclass(frozen=True)
class JudgedLoss:
    """A loss that was measured."""

    verdict: Verdict
    """SCORED, or IMPLAUSIBLE for what is below the floor."""
    found: LossEstimate
    judging_s: float
    details: Mapping[str, Any]
    """For the evaluator."""

    @property
    def raw_score(self) -> float | None:
        """None where it is no score."""
        return self.found.raw_score if self.verdict is Verdict.SCORED else None

    def summary(self, of: str) -> str:
        """For a score; `of` is what a loss is the mean of, as in "token"."""
        return (
            f"{self.found.mean_nats:.4f} nats a {of} (standard error {self.found.standard_error_nats:.4f}) on"
            f" {self.found.token_count:,} hidden tokens."
        )

    def message(self) -> restricted_mlm_pb2.LossEstimate | None:
        """For a response; None where it is no score."""
        if self.verdict is not Verdict.SCORED:
            return None
        return restricted_mlm_pb2.LossEstimate(
            mean_nats=self.found.mean_nats,
            standard_error_nats=self.found.standard_error_nats,
            token_count=self.found.token_count,
        )


def read(answer: Mapping[str, Any], floor_nats: float) -> JudgedLoss:
    """From an answer "ok", rounded. Raises KeyError, TypeError, ValueError for one of another kind."""
    found = LossEstimate(
        _rounded(answer["mean_nats"], _LOSS_DIGITS),
        _rounded(answer["standard_error_nats"], _ERROR_DIGITS),
        answer["token_count"],
    )
    details = {
        "mean_nats": found.mean_nats,
        "standard_error_nats": found.standard_error_nats,
        "token_count": found.token_count,
        "device_states": answer["device_states"],
    }
    believed = found.mean_nats >= floor_nats and math.isfinite(found.raw_score)
    verdict = Verdict.SCORED if believed else Verdict.IMPLAUSIBLE
    return JudgedLoss(verdict, found, float(answer["judging_s"]), details)


def _rounded(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")
