"""What each end of a submission becomes, and what of it is told to whom.

Answers and endings are made up here, since a real worker does not give most of them on demand; those that it
gives are in tests/service/test_triton_cumsum.py.
"""

import itertools
import math
from types import SimpleNamespace
from typing import Any, cast

import pytest
import scorer_launcher
from scorer.v1 import triton_cumsum_pb2
from scorer_launcher import Termination

from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.environments.triton_cumsum import judgement
from scorer_service.environments.triton_cumsum.judgement import Circumstances, Measured, Phase
from scorer_service.environments.triton_cumsum.profiles import Measurement

HERE = Circumstances(device="cpu", compile_s=0.25, evaluator_details={"profile": "embedded"})
MEASUREMENT = Measurement(
    element_count=65_536, trial_count=20, calls_per_window=1, round_limit=3, spread_limit=0.15
)
HIDDEN_PHASES = [Phase.HIDDEN, Phase.MEASURE]
STEADY = [1_000_000 + k for k in range(20)]
WILD = [1_000_000 * (1 + k % 5) for k in range(20)]


def response(outcome: Outcome) -> triton_cumsum_pb2.ScoreTritonCumsumResponse:
    assert isinstance(outcome.response, triton_cumsum_pb2.ScoreTritonCumsumResponse)
    return outcome.response


def ending(termination: Termination, **members: Any) -> scorer_launcher.RunResult:
    """A double of a result, of which the launcher alone can make real ones."""
    defaults: dict[str, Any] = {"exit_code": None, "signal": None, "stdout": b"", "stderr": b""}
    defaults |= {"peak_memory_bytes": 4 << 30, "cpu_s": 1.5}
    return cast(
        scorer_launcher.RunResult, SimpleNamespace(termination=termination, **{**defaults, **members})
    )


@pytest.mark.parametrize(
    ("phase", "status", "message", "verdict", "words"),
    [
        (Phase.LOAD, "failed", "SyntaxError: invalid syntax", Verdict.BUILD_ERROR, "imported"),
        (
            Phase.PUBLIC,
            "failed",
            "Traceback ...\ntriton.compiler.errors.CompilationError: at 3:11:\n",
            Verdict.BUILD_ERROR,
            "does not compile",
        ),
        (
            Phase.PUBLIC,
            "failed",
            "Traceback ...\ntriton.runtime.errors.InterpreterError: NameError()",
            Verdict.BUILD_ERROR,
            "does not compile",
        ),
        (
            Phase.PUBLIC,
            "failed",
            "prefix_sum returned a tensor of dtype torch.int64, not torch.int32",
            Verdict.INCORRECT,
            "no int32 tensor",
        ),
        (Phase.PUBLIC, "failed", "Traceback ...\nIndexError: 3", Verdict.INCORRECT, "raised an error"),
        (Phase.PUBLIC, "wrong", "element 3 is 4, expected 5", Verdict.INCORRECT, "not right"),
    ],
)
def test_what_goes_wrong_in_public_is_told(
    phase: Phase, status: str, message: str, verdict: Verdict, words: str
) -> None:
    outcome = judgement.refused(phase, {"status": status, "message": message}, HERE)
    assert outcome.verdict is verdict
    assert words in outcome.summary
    assert response(outcome).diagnostics == message
    assert outcome.evaluator_details == {"profile": "embedded", "ended_in": phase.value}


@pytest.mark.parametrize("phase", HIDDEN_PHASES)
@pytest.mark.parametrize("status", ["failed", "wrong"])
def test_what_goes_wrong_on_hidden_inputs_is_incorrect_and_no_more(phase: Phase, status: str) -> None:
    told = judgement.refused(phase, {"status": status, "message": "LEAKED 17"}, HERE)
    plain = judgement.refused(Phase.HIDDEN, {"status": "wrong"}, HERE)
    assert (told.verdict, told.summary, told.response) == (Verdict.INCORRECT, plain.summary, plain.response)
    assert "LEAKED" not in repr(told)


ENDINGS = {
    "by itself with exit code 7": ending(Termination.EXITED, exit_code=7),
    "by signal 11": ending(Termination.SIGNALED, signal=11),
    "memory limit (it had 4096 MiB)": ending(Termination.MEMORY_LIMIT),
    "more than 1 MiB of output": ending(Termination.OUTPUT_LIMIT),
    "more than 64 processes": ending(Termination.PROCESS_LIMIT),
    "time limit": ending(Termination.WALL_TIME_LIMIT),
    "closed the channel": ending(Termination.STOPPED),
}


@pytest.mark.parametrize("words", ENDINGS)
def test_a_crash_in_public_names_the_limit_or_signal(words: str) -> None:
    outcome = judgement.ended(Phase.PUBLIC, ENDINGS[words], HERE)
    assert outcome.verdict is Verdict.LIMIT_OR_CRASH
    assert words in outcome.summary
    assert "public inputs" in outcome.summary
    assert "imported" in judgement.ended(Phase.LOAD, ENDINGS[words], HERE).summary


def test_standard_error_of_a_crash_in_public_is_shown_from_its_end() -> None:
    stderr = b"x" * 10_000 + b"Fatal Python error: \xff\n"
    outcome = judgement.ended(Phase.LOAD, ending(Termination.SIGNALED, signal=6, stderr=stderr), HERE)
    assert response(outcome).diagnostics.endswith("Fatal Python error: \\xff\n")
    assert len(response(outcome).diagnostics) < 5000


def test_all_crashes_and_limits_on_hidden_inputs_look_the_same_to_the_agent() -> None:
    outcomes = [
        *(
            judgement.ended(phase, result, HERE)
            for phase, result in itertools.product(HIDDEN_PHASES, ENDINGS.values())
        ),
        *(
            judgement.ended(phase, ending(Termination.EXITED, exit_code=77, stderr=b"LEAKED"), HERE)
            for phase in HIDDEN_PHASES
        ),
        *(judgement.overtime(phase, 120, HERE) for phase in HIDDEN_PHASES),
    ]
    assert {outcome.verdict for outcome in outcomes} == {Verdict.LIMIT_OR_CRASH}
    assert len({outcome.summary for outcome in outcomes}) == 1
    assert len({outcome.response.SerializeToString() for outcome in outcomes}) == 1
    assert "signal 11" in outcomes[1].evaluator_details["ending"], "the evaluator sees which it was"


def test_overtime_in_public_names_the_limit() -> None:
    outcome = judgement.overtime(Phase.LOAD, 60, HERE)
    assert outcome.verdict is Verdict.LIMIT_OR_CRASH
    assert outcome.summary == "It took longer than 60 s while it was imported."


def test_a_steady_kernel_is_scored_by_the_logarithm_of_its_median() -> None:
    outcome = judgement.timed(Measured([STEADY], 65_500, 500.0), MEASUREMENT, HERE)
    assert outcome.verdict is Verdict.SCORED
    assert outcome.raw_score == pytest.approx(math.log(1.0000095))
    timing = response(outcome).timing
    assert timing.median_ms == pytest.approx(1.0000095)
    assert timing.lower_ms <= timing.median_ms <= timing.upper_ms
    assert (timing.trial_count, timing.element_count) == (20, 65_500)
    assert response(outcome).compile_time.ToMilliseconds() == 250
    assert response(outcome).device == "cpu"
    assert outcome.evaluator_details["samples_ns"] == [STEADY], "every sample"


def test_the_note_is_part_of_the_summary() -> None:
    outcome = judgement.timed(Measured([STEADY], 65_500, 500.0), MEASUREMENT, HERE, "Scores are raw only.")
    assert outcome.summary.endswith("Scores are raw only.")


def test_one_sample_under_the_floor_is_implausible_whatever_the_median_is() -> None:
    outcome = judgement.timed(Measured([[*STEADY, 4_999]], 65_500, 5_000.0), MEASUREMENT, HERE)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.IMPLAUSIBLE, None)
    assert "0.004999 ms" in outcome.summary
    assert not response(outcome).HasField("timing")


def test_an_unsteady_kernel_has_a_timing_and_no_score() -> None:
    outcome = judgement.timed(Measured([WILD] * 3, 65_500, 500.0), MEASUREMENT, HERE)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.UNSTABLE, None)
    assert "3 rounds of 20 trials" in outcome.summary
    assert "15% is allowed" in outcome.summary
    assert response(outcome).timing.trial_count == 60, "all rounds count together"


def test_rounds_are_added_until_the_median_is_known_or_there_were_enough() -> None:
    def needed(*rounds: list[int]) -> bool:
        return judgement.needs_another_round(Measured(rounds, 65_500, 500.0), MEASUREMENT)

    assert not needed(STEADY)
    assert needed(WILD)
    assert needed(WILD, WILD)
    assert not needed(WILD, WILD, WILD)
    assert not needed([*WILD, 499]), "what is too fast stays too fast"
    # Two steady rounds outweigh a wild one; the wild one still counts.
    assert not needed(WILD, STEADY, STEADY)


def test_long_texts_lose_their_middle_and_stay_within_the_contract() -> None:
    text = "first line\n" + "é" * 20_000 + "\nlast line"
    outcome = judgement.refused(Phase.LOAD, {"status": "failed", "message": text}, HERE)
    told = response(outcome).diagnostics
    assert len(told.encode()) <= judgement.DIAGNOSTICS_LIMIT_BYTES
    assert told.startswith("first line\n")
    assert told.endswith("\nlast line")
    assert "\n[...]\n" in told


def test_text_that_is_no_unicode_can_be_told() -> None:
    outcome = judgement.refused(Phase.LOAD, {"status": "failed", "message": "\ud800 and \0"}, HERE)
    assert "\\ud800" in response(outcome).diagnostics
