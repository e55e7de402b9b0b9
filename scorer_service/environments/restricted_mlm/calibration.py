"""Measures the anchors: the losses of the starting and of the reference solution."""

import contextlib
import dataclasses
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import scorer_service
from scorer_service.calibration.store import Calibration, MeasuredScore
from scorer_service.environments import interface
from scorer_service.environments.restricted_mlm import scoring
from scorer_service.environments.restricted_mlm.profiles import Solution
from scorer_service.evaluation.estimate import RAW_OFFSET_NATS, LossEstimate
from scorer_service.worker.device_info import DeviceInfo


async def measure(
    submissions: scoring.Scoring,
    info: DeviceInfo,
    profile: str,
    fingerprint: str,
    starting: Solution,
    reference: Solution,
) -> Calibration:
    """The scores of both solutions.

    Raises CalibrationRefused where they cannot serve as anchors, JudgingFailed.
    """
    starting_score, starting_loss = await _score(submissions, "starting", starting)
    reference_score, reference_loss = await _score(submissions, "reference", reference)
    if reference_score.upper_raw >= starting_score.lower_raw:
        raise interface.CalibrationRefused(
            f"the reference solution ({_in_words(reference_score)}) is not clearly better than the starting"
            f" one ({_in_words(starting_score)}), so they cannot serve as anchors; nothing was stored."
            " The files of the models are not those that ship with the service: install it again"
        )
    return Calibration(
        environment="restricted_mlm",
        profile=profile,
        device=info.name,
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
        versions={"scorer": scorer_service.__version__, "torch": info.torch_version},
    )


async def _score(
    submissions: scoring.Scoring, name: str, solution: Solution
) -> tuple[MeasuredScore, LossEstimate]:
    async with contextlib.AsyncExitStack() as exit_stack:
        outcome = await submissions.judge(await submissions.export_solution(solution, exit_stack))
    if outcome.raw_score is None:
        raise interface.CalibrationRefused(
            f"the {name} solution has no score ({outcome.verdict.value}: {outcome.summary}); nothing was"
            " stored"
        )
    details = outcome.evaluator_details
    found = LossEstimate(details["mean_nats"], details["standard_error_nats"], details["token_count"])
    return MeasuredScore(found.raw_score, *found.raw_interval()), found


def table(found: Calibration, path: Path) -> interface.CalibrationTable:
    """What a person is shown, and a program is given."""
    quantities = found.quantities
    rows: Sequence[tuple[str, str]] = (
        ("device", found.device),
        ("fingerprint", found.fingerprint),
        ("starting solution", f"{_in_words(found.starting)} -> 0"),
        ("reference solution", f"{_in_words(found.reference)} -> 1"),
        ("standard error", f"{quantities['reference_standard_error_nats']:.4f} nats"),
        ("hidden tokens", f"{quantities['token_count']:,.0f}"),
    )
    values: Mapping[str, Any] = dataclasses.asdict(found)
    return interface.CalibrationTable(rows=rows, values=values, path=path)


def _in_words(score: MeasuredScore) -> str:
    return f"{math.exp(score.raw) + RAW_OFFSET_NATS:.4f} nats a masked token, raw {score.raw:.4f}"
