"""Results of the environments that judge language models: restricted_mlm and fix_embedding."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scorer.v1 import fix_embedding_pb2, restricted_mlm_pb2, result_pb2

from scorer_client._reading import duration_of, time_of
from scorer_client._results import Score, Verdict, read_score, read_verdict


@dataclass(frozen=True)
class LossEstimate:
    """A loss measured on a sample of hidden tokens."""

    mean_nats: float
    """Mean cross entropy, nats for each token; the raw score is ln(mean_nats - 1.5)."""
    standard_error_nats: float
    """Its standard error, in nats."""
    token_count: int
    """How many tokens were judged."""


@dataclass(frozen=True)
class RefusedOperator:
    """An operator of a model that the environment's rules do not allow."""

    operator: str
    """The ATen overload, as in `aten.softmax.int`."""
    file: str
    """The file of the submission that it comes from."""
    line: int | None
    """The line in it, counted from 1; None where it is not known."""
    reason: str
    """Why it is refused, and what to write in its place."""


@dataclass(frozen=True)
class RefusedTensor:
    """A tensor that does not fit the model's table."""

    name: str
    """Its name."""
    reason: str
    """What is wrong with it: missing, unknown, shape, dtype, not finite."""


@dataclass(frozen=True)
class RestrictedMlmResult:
    """The result of one scoring of restricted_mlm. Raw score: ln(loss - 1.5), lower is better."""

    job_id: str
    """The job that made it."""
    request_id: str
    """With it the same call returns this result again."""
    verdict: Verdict
    """The outcome."""
    score: Score | None
    """None unless the verdict is SCORED: there is no default number."""
    summary: str
    """One sentence for a person."""
    accepted_at: datetime
    """When the job was accepted, UTC."""
    finished_at: datetime
    """When it was judged, UTC."""
    queued: timedelta
    """Time in the queue."""
    profile: str
    """The profile under which it was judged, `embedded` or `paper`."""
    loss: LossEstimate | None
    """None unless the verdict is SCORED."""
    refused_operators: tuple[RefusedOperator, ...]
    """All of them, where the verdict is RULE_BROKEN."""
    diagnostics: str
    """Messages of loading, training and export; empty for none."""
    training_time: timedelta | None
    """Time spent in the training script; None where there was none."""
    judging_time: timedelta | None
    """Time spent judging; None where it came to none."""


@dataclass(frozen=True)
class FixEmbeddingResult:
    """The result of one scoring of fix_embedding. Raw score: ln(loss - 1.5), lower is better."""

    job_id: str
    """The job that made it."""
    request_id: str
    """With it the same call returns this result again."""
    verdict: Verdict
    """The outcome."""
    score: Score | None
    """None unless the verdict is SCORED: there is no default number."""
    summary: str
    """One sentence for a person."""
    accepted_at: datetime
    """When the job was accepted, UTC."""
    finished_at: datetime
    """When it was judged, UTC."""
    queued: timedelta
    """Time in the queue."""
    profile: str
    """The profile under which it was judged, `embedded` or `paper`."""
    loss: LossEstimate | None
    """None unless the verdict is SCORED."""
    refused_tensors: tuple[RefusedTensor, ...]
    """All of them, where the verdict is RULE_BROKEN."""
    diagnostics: str
    """Messages of the repair script; empty for none."""
    repair_time: timedelta | None
    """Time spent in the repair script; None where there was none."""
    judging_time: timedelta | None
    """Time spent judging; None where it came to none."""


def read_restricted_mlm_result(
    response: restricted_mlm_pb2.ScoreRestrictedMlmResponse, request_id: str
) -> RestrictedMlmResult:
    """The response to ScoreRestrictedMlm."""
    return RestrictedMlmResult(
        **_envelope(response.result, request_id),
        loss=_read_loss(response.loss) if response.HasField("loss") else None,
        refused_operators=tuple(
            RefusedOperator(refused.operator, refused.file, refused.line or None, refused.reason)
            for refused in response.refused_operators
        ),
        diagnostics=response.diagnostics,
        training_time=duration_of(response.training_time) if response.HasField("training_time") else None,
        judging_time=duration_of(response.judging_time) if response.HasField("judging_time") else None,
    )


def read_fix_embedding_result(
    response: fix_embedding_pb2.ScoreFixEmbeddingResponse, request_id: str
) -> FixEmbeddingResult:
    """The response to ScoreFixEmbedding."""
    return FixEmbeddingResult(
        **_envelope(response.result, request_id),
        loss=_read_loss(response.loss) if response.HasField("loss") else None,
        refused_tensors=tuple(
            RefusedTensor(refused.name, refused.reason) for refused in response.refused_tensors
        ),
        diagnostics=response.diagnostics,
        repair_time=duration_of(response.repair_time) if response.HasField("repair_time") else None,
        judging_time=duration_of(response.judging_time) if response.HasField("judging_time") else None,
    )


def _envelope(result: result_pb2.ScoringResult, request_id: str) -> dict[str, Any]:
    return {
        "job_id": result.job_id,
        "request_id": request_id,
        "verdict": read_verdict(result.verdict),
        "score": read_score(result.score) if result.HasField("score") else None,
        "summary": result.summary,
        "accepted_at": time_of(result.accepted_at),
        "finished_at": time_of(result.finished_at),
        "queued": duration_of(result.queued),
        "profile": result.profile,
    }


def _read_loss(loss: restricted_mlm_pb2.LossEstimate) -> LossEstimate:
    return LossEstimate(loss.mean_nats, loss.standard_error_nats, loss.token_count)
