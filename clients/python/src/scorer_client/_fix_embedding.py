"""The flow of scoring fix_embedding."""

from scorer.v1 import fix_embedding_pb2, result_pb2

from scorer_client import _methods as methods
from scorer_client import _scoring
from scorer_client._flow import Flow
from scorer_client._model_results import FixEmbeddingResult, read_fix_embedding_result
from scorer_client._retry import Retrying, Session
from scorer_client._weights import WeightsSource, send_parts

NAME = "fix_embedding"
SCRIPT_FIELD = "repair_script"

_Request = fix_embedding_pb2.ScoreFixEmbeddingRequest


def score_fix_embedding(
    session: Session, given: WeightsSource, options: _scoring.ScoreOptions
) -> Flow[FixEmbeddingResult]:
    """Scores repaired weights, or a script that repairs them."""

    def make_request(context: result_pb2.RequestContext, tries: Retrying) -> Flow[_Request]:
        parts = yield from send_parts(session, tries, NAME, {}, given)
        return _Request(context=context, weights=parts.weights, repair_script=parts.sources.get(SCRIPT_FIELD))

    return _scoring.score(
        session, options, methods.SCORE_FIX_EMBEDDING, make_request, read_fix_embedding_result
    )
