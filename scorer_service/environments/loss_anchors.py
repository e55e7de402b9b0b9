"""The anchors of an environment whose raw score is a loss: measured, and put into words."""

import dataclasses
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import scorer_service
from scorer_service.calibration.store import Calibration, MeasuredScore
from scorer_service.environments import interface
from scorer_service.evaluation.estimate import RAW_OFFSET_NATS, LossEstimate
from scorer_service.worker.device_info import DeviceInfo


@dataclass(frozen=True)
class Candidate:
    """A model of the service's own that is to be an anchor."""

    name: str
    """As in "starting solution"."""
    judge: Callable[[], Awaitable[interface.Outcome]]


async def measure(
    environment: str,
    profile: str,
    fingerprint: str,
    device: DeviceInfo,
    starting: Candidate,
    reference: Candidate,
) -> Calibration:
    """The scores of both.

    Raises CalibrationRefused where they cannot serve as anchors, JudgingFailed.
    """
    starting_score, starting_loss = await _score(starting)
    reference_score, reference_loss = await _score(reference)
    if reference_score.upper_raw >= starting_score.lower_raw:
        raise interface.CalibrationRefused(
            f"the {reference.name} ({_in_words(reference_score)}) is not clearly better than the"
            f" {starting.name} ({_in_words(starting_score)}), so they cannot serve as anchors; nothing was"
            " stored. The models do not fit the hidden text: install the service again, or take another"
            " hidden text"
        )
    return Calibration(
        environment=environment,
        profile=profile,
        device=device.name,
        fingerprint=fingerprint,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        starting=starting_score,
        reference=reference_score,
        quantities={
            "starting_loss_nats": starting_loss.mean_nats,
            "reference_loss_nats": reference_loss.mean_nats,
            "reference_standard_error_nats": reference_loss.standard_error_nats,
            "token_count": reference_loss.token_count,
        },
        versions={"scorer": scorer_service.__version__, "torch": device.torch_version},
    )


async def _score(candidate: Candidate) -> tuple[MeasuredScore, LossEstimate]:
    outcome = await candidate.judge()
    if outcome.raw_score is None:
        raise interface.CalibrationRefused(
            f"the {candidate.name} has no score ({outcome.verdict.value}: {outcome.summary}); nothing was"
            " stored"
        )
    details = outcome.evaluator_details
    found = LossEstimate(details["mean_nats"], details["standard_error_nats"], details["token_count"])
    return MeasuredScore(found.raw_score, *found.raw_interval()), found


def table(
    found: Calibration, starting: Candidate, reference: Candidate, path: Path
) -> interface.CalibrationTable:
    """What a person is shown, and a program is given."""
    quantities = found.quantities
    rows: Sequence[tuple[str, str]] = (
        ("device", found.device),
        ("fingerprint", found.fingerprint),
        (starting.name, f"{_in_words(found.starting)} -> 0"),
        (reference.name, f"{_in_words(found.reference)} -> 1"),
        ("standard error", f"{quantities['reference_standard_error_nats']:.4f} nats"),
        ("hidden tokens", f"{quantities['token_count']:,.0f}"),
    )
    values: Mapping[str, Any] = dataclasses.asdict(found)
    return interface.CalibrationTable(rows=rows, values=values, path=path)


def _in_words(score: MeasuredScore) -> str:
    return f"{_loss_nats(score.raw):.4f} nats, raw {score.raw:.4f}"


def for_agents(anchors: interface.Anchors | None, starting_name: str) -> str:
    """What a starter says of them."""
    if anchors is None:
        return "This server has not measured a reference solution, so scores are raw only."
    return (
        f"The {starting_name} has a loss of {_loss_nats(anchors.starting_raw):.3f} (normalised score 0), the"
        f" reference {_loss_nats(anchors.reference_raw):.3f} (normalised score 1); more than 1 is possible."
    )


def _loss_nats(raw: float) -> float:
    return math.exp(raw) + RAW_OFFSET_NATS
