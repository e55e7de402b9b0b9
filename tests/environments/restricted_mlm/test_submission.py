"""What a request may hold."""

from typing import Any

import pytest
from scorer.v1 import restricted_mlm_pb2, result_pb2

from scorer_service.environments.interface import InvalidSubmission
from scorer_service.environments.restricted_mlm import profiles, submission

LIMIT = profiles.EMBEDDED.weights_limit_bytes


def artifact(size_bytes: int) -> result_pb2.ArtifactReference:
    return result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=size_bytes)


def source(**content: Any) -> result_pb2.SourceFile:
    return result_pb2.SourceFile(**content)


def request(**parts: Any) -> restricted_mlm_pb2.ScoreRestrictedMlmRequest:
    given = {"model": source(inline="def get_model(): ..."), "weights": artifact(LIMIT), **parts}
    if "training_script" in parts:
        del given["weights"]
    return restricted_mlm_pb2.ScoreRestrictedMlmRequest(**given)


@pytest.mark.parametrize(
    "request_",
    [
        request(),
        request(training_script=source(inline="print(1)")),
        request(model=source(artifact=artifact(profiles.SOURCE_LIMIT_BYTES))),
    ],
)
def test_a_model_with_weights_or_a_script_is_accepted(
    request_: restricted_mlm_pb2.ScoreRestrictedMlmRequest,
) -> None:
    submission.validate(request_, profiles.EMBEDDED)


@pytest.mark.parametrize(
    ("request_", "field", "words"),
    [
        (restricted_mlm_pb2.ScoreRestrictedMlmRequest(weights=artifact(1)), "model", "not set"),
        (
            restricted_mlm_pb2.ScoreRestrictedMlmRequest(model=source(inline="x")),
            "weights_source",
            "exactly one",
        ),
        (request(weights=artifact(LIMIT + 1)), "weights", f"the limit is {LIMIT}"),
        (request(weights=artifact(0)), "weights", "empty"),
        (request(model=source(inline=" \n")), "model", "empty"),
        (request(model=source(inline="a\0b")), "model", "NUL character at offset 1"),
        (request(model=source(inline="#" * (256 << 10) + "é")), "model", "262146 bytes"),
        (request(model=source(artifact=artifact(1 << 20))), "model", "1048576 bytes"),
        (request(training_script=source()), "training_script", "not set"),
        (request(training_script=source(inline="")), "training_script", "empty"),
        (request(training_script=source(artifact=artifact(0))), "training_script", "empty"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_its_field(
    request_: restricted_mlm_pb2.ScoreRestrictedMlmRequest, field: str, words: str
) -> None:
    with pytest.raises(InvalidSubmission) as caught:
        submission.validate(request_, profiles.EMBEDDED)
    (violation,) = caught.value.violations
    assert violation.field == field
    assert words in violation.description


def test_two_tables_of_all_pairs_of_tokens_fit_into_the_limits() -> None:
    """Bigrams both ways, in float32."""
    tables = 2 * 4 * profiles.EMBEDDED.vocabulary_size**2
    assert tables < LIMIT
    assert tables < profiles.EMBEDDED.archive_limit_bytes
