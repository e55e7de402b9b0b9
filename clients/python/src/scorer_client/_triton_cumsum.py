"""The flow of scoring triton_cumsum."""

from pathlib import Path

from scorer.v1 import result_pb2, triton_cumsum_pb2

from scorer_client import _methods as methods
from scorer_client import _scoring
from scorer_client._flow import Flow, blocking
from scorer_client._results import TritonCumsumResult, read_triton_cumsum_result
from scorer_client._retry import Retrying, Session

NAME = "triton_cumsum"
_FIELD = "solution"

_Request = triton_cumsum_pb2.ScoreTritonCumsumRequest


def score_triton_cumsum(
    session: Session, solution: str | Path, options: _scoring.ScoreOptions
) -> Flow[TritonCumsumResult]:
    """Scores a solution: its source, or a path to it."""

    def make_request(context: result_pb2.RequestContext, tries: Retrying) -> Flow[_Request]:
        content = yield from blocking(lambda: _scoring.read_source(solution, _FIELD))
        environment = yield from _scoring.find_environment(session, tries, NAME)
        sources = yield from _scoring.source_files(session, tries, {_FIELD: content}, environment)
        return _Request(context=context, solution=sources[_FIELD])

    return _scoring.score(
        session, options, methods.SCORE_TRITON_CUMSUM, make_request, read_triton_cumsum_result
    )
