"""What a request may hold: checked before it is accepted; and how its parts are read."""

import asyncio
from collections.abc import Iterator

from scorer.v1 import fix_embedding_pb2, result_pb2

from scorer_service.environments.fix_embedding.profiles import (
    INLINE_SOURCE_LIMIT_BYTES,
    SOURCE_LIMIT_BYTES,
    Profile,
)
from scorer_service.environments.interface import (
    FieldViolation,
    InvalidSubmission,
    JudgingFailed,
    StageContext,
)
from scorer_service.environments.submitted_source import SourceRules
from scorer_service.evaluation import tensors_file

_RULES = SourceRules("script", "Python", INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES)


def validate(request: fix_embedding_pb2.ScoreFixEmbeddingRequest, profile: Profile) -> None:
    """Raises InvalidSubmission."""
    kind = request.WhichOneof("weights_source")
    if kind is None:
        violations = [
            FieldViolation("weights_source", "is not set; send weights or repair_script, exactly one of them")
        ]
    elif kind == "weights":
        violations = list(_faults_of_weights(request.weights, profile))
    else:
        violations = list(_faults_of_script(request.repair_script))
    if violations:
        raise InvalidSubmission(violations)


def _faults_of_weights(weights: result_pb2.ArtifactReference, profile: Profile) -> Iterator[FieldViolation]:
    if weights.size_bytes > profile.weights_limit_bytes:
        yield FieldViolation(
            "weights",
            f"the artifact has {weights.size_bytes} bytes, the limit is {profile.weights_limit_bytes}: the"
            f" model has {profile.parameter_count} parameters of at most 4 bytes",
        )
    elif weights.size_bytes <= 0:
        yield FieldViolation("weights", "the artifact is empty; send a safetensors file")


def _faults_of_script(script: result_pb2.SourceFile) -> Iterator[FieldViolation]:
    if fault := _RULES.fault(script):
        yield FieldViolation("repair_script", fault)


async def open_weights(weights: result_pb2.ArtifactReference, context: StageContext) -> int:
    """A descriptor of an artifact, which the caller closes. Raises WeightsRefused, JudgingFailed."""
    try:
        return await asyncio.to_thread(tensors_file.open_regular, context.artifact(weights.sha256))
    except OSError as error:
        raise JudgingFailed(f"artifact {weights.sha256} cannot be opened: {error}") from error
