"""The flow of scoring rust_codecontests."""

from collections.abc import Mapping
from pathlib import Path

from scorer.v1 import result_pb2, rust_codecontests_pb2

from scorer_client import _methods as methods
from scorer_client import _scoring
from scorer_client._errors import invalid_field
from scorer_client._flow import Flow, blocking
from scorer_client._results import RustCodecontestsResult, read_rust_codecontests_result
from scorer_client._retry import Retrying, Session

NAME = "rust_codecontests"

_Request = rust_codecontests_pb2.ScoreRustCodecontestsRequest


def score_rust_codecontests(
    session: Session, programs: Mapping[str, str | Path], options: _scoring.ScoreOptions
) -> Flow[RustCodecontestsResult]:
    """Scores programs: for each problem id its source, or a path to it."""

    def make_request(context: result_pb2.RequestContext, tries: Retrying) -> Flow[_Request]:
        contents = yield from blocking(lambda: _read(programs))
        environment = yield from _scoring.find_environment(session, tries, NAME)
        sources = yield from _scoring.source_files(session, tries, contents, environment)
        return _Request(
            context=context,
            programs=[
                rust_codecontests_pb2.RustProgram(problem_id=problem_id, source=sources[_field(problem_id)])
                for problem_id in programs
            ],
        )

    return _scoring.score(
        session, options, methods.SCORE_RUST_CODECONTESTS, make_request, read_rust_codecontests_result
    )


def _field(problem_id: str) -> str:
    return f"programs[{problem_id!r}].source"


def _read(programs: Mapping[str, str | Path]) -> dict[str, bytes]:
    if not programs:
        raise invalid_field("programs", "there is none: give at least one")
    return {
        _field(problem_id): _scoring.read_source(program, _field(problem_id))
        for problem_id, program in programs.items()
    }
