"""From script, export and worker to a verdict."""

from typing import Any

import pytest
from scorer_launcher import Termination

from scorer_service.environments.interface import Verdict
from scorer_service.environments.restricted_mlm import judgement, profiles
from scorer_service.environments.restricted_mlm.judgement import Circumstances
from scorer_service.environments.restricted_mlm.profiles import ARCHIVE_FILE, EMBEDDED, WEIGHTS_FILE
from scorer_service.worker.script_run import TAIL_LIMIT_BYTES, ScriptResult

CIRCUMSTANCES = Circumstances(diagnostics="what it printed", training_s=12.5, evaluator_details={"a": 1})


def run(termination: Termination = Termination.EXITED, **changes: Any) -> ScriptResult:
    facts: dict[str, Any] = {
        "exit_code": 0,
        "signal": None,
        "output_tail": "",
        "files": {WEIGHTS_FILE: b"weights", ARCHIVE_FILE: b"archive"},
        "refused_files": {},
        "wall_s": 12.5,
        "cpu_s": 20.0,
        "peak_memory_bytes": 100 << 20,
    }
    return ScriptResult(termination=termination, **(facts | changes))


def answer(mean_nats: float = 4.0, **changes: Any) -> dict[str, Any]:
    return {
        "status": "ok",
        "mean_nats": mean_nats,
        "standard_error_nats": 0.01,
        "token_count": 1000,
        "judging_s": 2.0,
        "device_states": [{}, {}],
    } | changes


def test_what_ends_well_and_leaves_its_file_goes_on() -> None:
    assert judgement.of_script(run(), CIRCUMSTANCES, EMBEDDED) is None
    assert judgement.of_export(run(), CIRCUMSTANCES) is None


def test_what_a_script_had_saved_when_its_time_was_up_is_judged_where_the_profile_says_so() -> None:
    late = run(Termination.WALL_TIME_LIMIT, exit_code=None)
    assert judgement.of_script(late, CIRCUMSTANCES, EMBEDDED) is None
    strict = profiles.Profile(**{**vars(EMBEDDED), "judges_after_budget": False})
    outcome = judgement.of_script(late, CIRCUMSTANCES, strict)
    assert outcome is not None
    assert outcome.verdict is Verdict.LIMIT_OR_CRASH
    assert "time budget" in outcome.summary


@pytest.mark.parametrize(
    ("result", "verdict", "words"),
    [
        (run(exit_code=1), Verdict.BUILD_ERROR, "exit code 1"),
        (run(files={}), Verdict.BUILD_ERROR, f"left no file {WEIGHTS_FILE}"),
        (run(files={}, refused_files={WEIGHTS_FILE: "a symlink"}), Verdict.RULE_BROKEN, "a symlink"),
        (run(Termination.SIGNALED, exit_code=None, signal=9), Verdict.LIMIT_OR_CRASH, "signal 9"),
        (run(Termination.MEMORY_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "100 MiB"),
        (
            run(Termination.WALL_TIME_LIMIT, exit_code=None, files={}),
            Verdict.LIMIT_OR_CRASH,
            "had saved no",
        ),
    ],
)
def test_a_script_without_weights_has_a_verdict_and_its_messages(
    result: ScriptResult, verdict: Verdict, words: str
) -> None:
    outcome = judgement.of_script(result, CIRCUMSTANCES, EMBEDDED)
    assert outcome is not None
    assert (outcome.verdict, outcome.raw_score) == (verdict, None)
    assert words in outcome.summary
    response: Any = outcome.response
    assert response.diagnostics == "what it printed"
    assert response.training_time.ToTimedelta().total_seconds() == 12.5


@pytest.mark.parametrize(
    ("result", "verdict", "words"),
    [
        (run(exit_code=1), Verdict.BUILD_ERROR, "model.py cannot be exported with its weights"),
        (run(exit_code=0, files={}), Verdict.BUILD_ERROR, "before there was a model"),
        (run(files={}, refused_files={ARCHIVE_FILE: "too large"}), Verdict.RULE_BROKEN, "too large"),
        (run(Termination.WALL_TIME_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "time budget"),
        (run(Termination.MEMORY_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "100 MiB"),
    ],
)
def test_an_export_without_a_model_has_a_verdict(result: ScriptResult, verdict: Verdict, words: str) -> None:
    """Also where it left an archive: what was saved in time is judged of training alone."""
    outcome = judgement.of_export(result, CIRCUMSTANCES)
    assert outcome is not None
    assert (outcome.verdict, outcome.raw_score) == (verdict, None)
    assert words in outcome.summary


def test_a_loss_is_a_score_with_its_standard_error() -> None:
    outcome = judgement.judged(answer(), Circumstances(note="As told."), EMBEDDED)
    assert outcome.verdict is Verdict.SCORED
    assert outcome.raw_score == pytest.approx(0.9163, abs=1e-4)
    response: Any = outcome.response
    assert (response.loss.mean_nats, response.loss.standard_error_nats) == (4.0, 0.01)
    assert response.loss.token_count == 1000
    assert response.judging_time.ToTimedelta().total_seconds() == 2.0
    assert outcome.summary.endswith("As told.")


@pytest.mark.parametrize("mean_nats", [1.5, 1.49, 0.0, 1.599])
def test_a_loss_below_the_floor_is_no_record(mean_nats: float) -> None:
    outcome = judgement.judged(answer(mean_nats), CIRCUMSTANCES, EMBEDDED)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.IMPLAUSIBLE, None)
    response: Any = outcome.response
    assert not response.HasField("loss")
    assert outcome.evaluator_details["mean_nats"] == mean_nats


def test_a_loss_without_a_logarithm_is_no_score_whatever_the_floor() -> None:
    low = profiles.Profile(**{**vars(EMBEDDED), "floor_nats": 0.0})
    assert judgement.judged(answer(1.5), CIRCUMSTANCES, low).verdict is Verdict.IMPLAUSIBLE


def test_refused_operators_are_all_told() -> None:
    operators = [["aten.div.Tensor", "model.py", 7, "divides"], ["weight 'a'", "", 0, "not finite"]]
    outcome = judgement.judged({"status": "refused", "operators": operators}, CIRCUMSTANCES, EMBEDDED)
    assert outcome.verdict is Verdict.RULE_BROKEN
    response: Any = outcome.response
    told = [[part.operator, part.file, part.line, part.reason] for part in response.refused_operators]
    assert told == operators
    assert outcome.summary == "Refused: aten.div.Tensor in model.py line 7 (divides), and 1 more."


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({"status": "malformed", "message": "no archive"}, Verdict.RULE_BROKEN),
        ({"status": "inconsistent", "message": "depends on its neighbours"}, Verdict.RULE_BROKEN),
        ({"status": "failed", "message": "out of range"}, Verdict.INCORRECT),
        ({"status": "not_finite"}, Verdict.INCORRECT),
        ({"status": "too_long"}, Verdict.LIMIT_OR_CRASH),
    ],
)
def test_what_cannot_be_scored_has_a_verdict_and_its_reason(found: dict[str, Any], verdict: Verdict) -> None:
    outcome = judgement.judged(found, CIRCUMSTANCES, EMBEDDED)
    assert (outcome.verdict, outcome.raw_score) == (verdict, None)
    assert found.get("message", "") in outcome.summary


def test_an_answer_of_another_kind_is_a_failure() -> None:
    with pytest.raises(ValueError, match="stopped"):
        judgement.judged({"status": "stopped"}, CIRCUMSTANCES, EMBEDDED)


def test_what_several_programs_printed_is_told_in_order_and_bounded() -> None:
    assert judgement.joined("trained", "", "exported\n") == "trained\nexported\n"
    long = judgement.joined("a" * TAIL_LIMIT_BYTES, "é" * 10)
    assert long.endswith("éé\n")
    assert len(long.encode()) <= TAIL_LIMIT_BYTES
