"""From what the worker and the sandbox say of a submission to its outcome, and to what of it may be told."""

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import scorer_launcher
from scorer.v1 import triton_cumsum_pb2

from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.environments.triton_cumsum import profiles, timing

DIAGNOSTICS_LIMIT_BYTES = 16 << 10
"""As the contract has it."""
_STDERR_SHOWN_BYTES = 4 << 10
# Errors of the compiler, and of the interpreter, which stands for it where there is no GPU. The text is
# the submission's own: it chooses between two verdicts without a score, and nothing else.
_COMPILE_ERROR = re.compile(r"^triton\.(compiler|runtime)\.errors\.\w+", re.MULTILINE)
_Termination = scorer_launcher.Termination


class Phase(enum.Enum):
    """Where a submission is on its way; the values are the worker's operations."""

    LOAD = "load"
    PUBLIC = "check_public"
    HIDDEN = "check_hidden"
    MEASURE = "measure"

    @property
    def is_public(self) -> bool:
        """Whether no hidden data was in play yet, so that everything may be told."""
        return self in (Phase.LOAD, Phase.PUBLIC)


_DOING = {Phase.LOAD: "while it was imported", Phase.PUBLIC: "on the public inputs"}
_CRASHED_ON_HIDDEN = "It crashed or passed a limit on hidden inputs."
_WRONG_ON_HIDDEN = "An output for a hidden input was not right."


@dataclass(frozen=True)
class Circumstances:
    """What an outcome is told beside the verdict."""

    device: str
    compile_s: float | None = None
    """Time of the first call, if it came to one."""
    evaluator_details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What was timed. Nothing in it came from the submission but how long it took."""

    samples_ns: Sequence[Sequence[int]]
    """Per call, by round."""
    element_count: int
    floor_ns: float
    """Per call."""


def refused(phase: Phase, answer: Mapping[str, Any], circumstances: Circumstances) -> Outcome:
    """The submission itself said that it cannot go on ("failed"), or an output is wrong ("wrong")."""
    if not phase.is_public:
        return _outcome(Verdict.INCORRECT, _WRONG_ON_HIDDEN, circumstances, phase=phase)
    message = str(answer.get("message", ""))
    if answer["status"] == "wrong":
        summary = "An output for a public input is not right."
        return _outcome(Verdict.INCORRECT, summary, circumstances, phase=phase, diagnostics=message)
    if phase is Phase.LOAD:
        summary, verdict = "It could not be imported, or has no function prefix_sum.", Verdict.BUILD_ERROR
    elif _COMPILE_ERROR.search(message):
        summary, verdict = "A Triton kernel of it does not compile.", Verdict.BUILD_ERROR
    elif message.startswith("prefix_sum returned "):
        summary, verdict = "It returned no int32 tensor like its input.", Verdict.INCORRECT
    else:
        summary, verdict = "It raised an error on a public input.", Verdict.INCORRECT
    return _outcome(verdict, summary, circumstances, phase=phase, diagnostics=message)


def ended(phase: Phase, result: scorer_launcher.RunResult, circumstances: Circumstances) -> Outcome:
    """Its processes are gone, by their own doing or over a limit."""
    facts = {"ending": _ending(result), "peak_memory_bytes": result.peak_memory_bytes, "cpu_s": result.cpu_s}
    if not phase.is_public:
        return _outcome(Verdict.LIMIT_OR_CRASH, _CRASHED_ON_HIDDEN, circumstances, phase=phase, more=facts)
    summary = f"{_ending(result)} {_DOING[phase]}."
    stderr = result.stderr[-_STDERR_SHOWN_BYTES:].decode(errors="backslashreplace")
    diagnostics = f"standard error ends with:\n{stderr}" if stderr.strip() else ""
    return _outcome(
        Verdict.LIMIT_OR_CRASH, summary, circumstances, phase=phase, diagnostics=diagnostics, more=facts
    )


def overtime(phase: Phase, limit_s: float, circumstances: Circumstances) -> Outcome:
    """It did not answer within the phase's limit."""
    facts = {"ending": f"it took longer than {limit_s:g} s"}
    if not phase.is_public:
        return _outcome(Verdict.LIMIT_OR_CRASH, _CRASHED_ON_HIDDEN, circumstances, phase=phase, more=facts)
    summary = f"It took longer than {limit_s:g} s {_DOING[phase]}."
    return _outcome(Verdict.LIMIT_OR_CRASH, summary, circumstances, phase=phase, more=facts)


def was_running(result: scorer_launcher.RunResult) -> bool:
    """Whether the program ran until the service ended it."""
    return result.termination is _Termination.STOPPED


def _ending(result: scorer_launcher.RunResult) -> str:
    match result.termination:
        case _Termination.MEMORY_LIMIT:
            return f"It passed the memory limit (it had {result.peak_memory_bytes >> 20} MiB)"
        case _Termination.OUTPUT_LIMIT:
            return f"It wrote more than {profiles.OUTPUT_LIMIT_BYTES >> 20} MiB of output"
        case _Termination.PROCESS_LIMIT:
            return f"It started more than {profiles.PROCESS_LIMIT} processes or threads"
        case _Termination.CPU_TIME_LIMIT | _Termination.WALL_TIME_LIMIT:
            return "It passed the time limit"
        case _Termination.SIGNALED:
            return f"It ended by signal {result.signal}"
        case _Termination.EXITED:
            return f"It ended by itself with exit code {result.exit_code}"
        case _:  # stopped by the service, when it was not to be reached any more
            return "It closed the channel by which it is called"


def needs_another_round(measured: Measured, measurement: profiles.Measurement) -> bool:
    """Whether the median is not known well enough, and another round may be run."""
    pooled = [sample for samples in measured.samples_ns for sample in samples]
    if timing.too_fast(pooled, measured.floor_ns) or len(measured.samples_ns) >= measurement.round_limit:
        return False
    return timing.distribution(pooled).spread > measurement.spread_limit


def timed(
    measured: Measured, measurement: profiles.Measurement, circumstances: Circumstances, note: str = ""
) -> Outcome:
    """Every output of every timed call was right; `note` is added to the summary of a score.

    All rounds count together, so that no round can be the lucky one.
    """
    pooled = [sample for samples in measured.samples_ns for sample in samples]
    details = {
        "samples_ns": [list(samples) for samples in measured.samples_ns],
        "element_count": measured.element_count,
        "floor_ns": measured.floor_ns,
    }
    fast = timing.too_fast(pooled, measured.floor_ns)
    if fast:
        summary = (
            f"A call took {min(fast) / 1e6:.4g} ms, less than the {measured.floor_ns / 1e6:.4g} ms that the"
            " device needs to read the input and write the output."
        )
        return _outcome(Verdict.IMPLAUSIBLE, summary, circumstances, phase=Phase.MEASURE, more=details)
    found = timing.distribution(pooled)
    more = {**details, "median_ms": found.median_ms, "lower_ms": found.lower_ms, "upper_ms": found.upper_ms}
    if found.spread > measurement.spread_limit:
        rounds = len(measured.samples_ns)
        summary = (
            f"Too unsteady to be ranked: the confidence interval of the median is {found.spread:.1%} of it"
            f" wide after {rounds} {'rounds' if rounds > 1 else 'round'} of {measurement.trial_count} trials,"
            f" and {measurement.spread_limit:.0%} is allowed; its times vary, or the device was busy."
        )
        return _outcome(
            Verdict.UNSTABLE,
            summary,
            circumstances,
            phase=Phase.MEASURE,
            measured=(found, measured.element_count),
            more=more,
        )
    summary = (
        f"{found.median_ms:.4g} ms, the median of {found.trial_count} calls (95 % confidence interval"
        f" {found.lower_ms:.4g} to {found.upper_ms:.4g} ms).{' ' if note else ''}{note}"
    )
    return _outcome(
        Verdict.SCORED,
        summary,
        circumstances,
        phase=Phase.MEASURE,
        raw_score=found.raw_score,
        measured=(found, measured.element_count),
        more=more,
    )


def _outcome(
    verdict: Verdict,
    summary: str,
    circumstances: Circumstances,
    *,
    phase: Phase,
    raw_score: float | None = None,
    diagnostics: str = "",
    measured: tuple[timing.Distribution, int] | None = None,
    more: Mapping[str, Any] | None = None,
) -> Outcome:
    response = triton_cumsum_pb2.ScoreTritonCumsumResponse(
        diagnostics=clipped(diagnostics, DIAGNOSTICS_LIMIT_BYTES), device=circumstances.device
    )
    if circumstances.compile_s is not None:
        response.compile_time.FromMicroseconds(round(circumstances.compile_s * 1e6))
    if measured is not None:
        found, element_count = measured
        response.timing.CopyFrom(
            triton_cumsum_pb2.KernelTiming(
                median_ms=found.median_ms,
                lower_ms=found.lower_ms,
                upper_ms=found.upper_ms,
                trial_count=found.trial_count,
                element_count=element_count,
            )
        )
    return Outcome(
        verdict=verdict,
        raw_score=raw_score,
        summary=summary,
        response=response,
        evaluator_details={**circumstances.evaluator_details, "ended_in": phase.value, **(more or {})},
    )


def clipped(text: str, limit_bytes: int) -> str:
    """The text, with its middle left out where it is longer: a traceback tells most at its ends."""
    content = text.encode(errors="backslashreplace")
    if len(content) <= limit_bytes:
        return content.decode()
    mark = b"\n[...]\n"
    half = (limit_bytes - len(mark)) // 2
    kept = content[:half] + mark + content[-half:]
    # A character that was cut in two is left out.
    return kept.decode(errors="ignore")
