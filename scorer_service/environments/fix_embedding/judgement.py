"""From what script and worker come to, to the outcome, and to what of it may be told.

A script is over before hidden text is in play, so all that it printed goes back to its author.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import scorer_launcher
from scorer.v1 import fix_embedding_pb2, restricted_mlm_pb2

from scorer_service.environments.fix_embedding.profiles import WEIGHTS_FILE, Profile
from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.evaluation.estimate import LossEstimate
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
    """Why there are no weights of a script that can be judged; None where there are."""
    out_of_time = result.termination is scorer_launcher.Termination.WALL_TIME_LIMIT
    if not result.succeeded and not (out_of_time and profile.judges_after_budget):
        exited = result.termination is scorer_launcher.Termination.EXITED
        verdict = Verdict.BUILD_ERROR if exited else Verdict.LIMIT_OR_CRASH
        return _outcome(verdict, f"The repair script {result.ending}.", circumstances)
    if WEIGHTS_FILE in result.refused_files:
        reason = result.refused_files[WEIGHTS_FILE]
        return _outcome(
            Verdict.RULE_BROKEN, f"{WEIGHTS_FILE} of the repair script is refused: {reason}.", circumstances
        )
    if WEIGHTS_FILE in result.files:
        return None
    if out_of_time:
        summary = f"The repair script {result.ending}, and had saved no {WEIGHTS_FILE}."
        return _outcome(Verdict.LIMIT_OR_CRASH, summary, circumstances)
    return _outcome(Verdict.BUILD_ERROR, f"The repair script left no file {WEIGHTS_FILE}.", circumstances)


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
    found = LossEstimate(answer["mean_nats"], answer["standard_error_nats"], answer["token_count"])
    details = {
        "mean_nats": found.mean_nats,
        "standard_error_nats": found.standard_error_nats,
        "token_count": found.token_count,
        "device_states": answer["device_states"],
    }
    judging_s = float(answer["judging_s"])
    if found.mean_nats < profile.floor_nats or not math.isfinite(found.raw_score):
        summary = (
            f"A loss under {profile.floor_nats:g} nats a token is more than a model of this size can know of"
            " text that it has not seen."
        )
        return _outcome(Verdict.IMPLAUSIBLE, summary, circumstances, judging_s=judging_s, more=details)
    summary = (
        f"{found.mean_nats:.4f} nats a token (standard error {found.standard_error_nats:.4f}) on"
        f" {found.token_count:,} hidden tokens.{' ' if circumstances.note else ''}{circumstances.note}"
    )
    return _outcome(Verdict.SCORED, summary, circumstances, found=found, judging_s=judging_s, more=details)


def _outcome(
    verdict: Verdict,
    summary: str,
    circumstances: Circumstances,
    *,
    found: LossEstimate | None = None,
    tensors: tuple[RefusedTensor, ...] = (),
    judging_s: float | None = None,
    more: Mapping[str, Any] | None = None,
) -> Outcome:
    response = fix_embedding_pb2.ScoreFixEmbeddingResponse(
        refused_tensors=[
            fix_embedding_pb2.RefusedTensor(name=tensor.name, reason=tensor.reason) for tensor in tensors
        ],
        diagnostics=circumstances.diagnostics,
    )
    if found is not None:
        response.loss.CopyFrom(
            restricted_mlm_pb2.LossEstimate(
                mean_nats=found.mean_nats,
                standard_error_nats=found.standard_error_nats,
                token_count=found.token_count,
            )
        )
    if circumstances.repair_s is not None:
        response.repair_time.FromMicroseconds(round(circumstances.repair_s * 1e6))
    if judging_s is not None:
        response.judging_time.FromMicroseconds(round(judging_s * 1e6))
    return Outcome(
        verdict=verdict,
        raw_score=None if found is None else found.raw_score,
        summary=summary,
        response=response,
        evaluator_details={**circumstances.evaluator_details, **(more or {})},
    )
