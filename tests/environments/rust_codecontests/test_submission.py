"""Requests: what is refused before a job is made, and the way out that is told."""

import pytest
from scorer.v1 import result_pb2, rust_codecontests_pb2

from scorer_service.environments.interface import InvalidSubmission
from scorer_service.environments.rust_codecontests import row, submission
from tests.environments.rust_codecontests.conftest import make_request, make_row

PROBLEMS = {name: row.parse(make_row(name))[0] for name in ("two_sums", "three_sums", "graph")}
GOOD = "fn main() {}"


def refuse(request: rust_codecontests_pb2.ScoreRustCodecontestsRequest) -> list[tuple[str, str]]:
    with pytest.raises(InvalidSubmission) as refused:
        submission.validate(request, PROBLEMS)
    return [(violation.field, violation.description) for violation in refused.value.violations]


def artifact(size_bytes: int) -> result_pb2.ArtifactReference:
    return result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=size_bytes)


def test_programs_inline_and_by_artifact_are_taken() -> None:
    submission.validate(make_request({"graph": GOOD}, two_sums=artifact(1 << 20)), PROBLEMS)
    submission.validate(make_request({"graph": "x" * (256 << 10)}), PROBLEMS)


def test_an_empty_request_is_refused() -> None:
    assert refuse(make_request({})) == [("programs", "is empty; send at least one program")]


def test_an_unknown_problem_is_named_with_close_ones_and_where_to_find_all() -> None:
    ((field, description),) = refuse(make_request({"two_sum": GOOD}))
    assert field == "programs[0].problem_id"
    assert "'two_sum'" in description
    assert "'two_sums'" in description
    assert "scorer-client starter" in description


def test_two_programs_for_one_problem_are_refused() -> None:
    request = make_request({"graph": GOOD})
    request.programs.add(problem_id="graph", source=result_pb2.SourceFile(inline=GOOD))
    ((field, description),) = refuse(request)
    assert field == "programs[1].problem_id"
    assert "programs[0]" in description


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("fn main() {}\0", "NUL character at offset 12"),
        ("x" * ((256 << 10) + 1), "has 262145 bytes, the limit of an inline source is 262144 bytes; upload"),
        ("ä" * (200 << 10), "has 409600 bytes"),
        ("x" * ((1 << 20) + 1), "the limit of a source is 1048576 bytes"),
    ],
)
def test_a_source_that_cannot_be_compiled_is_refused(source: str, told: str) -> None:
    ((field, description),) = refuse(make_request({"graph": source}))
    assert field == "programs[0].source"
    assert told in description


def test_a_source_that_is_not_set_is_refused() -> None:
    request = rust_codecontests_pb2.ScoreRustCodecontestsRequest()
    request.programs.add(problem_id="graph")
    ((field, description),) = refuse(request)
    assert (field, "is not set" in description) == ("programs[0].source", True)


@pytest.mark.parametrize(
    ("size_bytes", "told"), [(0, "is empty"), (-1, "is empty"), ((1 << 20) + 1, "1048577 bytes")]
)
def test_an_artifact_of_a_wrong_size_is_refused(size_bytes: int, told: str) -> None:
    ((field, description),) = refuse(make_request({}, graph=artifact(size_bytes)))
    assert field == "programs[0].source"
    assert told in description


def test_everything_is_told_at_once() -> None:
    assert len(refuse(make_request({"a": "", "b": GOOD, "graph": "\0"}))) == 4
