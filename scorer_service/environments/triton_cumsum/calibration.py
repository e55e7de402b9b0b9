"""Measures the anchors of a device on the very way that submissions take."""

import contextlib
import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import scorer_service
from scorer_service.calibration.store import Calibration, MeasuredScore
from scorer_service.environments import interface
from scorer_service.environments.triton_cumsum import scoring, timing
from scorer_service.worker.device_info import DeviceInfo

_NOTHING = Path(__file__).parent / "reference" / "nothing.py"
_TRIAL_FACTOR = 5
"""How many times the trials of a submission: every later score is compared with these."""
_BANDWIDTH_TRIES = 5


async def measure(
    submissions: scoring.Scoring, info: DeviceInfo, profile: str, starting: bytes, reference: bytes
) -> Calibration:
    """Bandwidth, overhead, and the scores of both solutions.

    Raises CalibrationRefused where they cannot serve as anchors, JudgingFailed.
    """
    bandwidths = [await submissions.measure_copy_bandwidth() for _ in range(_BANDWIDTH_TRIES)]
    overhead_ns = await submissions.overhead_ns(_NOTHING.read_bytes())
    longer = submissions.with_trials(_TRIAL_FACTOR * submissions.measurement.trial_count)
    starting_score, element_count = await _score(longer, "starting", starting)
    reference_score, _ = await _score(longer, "reference", reference)
    if reference_score.upper_raw >= starting_score.lower_raw:
        raise interface.CalibrationRefused(
            f"the reference solution ({_in_words(reference_score)}) is not clearly faster than the starting"
            f" solution ({_in_words(starting_score)}) on {info.name}, so they cannot serve as anchors;"
            " nothing was stored. Calibrate again while the machine is idle"
        )
    return Calibration(
        environment="triton_cumsum",
        profile=profile,
        device=info.name,
        fingerprint=info.fingerprint,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        starting=starting_score,
        reference=reference_score,
        quantities={
            "copy_bytes_per_s": max(bandwidths),
            "overhead_us": statistics.median(overhead_ns) / 1e3,
            "element_count": element_count,
        },
        versions={
            "scorer": scorer_service.__version__,
            "torch": info.torch_version,
            "triton": info.triton_version,
        },
    )


async def _score(submissions: scoring.Scoring, name: str, source: bytes) -> tuple[MeasuredScore, int]:
    async with contextlib.AsyncExitStack() as exit_stack:
        built = await submissions.build(source, exit_stack, {})
        outcome = built if isinstance(built, interface.Outcome) else await submissions.measure(built)
    if outcome.raw_score is None:
        why = f"{outcome.verdict.value}: {outcome.summary}"
        raise interface.CalibrationRefused(f"nothing was stored: the {name} solution has no score ({why})")
    details = outcome.evaluator_details
    score = MeasuredScore(outcome.raw_score, math.log(details["lower_ms"]), math.log(details["upper_ms"]))
    return score, details["element_count"]


def table(found: Calibration, path: Path) -> interface.CalibrationTable:
    """What a person is shown, and a program is given."""
    floor_ms = (
        timing.floor_ns(int(found.quantities["element_count"]), found.quantities["copy_bytes_per_s"]) / 1e6
    )
    rows: Sequence[tuple[str, str]] = (
        ("device", found.device),
        ("fingerprint", found.fingerprint),
        ("starting solution", f"{_in_words(found.starting)} -> 0"),
        ("reference solution", f"{_in_words(found.reference)} -> 1"),
        ("copy bandwidth", f"{found.quantities['copy_bytes_per_s'] / 1e9:.4g} GB/s"),
        ("floor of a call", f"{floor_ms:.4g} ms for {found.quantities['element_count']:,.0f} elements"),
        ("protocol overhead", f"{found.quantities['overhead_us']:.4g} us, in every time above"),
    )
    values: Mapping[str, Any] = {**dataclasses.asdict(found), "floor_ms": floor_ms}
    return interface.CalibrationTable(rows=rows, values=values, path=path)


def _in_words(score: MeasuredScore) -> str:
    low, middle, high = (math.exp(raw) for raw in (score.lower_raw, score.raw, score.upper_raw))
    return f"{middle:.4g} ms ({low:.4g} to {high:.4g}), raw {score.raw:.4f}"
