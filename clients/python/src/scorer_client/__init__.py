"""Client of the scoring service: `ScorerClient`, and `AsyncScorerClient` for asyncio.

    from pathlib import Path
    from scorer_client import ScorerClient

    with ScorerClient("127.0.0.1:50051") as client:
        result = client.score_rust_codecontests({"two-sums": Path("two-sums.rs")})
        print(result.verdict, result.score, result.summary)

A verdict is a result; a failure of the service is a `ScorerError` and never a score.
"""

from scorer_client._access import tls_credentials
from scorer_client._aio import AsyncScorerClient
from scorer_client._artifact_content import ArtifactReference
from scorer_client._artifacts import UploadProgress, UploadStage
from scorer_client._attempts import Attempt, CreatedAttempt, Priority, ScoreLogEntry, ScorePolicy
from scorer_client._environments import Anchors, Environment, ScoreDirection
from scorer_client._errors import (
    AccessDenied,
    AttemptRefused,
    BudgetExhausted,
    DeadlinePassed,
    FileChanged,
    InvalidRequest,
    JobCancelled,
    NotFound,
    NotServed,
    Overloaded,
    RateLimited,
    RequestIdReused,
    ScorerError,
    ServiceFailure,
    Unreachable,
    UnsafeStarter,
)
from scorer_client._jobs import Job, JobState, Progress
from scorer_client._model_results import (
    FixEmbeddingResult,
    LossEstimate,
    RefusedOperator,
    RefusedTensor,
    RestrictedMlmResult,
)
from scorer_client._results import (
    KernelTiming,
    ProblemResult,
    ProblemVerdict,
    PublicTestFailure,
    RustCodecontestsResult,
    Score,
    TritonCumsumResult,
    Verdict,
)
from scorer_client._retry import Retry, RetryPolicy
from scorer_client._rpc_status import FieldViolation
from scorer_client._sync import ScorerClient

__all__ = [
    "AccessDenied",
    "Anchors",
    "ArtifactReference",
    "AsyncScorerClient",
    "Attempt",
    "AttemptRefused",
    "BudgetExhausted",
    "CreatedAttempt",
    "DeadlinePassed",
    "Environment",
    "FieldViolation",
    "FileChanged",
    "FixEmbeddingResult",
    "InvalidRequest",
    "Job",
    "JobCancelled",
    "JobState",
    "KernelTiming",
    "LossEstimate",
    "NotFound",
    "NotServed",
    "Overloaded",
    "Priority",
    "ProblemResult",
    "ProblemVerdict",
    "Progress",
    "PublicTestFailure",
    "RateLimited",
    "RefusedOperator",
    "RefusedTensor",
    "RequestIdReused",
    "RestrictedMlmResult",
    "Retry",
    "RetryPolicy",
    "RustCodecontestsResult",
    "Score",
    "ScoreDirection",
    "ScoreLogEntry",
    "ScorePolicy",
    "ScorerClient",
    "ScorerError",
    "ServiceFailure",
    "TritonCumsumResult",
    "Unreachable",
    "UnsafeStarter",
    "UploadProgress",
    "UploadStage",
    "Verdict",
    "tls_credentials",
]
