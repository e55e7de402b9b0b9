"""From what script and worker come to, to the outcome, and to what of it may be told.

A script is over before hidden text is in play, so all that it printed goes back to its author.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scorer.v1 import fix_embedding_pb2

from scorer_service.environments import judged_loss, submitted_script
from scorer_service.environments.fix_embedding.profiles import WEIGHTS_FILE, Profile
from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.environments.judged_loss import JudgedLoss
from scorer_service.evaluation.tensors_file import RefusedTensor, WeightsRefused
from scorer_service.worker.script_run import ScriptResult


@dataclass(frozen=True)
class Circumstances:
    """What an outcome is told beside the verdict."""

    diagnostics: str = ""
    """The end of what the repair script printed."""
    repair_s: float | None = None
    note: str = ""
    """A sentence about how the weights came to be, for the summary of a score."""
    evaluator_details: Mapping[str, Any] = field(default_factory=dict)


def of_script(result: ScriptResult, circumstances: Circumstances, profile: Profile) -> Outcome | None:
    """Why there are no weights of a repair script that can be judged; None where there are."""
    fault = submitted_script.fault(result, "repair script", WEIGHTS_FILE, profile.judges_after_budget)
    return None if fault is None else _outcome(*fault, circumstances)


def refused(refusal: WeightsRefused, circumstances: Circumstances) -> Outcome:
    """The weights are not those of the model."""
    message = str(refusal)
    summary = f"{message[:1].upper()}{message[1:]}."
    if refusal.tensors:
        first = refusal.tensors[0]
        summary = f"{summary[:-1]}: {first.name} ({first.reason})"
        summary += f" and {len(refusal.tensors) - 1} more." if len(refusal.tensors) > 1 else "."
    return _outcome(Verdict.RULE_BROKEN, summary, circumstances, tensors=refusal.tensors)


def judged(answer: Mapping[str, Any], circumstances: Circumstances, profile: Profile) -> Outcome:
    """What the worker found. Raises ValueError for an answer of a kind that is not known."""
    match answer["status"]:
        case "ok":
            return _with_loss(answer, circumstances, profile)
        case "refused":
            tensors = [RefusedTensor(name, reason) for name, reason in answer["tensors"]]
            return refused(WeightsRefused(answer["message"], tensors), circumstances)
        case "not_finite":
            return _outcome(
                Verdict.INCORRECT, "Its logits on the hidden text are not all finite.", circumstances
            )
        case _:
            raise ValueError(f"the worker answered {answer['status']!r}")


def _with_loss(answer: Mapping[str, Any], circumstances: Circumstances, profile: Profile) -> Outcome:
    loss = judged_loss.read(answer, profile.floor_nats)
    if loss.verdict is Verdict.SCORED:
        summary = " ".join(filter(None, (loss.summary("token"), circumstances.note)))
    else:
        summary = (
            f"A loss under {profile.floor_nats:g} nats a token is more than a model of this size can know of"
            " text that it has not seen."
        )
    return _outcome(loss.verdict, summary, circumstances, loss=loss)


def _outcome(
    verdict: Verdict,
    summary: str,
    circumstances: Circumstances,
    *,
    loss: JudgedLoss | None = None,
    tensors: tuple[RefusedTensor, ...] = (),
) -> Outcome:
    response = fix_embedding_pb2.ScoreFixEmbeddingResponse(
        refused_tensors=[
            fix_embedding_pb2.RefusedTensor(name=tensor.name, reason=tensor.reason) for tensor in tensors
        ],
        diagnostics=circumstances.diagnostics,
    )
    if loss is not None:
        response.judging_time.FromMicroseconds(round(loss.judging_s * 1e6))
        if (estimate := loss.message()) is not None:
            response.loss.CopyFrom(estimate)
    if circumstances.repair_s is not None:
        response.repair_time.FromMicroseconds(round(circumstances.repair_s * 1e6))
    return Outcome(
        verdict=verdict,
        raw_score=None if loss is None else loss.raw_score,
        summary=summary,
        response=response,
        evaluator_details={**circumstances.evaluator_details, **({} if loss is None else loss.details)},
    )
