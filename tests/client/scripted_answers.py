"""What the scripted server answers: results as the real server makes them, and ways to end a call."""

from datetime import timedelta
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from scorer.v1 import (
    fix_embedding_pb2,
    restricted_mlm_pb2,
    result_pb2,
    rust_codecontests_pb2,
    triton_cumsum_pb2,
)

ScoreRequest = rust_codecontests_pb2.ScoreRustCodecontestsRequest
ScoreResponse = rust_codecontests_pb2.ScoreRustCodecontestsResponse
TritonRequest = triton_cumsum_pb2.ScoreTritonCumsumRequest
TritonResponse = triton_cumsum_pb2.ScoreTritonCumsumResponse
MlmRequest = restricted_mlm_pb2.ScoreRestrictedMlmRequest
MlmResponse = restricted_mlm_pb2.ScoreRestrictedMlmResponse
EmbeddingRequest = fix_embedding_pb2.ScoreFixEmbeddingRequest
EmbeddingResponse = fix_embedding_pb2.ScoreFixEmbeddingResponse


def refuse(
    context: grpc.ServicerContext,
    code: grpc.StatusCode,
    message: str,
    *,
    reason: str = "",
    violations: dict[str, str] | None = None,
    retry_after: timedelta | None = None,
    pushback_ms: int | None = None,
) -> NoReturn:
    """Ends a call as the real server does, with google.rpc details."""
    details: list[Any] = []
    if reason:
        details.append(error_details_pb2.ErrorInfo(reason=reason, domain="scorer", metadata={"a": "b"}))
    if violations:
        bad_request = error_details_pb2.BadRequest()
        for field, description in violations.items():
            bad_request.field_violations.add(field=field, description=description)
        details.append(bad_request)
    if retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromTimedelta(retry_after)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    # A detail of a newer server, which a client has to skip.
    details.append(error_details_pb2.DebugInfo(detail="newer"))
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    trailing: list[tuple[str, str | bytes]] = [("grpc-status-details-bin", status.SerializeToString())]
    if pushback_ms is not None:
        trailing.append(("grpc-retry-pushback-ms", str(pushback_ms)))
    context.set_trailing_metadata(tuple(trailing))
    context.abort(code, message)
    raise AssertionError("abort returned")


def accepted(request: ScoreRequest, job_id: str) -> ScoreResponse:
    """The result of a submission whose every program is right."""
    response = ScoreResponse(problem_count=4, solved_count=len(request.programs))
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_SCORED
    response.result.score.raw = len(request.programs) / 4
    response.result.score.normalized = len(request.programs) / 2
    response.result.summary = f"{len(request.programs)} of 4 problems solved."
    response.result.profile = "embedded"
    response.result.queued.FromTimedelta(timedelta(seconds=1.5))
    for program in request.programs:
        response.problems.add(
            problem_id=program.problem_id, verdict=rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED
        )
    return response


def timed(request: TritonRequest, job_id: str) -> TritonResponse:
    """The result of a kernel that is right and takes half a millisecond."""
    response = TritonResponse(device="cpu")
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_SCORED
    response.result.score.raw = -0.6931471805599453
    response.result.score.normalized = 0.25
    response.result.summary = "0.5 ms, the median of 31 calls."
    response.result.profile = "embedded"
    response.timing.CopyFrom(
        triton_cumsum_pb2.KernelTiming(
            median_ms=0.5, lower_ms=0.49, upper_ms=0.52, trial_count=31, element_count=65521
        )
    )
    response.compile_time.FromTimedelta(timedelta(milliseconds=250))
    return response


def measured(response: MlmResponse | EmbeddingResponse, job_id: str) -> None:
    """Fills in a loss of 4 nats."""
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_SCORED
    response.result.score.raw = 0.9162907318741551
    response.result.score.normalized = 0.5
    response.result.summary = "4.0000 nats a token."
    response.result.profile = "embedded"
    response.loss.CopyFrom(
        restricted_mlm_pb2.LossEstimate(mean_nats=4.0, standard_error_nats=0.0071, token_count=123456)
    )
    response.judging_time.FromTimedelta(timedelta(seconds=12.5))


def judged_mlm(request: MlmRequest, job_id: str) -> MlmResponse:
    """The result of a model within the rules."""
    response = MlmResponse()
    measured(response, job_id)
    if request.HasField("training_script"):
        response.training_time.FromTimedelta(timedelta(seconds=600))
    return response


def judged_embedding(request: EmbeddingRequest, job_id: str) -> EmbeddingResponse:
    """The result of a model whose tensors fit."""
    response = EmbeddingResponse()
    measured(response, job_id)
    if request.HasField("repair_script"):
        response.repair_time.FromTimedelta(timedelta(seconds=60))
    return response
