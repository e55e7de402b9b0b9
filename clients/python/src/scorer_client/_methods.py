"""The calls of the contract, each with its messages: what a channel of either colour needs to make one."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message
from scorer.v1 import (
    artifact_pb2,
    attempt_pb2,
    environment_pb2,
    fix_embedding_pb2,
    job_pb2,
    restricted_mlm_pb2,
    rust_codecontests_pb2,
    triton_cumsum_pb2,
)

RequestT = TypeVar("RequestT", bound=Message)
ResponseT = TypeVar("ResponseT", bound=Message)


@dataclass(frozen=True)
class Method(Generic[RequestT, ResponseT]):
    """A call: its path, and the types of its messages."""

    path: str
    request: type[RequestT]
    response: type[ResponseT]

    def serialize(self, request: RequestT) -> bytes:
        """The request on the wire."""
        return request.SerializeToString()

    def parse(self, data: bytes) -> ResponseT:
        """The response from the wire."""
        return self.response.FromString(data)


_P = "/scorer.v1."
LIST_ENVIRONMENTS = Method(
    f"{_P}EnvironmentService/ListEnvironments",
    environment_pb2.ListEnvironmentsRequest,
    environment_pb2.ListEnvironmentsResponse,
)
GET_STARTER = Method(
    f"{_P}EnvironmentService/GetStarter",
    environment_pb2.GetStarterRequest,
    environment_pb2.GetStarterResponse,
)
SCORE_RUST_CODECONTESTS = Method(
    f"{_P}ScoringService/ScoreRustCodecontests",
    rust_codecontests_pb2.ScoreRustCodecontestsRequest,
    rust_codecontests_pb2.ScoreRustCodecontestsResponse,
)
SCORE_TRITON_CUMSUM = Method(
    f"{_P}ScoringService/ScoreTritonCumsum",
    triton_cumsum_pb2.ScoreTritonCumsumRequest,
    triton_cumsum_pb2.ScoreTritonCumsumResponse,
)
SCORE_RESTRICTED_MLM = Method(
    f"{_P}ScoringService/ScoreRestrictedMlm",
    restricted_mlm_pb2.ScoreRestrictedMlmRequest,
    restricted_mlm_pb2.ScoreRestrictedMlmResponse,
)
SCORE_FIX_EMBEDDING = Method(
    f"{_P}ScoringService/ScoreFixEmbedding",
    fix_embedding_pb2.ScoreFixEmbeddingRequest,
    fix_embedding_pb2.ScoreFixEmbeddingResponse,
)
GET_JOB = Method(f"{_P}JobService/GetJob", job_pb2.GetJobRequest, job_pb2.GetJobResponse)
WATCH_JOB = Method(f"{_P}JobService/WatchJob", job_pb2.WatchJobRequest, job_pb2.WatchJobResponse)
CANCEL_JOB = Method(f"{_P}JobService/CancelJob", job_pb2.CancelJobRequest, job_pb2.CancelJobResponse)
CREATE_ATTEMPT = Method(
    f"{_P}AttemptService/CreateAttempt", attempt_pb2.CreateAttemptRequest, attempt_pb2.CreateAttemptResponse
)
GET_ATTEMPT = Method(
    f"{_P}AttemptService/GetAttempt", attempt_pb2.GetAttemptRequest, attempt_pb2.GetAttemptResponse
)
LIST_SCORES = Method(
    f"{_P}AttemptService/ListScores", attempt_pb2.ListScoresRequest, attempt_pb2.ListScoresResponse
)
CLOSE_ATTEMPT = Method(
    f"{_P}AttemptService/CloseAttempt", attempt_pb2.CloseAttemptRequest, attempt_pb2.CloseAttemptResponse
)
FIND_MISSING_ARTIFACTS = Method(
    f"{_P}ArtifactService/FindMissingArtifacts",
    artifact_pb2.FindMissingArtifactsRequest,
    artifact_pb2.FindMissingArtifactsResponse,
)
GET_UPLOAD_OFFSET = Method(
    f"{_P}ArtifactService/GetUploadOffset",
    artifact_pb2.GetUploadOffsetRequest,
    artifact_pb2.GetUploadOffsetResponse,
)
UPLOAD_ARTIFACT = Method(
    f"{_P}ArtifactService/UploadArtifact",
    artifact_pb2.UploadArtifactRequest,
    artifact_pb2.UploadArtifactResponse,
)
