"""What a request may hold: checked before it is accepted."""

from scorer.v1 import triton_cumsum_pb2

from scorer_service.environments.interface import FieldViolation, InvalidSubmission
from scorer_service.environments.submitted_source import SourceRules
from scorer_service.environments.triton_cumsum.profiles import INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES

_RULES = SourceRules("solution", "Python", INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES)


def validate(request: triton_cumsum_pb2.ScoreTritonCumsumRequest) -> None:
    """Raises InvalidSubmission."""
    if fault := _RULES.fault(request.solution):
        raise InvalidSubmission([FieldViolation("solution", fault)])
