"""What is refused before it is accepted, with the way out."""

import pytest
from scorer.v1 import result_pb2
from scorer.v1.triton_cumsum_pb2 import ScoreTritonCumsumRequest

from scorer_service.environments.interface import InvalidSubmission
from scorer_service.environments.triton_cumsum import submission

SHA256 = "0" * 64


def artifact(size_bytes: int) -> result_pb2.SourceFile:
    return result_pb2.SourceFile(artifact=result_pb2.ArtifactReference(sha256=SHA256, size_bytes=size_bytes))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (result_pb2.SourceFile(), "is not set"),
        (result_pb2.SourceFile(inline=" \n"), "is empty"),
        (result_pb2.SourceFile(inline="x = 1\0"), "NUL character at offset 5"),
        (result_pb2.SourceFile(inline="#" * (256 * 1024 + 1)), "has 262145 bytes, the limit .* 262144"),
        (result_pb2.SourceFile(inline="é" * (128 * 1024 + 1)), "has 262146 bytes"),
        (artifact(256 * 1024 + 1), "262145 bytes"),
        (artifact(0), "the artifact is empty"),
        (artifact(-1), "the artifact is empty"),
    ],
)
def test_what_cannot_be_judged_is_refused(source: result_pb2.SourceFile, words: str) -> None:
    with pytest.raises(InvalidSubmission, match=words) as refused:
        submission.validate(ScoreTritonCumsumRequest(solution=source))
    assert [violation.field for violation in refused.value.violations] == ["solution"]


@pytest.mark.parametrize(
    "source", [result_pb2.SourceFile(inline="#" * (256 * 1024)), artifact(256 * 1024), artifact(1)]
)
def test_what_is_within_the_limits_is_taken(source: result_pb2.SourceFile) -> None:
    submission.validate(ScoreTritonCumsumRequest(solution=source))
