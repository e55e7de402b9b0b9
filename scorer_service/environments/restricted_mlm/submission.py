"""What a request may hold: checked before it is accepted."""

from collections.abc import Iterator

from scorer.v1 import restricted_mlm_pb2, result_pb2

from scorer_service.environments.interface import FieldViolation, InvalidSubmission
from scorer_service.environments.restricted_mlm.profiles import (
    INLINE_SOURCE_LIMIT_BYTES,
    SOURCE_LIMIT_BYTES,
    Profile,
)
from scorer_service.environments.submitted_source import SourceRules

_RULES = SourceRules("file", "Python", INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES)


def validate(request: restricted_mlm_pb2.ScoreRestrictedMlmRequest, profile: Profile) -> None:
    """Raises InvalidSubmission."""
    violations = list(_faults_of_source("model", request.model))
    match request.WhichOneof("weights_source"):
        case None:
            violations.append(
                FieldViolation(
                    "weights_source", "is not set; send weights or training_script, exactly one of them"
                )
            )
        case "weights":
            violations += _faults_of_weights(request.weights, profile)
        case _:
            violations += _faults_of_source("training_script", request.training_script)
    if violations:
        raise InvalidSubmission(violations)


def _faults_of_weights(weights: result_pb2.ArtifactReference, profile: Profile) -> Iterator[FieldViolation]:
    if weights.size_bytes > profile.weights_limit_bytes:
        yield FieldViolation(
            "weights",
            f"the artifact has {weights.size_bytes} bytes, the limit is {profile.weights_limit_bytes};"
            " float16 halves a file in float32",
        )
    elif weights.size_bytes <= 0:
        yield FieldViolation("weights", "the artifact is empty; send a safetensors file")


def _faults_of_source(field: str, source: result_pb2.SourceFile) -> Iterator[FieldViolation]:
    if fault := _RULES.fault(source):
        yield FieldViolation(field, fault)
