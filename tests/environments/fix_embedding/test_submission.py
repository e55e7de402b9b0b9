"""What a request may hold."""

from typing import Any

import pytest
from scorer.v1 import fix_embedding_pb2, result_pb2

from scorer_service.environments.fix_embedding import profiles, submission
from scorer_service.environments.interface import InvalidSubmission

LIMIT = profiles.EMBEDDED.weights_limit_bytes


def weights(size_bytes: int) -> fix_embedding_pb2.ScoreFixEmbeddingRequest:
    return fix_embedding_pb2.ScoreFixEmbeddingRequest(
        weights=result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=size_bytes)
    )


def script(**content: Any) -> fix_embedding_pb2.ScoreFixEmbeddingRequest:
    return fix_embedding_pb2.ScoreFixEmbeddingRequest(repair_script=result_pb2.SourceFile(**content))


def artifact(size_bytes: int) -> result_pb2.ArtifactReference:
    return result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=size_bytes)


@pytest.mark.parametrize(
    "request_",
    [
        weights(LIMIT),
        script(inline="print(1)"),
        script(artifact=artifact(profiles.SOURCE_LIMIT_BYTES)),
    ],
)
def test_weights_or_a_script_are_accepted(request_: fix_embedding_pb2.ScoreFixEmbeddingRequest) -> None:
    submission.validate(request_, profiles.EMBEDDED)


@pytest.mark.parametrize(
    ("request_", "field", "words"),
    [
        (fix_embedding_pb2.ScoreFixEmbeddingRequest(), "weights_source", "exactly one"),
        (weights(LIMIT + 1), "weights", f"the limit is {LIMIT}"),
        (weights(0), "weights", "empty"),
        (script(), "repair_script", "not set"),
        (script(inline="  \n"), "repair_script", "empty"),
        (script(inline="a\0b"), "repair_script", "NUL character at offset 1"),
        (script(inline="#" * (256 << 10) + "é"), "repair_script", "262146 bytes"),
        (script(artifact=artifact(0)), "repair_script", "empty"),
        (script(artifact=artifact(1 << 20)), "repair_script", "1048576 bytes"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_its_field(
    request_: fix_embedding_pb2.ScoreFixEmbeddingRequest, field: str, words: str
) -> None:
    with pytest.raises(InvalidSubmission) as caught:
        submission.validate(request_, profiles.EMBEDDED)
    (violation,) = caught.value.violations
    assert violation.field == field
    assert words in violation.description


def test_every_way_to_write_the_model_fits_into_the_limit() -> None:
    """Float64 is refused by name, not by size."""
    assert 8 * profiles.EMBEDDED.parameter_count + (64 << 10) < LIMIT
