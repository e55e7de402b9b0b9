"""The authorisation table: every RPC that is served, and who may call it.

An RPC that is not here is refused. A test fails where the contract has one that is missing.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from scorer_service.store.tokens import Role


class Reach(enum.Enum):
    """How far a role's right goes."""

    OWN = "own"
    """What belongs to an agent's attempt; what an evaluator made, and everything of its attempts."""
    ANY = "any"
    """Whoever's it is."""


class Subject(enum.Enum):
    """What a request names, which has to be the caller's where its reach is OWN."""

    NOTHING = "nothing"
    """Nothing that is anybody's."""
    ATTEMPT = "attempt"
    """`attempt_id`."""
    SUBMISSION = "submission"
    """`context.attempt_id`: an agent's own by default, none for an evaluator that scores without one."""
    JOB = "job"
    """`name`, a JobName."""
    ARTIFACTS = "artifacts"
    """Artifacts. `ReachableArtifacts` shows each caller its own ones only."""
    JOBS = "jobs"
    """Jobs in a list. `OperatorServicer.ListJobs` lists an evaluator's own only."""


@dataclass(frozen=True)
class Rule:
    """Who may call an RPC."""

    roles: Mapping[Role, Reach] = field(default_factory=dict)
    subject: Subject = Subject.NOTHING
    needs_token: bool = True
    """False for what is open to everybody who reaches the port."""


_NO_TOKEN = Rule(needs_token=False)
_EVERYBODY = Rule({Role.AGENT: Reach.ANY, Role.EVALUATOR: Reach.ANY, Role.OPERATOR: Reach.ANY})
_OF_ITS_OWN: Mapping[Role, Reach] = {Role.AGENT: Reach.OWN, Role.EVALUATOR: Reach.OWN}
_SUBMISSION = Rule(_OF_ITS_OWN, Subject.SUBMISSION)
_ARTIFACTS = Rule(_OF_ITS_OWN, Subject.ARTIFACTS)
_ATTEMPT = Rule(_OF_ITS_OWN, Subject.ATTEMPT)
_OPERATOR = Rule({Role.OPERATOR: Reach.ANY})
_JOB = Rule({**_OF_ITS_OWN, Role.OPERATOR: Reach.ANY}, Subject.JOB)

AUTHORISATION: Mapping[str, Rule] = {
    # Probes of orchestrators and load balancers cannot keep secrets. Health says what is ready.
    "/grpc.health.v1.Health/Check": _NO_TOKEN,
    "/grpc.health.v1.Health/List": _NO_TOKEN,
    "/grpc.health.v1.Health/Watch": _NO_TOKEN,
    # The contract is no secret, but whoever explores a server by reflection goes on to call it: with a token.
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": _EVERYBODY,
    "/scorer.v1.EnvironmentService/ListEnvironments": _EVERYBODY,
    "/scorer.v1.EnvironmentService/GetStarter": _EVERYBODY,
    "/scorer.v1.ScoringService/ScoreTritonCumsum": _SUBMISSION,
    "/scorer.v1.ScoringService/ScoreRustCodecontests": _SUBMISSION,
    "/scorer.v1.ScoringService/ScoreRestrictedMlm": _SUBMISSION,
    "/scorer.v1.ScoringService/ScoreFixEmbedding": _SUBMISSION,
    "/scorer.v1.JobService/GetJob": _JOB,
    "/scorer.v1.JobService/WatchJob": _JOB,
    "/scorer.v1.JobService/CancelJob": _JOB,
    "/scorer.v1.AttemptService/CreateAttempt": Rule({Role.EVALUATOR: Reach.ANY}),
    "/scorer.v1.AttemptService/GetAttempt": _ATTEMPT,
    "/scorer.v1.AttemptService/ListScores": _ATTEMPT,
    "/scorer.v1.AttemptService/CloseAttempt": Rule({Role.EVALUATOR: Reach.OWN}, Subject.ATTEMPT),
    "/scorer.v1.ArtifactService/FindMissingArtifacts": _ARTIFACTS,
    "/scorer.v1.ArtifactService/GetUploadOffset": _ARTIFACTS,
    "/scorer.v1.ArtifactService/UploadArtifact": _ARTIFACTS,
    "/scorer.v1.ArtifactService/DownloadArtifact": _ARTIFACTS,
    "/scorer.v1.OperatorService/GetStatus": _OPERATOR,
    "/scorer.v1.OperatorService/Drain": _OPERATOR,
    "/scorer.v1.OperatorService/Resume": _OPERATOR,
    "/scorer.v1.OperatorService/QuarantineDevice": _OPERATOR,
    "/scorer.v1.OperatorService/ReleaseDevice": _OPERATOR,
    "/scorer.v1.OperatorService/ListJobs": Rule(
        {Role.EVALUATOR: Reach.OWN, Role.OPERATOR: Reach.ANY}, Subject.JOBS
    ),
}
