"""From what script, export and worker come to, to the outcome, and to what of it may be told.

Script and export are over before hidden text is in play, so all that they printed goes back to its author.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer.v1 import restricted_mlm_pb2

from scorer_service.environments import judged_loss, submitted_script
from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.environments.judged_loss import JudgedLoss
from scorer_service.environments.restricted_mlm.profiles import (
    ARCHIVE_FILE,
    MODEL_FILE,
    WEIGHTS_FILE,
    Profile,
)
from scorer_service.worker.script_run import TAIL_LIMIT_BYTES, ScriptResult


@dataclass(frozen=True)
class Circumstances:
    """What an outcome is told beside the verdict."""

    diagnostics: str = ""
    """The end of what training script and export printed."""
    training_s: float | None = None
    note: str = ""
    """A sentence about how the weights came to be, for the summary of a score."""
    evaluator_details: Mapping[str, Any] = field(default_factory=dict)


def of_script(result: ScriptResult, circumstances: Circumstances, profile: Profile) -> Outcome | None:
    """Why there are no weights of a training script that can be judged; None where there are."""
    fault = submitted_script.fault(result, "training script", WEIGHTS_FILE, profile.judges_after_budget)
    return None if fault is None else _outcome(*fault, circumstances)


def of_export(result: ScriptResult, circumstances: Circumstances) -> Outcome | None:
    """Why there is no archive of a model that can be judged; None where there is."""
    if not result.succeeded:
        verdict = submitted_script.verdict_of_end(result)
        failed = verdict is Verdict.BUILD_ERROR
        summary = (
            f"{MODEL_FILE} cannot be exported with its weights; the diagnostics say why."
            if failed
            else f"The export {result.ending}."
        )
        return _outcome(verdict, summary, circumstances)
    if ARCHIVE_FILE in result.refused_files:
        summary = f"The exported model is refused: {result.refused_files[ARCHIVE_FILE]}."
        return _outcome(Verdict.RULE_BROKEN, summary, circumstances)
    if ARCHIVE_FILE not in result.files:
        summary = f"{MODEL_FILE} ended the export before there was a model."
        return _outcome(Verdict.BUILD_ERROR, summary, circumstances)
    return None


def judged(answer: Mapping[str, Any], circumstances: Circumstances, profile: Profile) -> Outcome:
    """What the worker found. Raises ValueError for an answer of a kind that is not known."""
    match answer["status"]:
        case "ok":
            return _with_loss(answer, circumstances, profile)
        case "refused":
            return _refused(answer["operators"], circumstances)
        case "malformed":
            summary = f"The exported model is refused: {answer['message']}."
            return _outcome(Verdict.RULE_BROKEN, summary, circumstances)
        case "inconsistent":
            summary = f"Not a model by the rules: {answer['message']}."
            return _outcome(Verdict.RULE_BROKEN, summary, circumstances)
        case "failed":
            summary = f"The model cannot be carried out: {answer['message']}."
            return _outcome(Verdict.INCORRECT, summary, circumstances)
        case "not_finite":
            return _outcome(Verdict.INCORRECT, "Its logits are not all finite.", circumstances)
        case "too_long":
            summary = f"The model was not through the text after {profile.judging_limit_s:.0f} s."
            return _outcome(Verdict.LIMIT_OR_CRASH, summary, circumstances)
        case _:
            raise ValueError(f"the worker answered {answer['status']!r}")


def _refused(operators: Sequence[Sequence[Any]], circumstances: Circumstances) -> Outcome:
    refused = [
        restricted_mlm_pb2.RefusedOperator(operator=operator, file=file, line=line, reason=reason)
        for operator, file, line, reason in operators
    ]
    first = refused[0]
    place = f" in {first.file} line {first.line}" if first.line else ""
    more = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
    summary = f"Refused: {first.operator}{place} ({first.reason}){more}."
    return _outcome(Verdict.RULE_BROKEN, summary, circumstances, operators=refused)


def _with_loss(answer: Mapping[str, Any], circumstances: Circumstances, profile: Profile) -> Outcome:
    loss = judged_loss.read(answer, profile.floor_nats)
    if loss.verdict is Verdict.SCORED:
        summary = " ".join(filter(None, (loss.summary("masked token"), circumstances.note)))
    else:
        summary = (
            f"A loss under {profile.floor_nats:g} nats a masked token is more than can be known of a text"
            " that was not seen."
        )
    return _outcome(loss.verdict, summary, circumstances, loss=loss)


def joined(*parts: str) -> str:
    """What several programs printed, one after the other; the end of it, as much as an answer holds."""
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)
    return text.encode()[-TAIL_LIMIT_BYTES:].decode(errors="ignore")


def _outcome(
    verdict: Verdict,
    summary: str,
    circumstances: Circumstances,
    *,
    loss: JudgedLoss | None = None,
    operators: Sequence[restricted_mlm_pb2.RefusedOperator] = (),
) -> Outcome:
    response = restricted_mlm_pb2.ScoreRestrictedMlmResponse(
        refused_operators=operators, diagnostics=circumstances.diagnostics
    )
    if loss is not None:
        response.judging_time.FromMicroseconds(round(loss.judging_s * 1e6))
        if (estimate := loss.message()) is not None:
            response.loss.CopyFrom(estimate)
    if circumstances.training_s is not None:
        response.training_time.FromMicroseconds(round(circumstances.training_s * 1e6))
    return Outcome(
        verdict=verdict,
        raw_score=None if loss is None else loss.raw_score,
        summary=summary,
        response=response,
        evaluator_details={**circumstances.evaluator_details, **({} if loss is None else loss.details)},
    )
