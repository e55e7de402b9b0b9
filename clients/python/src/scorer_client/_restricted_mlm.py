"""The flow of scoring restricted_mlm."""

from pathlib import Path

from scorer.v1 import restricted_mlm_pb2, result_pb2

from scorer_client import _methods as methods
from scorer_client import _scoring
from scorer_client._flow import Flow
from scorer_client._model_results import RestrictedMlmResult, read_restricted_mlm_result
from scorer_client._retry import Retrying, Session
from scorer_client._weights import WeightsSource, send_parts

NAME = "restricted_mlm"
SCRIPT_FIELD = "training_script"
_MODEL_FIELD = "model"

_Request = restricted_mlm_pb2.ScoreRestrictedMlmRequest


def score_restricted_mlm(
    session: Session, model: str | Path, given: WeightsSource, options: _scoring.ScoreOptions
) -> Flow[RestrictedMlmResult]:
    """Scores a model: its source, or a path to it; with its weights, or a script that trains them."""

    def make_request(context: result_pb2.RequestContext, tries: Retrying) -> Flow[_Request]:
        parts = yield from send_parts(session, tries, NAME, {_MODEL_FIELD: model}, given)
        return _Request(
            context=context,
            model=parts.sources[_MODEL_FIELD],
            weights=parts.weights,
            training_script=parts.sources.get(SCRIPT_FIELD),
        )

    return _scoring.score(
        session, options, methods.SCORE_RESTRICTED_MLM, make_request, read_restricted_mlm_result
    )
