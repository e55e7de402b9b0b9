"""From script and worker to a verdict."""

from typing import Any

import pytest
from scorer_launcher import Termination

from scorer_service.environments.fix_embedding import judgement, profiles
from scorer_service.environments.fix_embedding.judgement import Circumstances
from scorer_service.environments.fix_embedding.profiles import EMBEDDED, WEIGHTS_FILE
from scorer_service.environments.interface import Verdict
from scorer_service.evaluation.tensors_file import RefusedTensor, WeightsRefused
from scorer_service.worker.script_run import ScriptResult

CIRCUMSTANCES = Circumstances(diagnostics="what it printed", repair_s=12.5, evaluator_details={"a": 1})


def script(termination: Termination = Termination.EXITED, **changes: Any) -> ScriptResult:
    facts: dict[str, Any] = {
        "exit_code": 0,
        "signal": None,
        "output_tail": "",
        "files": {WEIGHTS_FILE: b"weights"},
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


def test_a_script_that_ends_well_with_weights_is_judged() -> None:
    assert judgement.of_script(script(), CIRCUMSTANCES, EMBEDDED) is None


def test_what_a_script_had_saved_when_its_time_was_up_is_judged_where_the_profile_says_so() -> None:
    late = script(Termination.WALL_TIME_LIMIT, exit_code=None)
    assert judgement.of_script(late, CIRCUMSTANCES, EMBEDDED) is None
    strict = profiles.Profile(**{**vars(EMBEDDED), "judges_after_budget": False})
    outcome = judgement.of_script(late, CIRCUMSTANCES, strict)
    assert outcome is not None
    assert outcome.verdict is Verdict.LIMIT_OR_CRASH
    assert "time budget" in outcome.summary


@pytest.mark.parametrize(
    ("result", "verdict", "words"),
    [
        (script(exit_code=1), Verdict.BUILD_ERROR, "exit code 1"),
        (script(files={}), Verdict.BUILD_ERROR, f"left no file {WEIGHTS_FILE}"),
        (
            script(files={}, refused_files={WEIGHTS_FILE: "it is a symlink"}),
            Verdict.RULE_BROKEN,
            "it is a symlink",
        ),
        (script(Termination.SIGNALED, exit_code=None, signal=9), Verdict.LIMIT_OR_CRASH, "signal 9"),
        (script(Termination.MEMORY_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "100 MiB"),
        (script(Termination.OUTPUT_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "too large"),
        (script(Termination.PROCESS_LIMIT, exit_code=None), Verdict.LIMIT_OR_CRASH, "too many processes"),
        (
            script(Termination.WALL_TIME_LIMIT, exit_code=None, files={}),
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
    assert response.repair_time.ToTimedelta().total_seconds() == 12.5


def test_a_loss_is_a_score_with_its_standard_error() -> None:
    outcome = judgement.judged(answer(), Circumstances(note="As told."), EMBEDDED)
    assert outcome.verdict is Verdict.SCORED
    assert outcome.raw_score == pytest.approx(0.9163, abs=1e-4)
    response: Any = outcome.response
    assert (response.loss.mean_nats, response.loss.standard_error_nats) == (4.0, 0.01)
    assert response.loss.token_count == 1000
    assert response.judging_time.ToTimedelta().total_seconds() == 2.0
    assert outcome.summary.endswith("As told.")


@pytest.mark.parametrize("mean_nats", [1.5, 1.49, 0.0, 2.999])
def test_a_loss_below_the_floor_is_no_record(mean_nats: float) -> None:
    outcome = judgement.judged(answer(mean_nats), CIRCUMSTANCES, EMBEDDED)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.IMPLAUSIBLE, None)
    response: Any = outcome.response
    assert not response.HasField("loss")
    assert outcome.evaluator_details["mean_nats"] == mean_nats


def test_a_loss_without_a_logarithm_is_no_score_whatever_the_floor() -> None:
    low = profiles.Profile(**{**vars(EMBEDDED), "floor_nats": 0.0})
    assert judgement.judged(answer(1.5), CIRCUMSTANCES, low).verdict is Verdict.IMPLAUSIBLE


def test_logits_that_are_not_finite_are_incorrect() -> None:
    outcome = judgement.judged({"status": "not_finite"}, CIRCUMSTANCES, EMBEDDED)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.INCORRECT, None)


def test_refused_tensors_are_all_told() -> None:
    tensors = [["a", "missing"], ["b", "not finite: 1 of 2 values"]]
    for outcome in (
        judgement.judged(
            {"status": "refused", "message": "no good", "tensors": tensors}, CIRCUMSTANCES, EMBEDDED
        ),
        judgement.refused(WeightsRefused("no good", [RefusedTensor(*t) for t in tensors]), CIRCUMSTANCES),
    ):
        assert outcome.verdict is Verdict.RULE_BROKEN
        response: Any = outcome.response
        assert [[tensor.name, tensor.reason] for tensor in response.refused_tensors] == tensors
        assert outcome.summary == "No good: a (missing) and 1 more."


def test_an_answer_of_another_kind_is_a_failure() -> None:
    with pytest.raises(ValueError, match="stopped"):
        judgement.judged({"status": "stopped"}, CIRCUMSTANCES, EMBEDDED)
