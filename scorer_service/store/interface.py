"""What the store and the queue are to the rest of the service.

One machine has SQLite behind these; many machines can have a distributed engine. Every method is a
coroutine, and each is atomic: after a crash at any point, it happened or it did not.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scorer_service.environments.interface import Direction, Verdict
from scorer_service.store.limits import SERVER, Priority, QueueLimits


class JobState(enum.Enum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the job has ended."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class NewJob:
    """A validated submission on its way into the queue."""

    environment: str
    payload: bytes
    """The serialised request, without its context."""
    payload_sha256: str
    """Over the payload and the attempt: two requests with one request id must agree in it."""
    request_id: str | None
    attempt_id: str | None
    submitted_by: str | None = None
    """Id of the token it came with; None where the server is open, and for the server's own jobs."""
    peer: str | None = None
    """Address it came from, without the port; None for the server's own jobs."""
    priority: Priority = Priority.NORMAL
    """Of a job without an attempt; an attempt has one of its own."""

    @property
    def client(self) -> str:
        """Who takes turns with others: the narrowest name that is known."""
        return self.attempt_id or self.submitted_by or self.peer or SERVER


@dataclass(frozen=True)
class JudgedResult:
    """What is kept of a judged job."""

    verdict: Verdict
    raw_score: float | None
    normalized_score: float | None
    summary: str
    response: bytes
    """The environment's serialised response, without its result."""
    evaluator_details: Mapping[str, Any]
    profile: str


@dataclass(frozen=True)
class JobRecord:
    """A job as stored. Times are seconds since the epoch."""

    job_id: str
    environment: str
    request_id: str | None
    attempt_id: str | None
    state: JobState
    delivery_count: int
    accepted_at: float
    started_at: float | None
    finished_at: float | None
    failure: str
    result: JudgedResult | None
    submitted_by: str | None = None
    """As in `NewJob`."""
    worker_deaths: int = 0
    """Trusted workers that died while they had the job in their hands."""
    server_deaths: int = 0
    """Servers that died while they worked on it."""
    set_aside: bool = False
    """Whether it failed because so many of them did."""


@dataclass(frozen=True)
class Lease:
    """The right to work on a job. Void once the job was delivered again or has ended."""

    job_id: str
    environment: str
    number: int
    """Counts deliveries; results with an old number are dropped."""
    payload: bytes
    accepted_at: float
    attempt_id: str | None = None
    is_suspect: bool = False
    """Whether it is to be worked on alone: workers or servers died over one of several jobs."""


@dataclass(frozen=True)
class QueueState:
    """How full a queue is."""

    depth: int
    oldest_age_s: float


class RequestIdReused(Exception):
    """A request id was used before, for another payload."""


class AttemptNotFound(Exception):
    """There is no such attempt."""


class AttemptMismatch(Exception):
    """The attempt is for another environment."""


class AttemptClosed(Exception):
    """The attempt takes no more scores."""


class JobQueue(Protocol):
    """The durable queue, and the results."""

    async def accept(
        self, job: NewJob, limits: QueueLimits, *, position_limit: int | None = None
    ) -> tuple[JobRecord, bool]:
        """Put a job in the queue, or find the one that has its request id; True where it is new.

        Raises SubmissionRefused, also where more than `position_limit` jobs would be before it;
        RequestIdReused, AttemptNotFound, AttemptMismatch, AttemptClosed.
        """

    async def claim(self, environment: str, owner: str, lease_s: float) -> Lease | None:
        """Take the waiting job of an environment whose turn it is; None where there is none."""

    async def renew(self, lease: Lease, lease_s: float) -> bool:
        """Keep a lease; False where it is void."""

    async def finish(self, lease: Lease, result: JudgedResult) -> bool:
        """Store a result and end the job; False where the lease is void and nothing was stored."""

    async def fail(self, lease: Lease, failure: str) -> bool:
        """End a job by a failure of the service; False where the lease is void."""

    async def give_back(self, lease: Lease) -> bool:
        """Put a job back in its place without counting the delivery; False where the lease is void."""

    async def cancel(self, job_id: str) -> JobRecord | None:
        """End a job that has not ended. Answers with it as it is then; None where there is none."""

    async def worker_died(
        self, lease: Lease, *, death_limit: int, in_company: bool, failure: str
    ) -> JobState | None:
        """Count the death of a trusted worker over a job, and put the job back (QUEUED); where it is the
        `death_limit`-th, set the job aside (FAILED, by `failure`). `in_company`: another job may be to blame,
        and the next delivery is to be alone. None where the lease is void."""

    async def reclaim(self, *, everything: bool, death_limit: int) -> Sequence[str]:
        """Put back the jobs whose lease expired, or `everything` that is leased, and count the death of a
        server over them; set aside those over which `death_limit` servers died. Answers with their ids."""

    async def find(self, *, job_id: str | None = None, request_id: str | None = None) -> JobRecord | None:
        """One job, by either name."""

    async def position(self, job_id: str) -> int:
        """How many jobs of its environment would be claimed before a waiting job if no other came; 0 for any
        other."""

    async def state(self, environment: str) -> QueueState:
        """How full an environment's queue is."""

    async def purge(self, older_than_s: float) -> int:
        """Delete ended jobs of no attempt that ended so long ago; answers with their number."""


class ScorePolicy(enum.Enum):
    """What the agent sees of its scores."""

    VISIBLE = "visible"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class AttemptRecord:
    """An attempt as stored. Times are seconds since the epoch."""

    attempt_id: str
    environment: str
    policy: ScorePolicy
    label: str
    evaluator_key_sha256: str
    created_at: float
    closed_at: float | None
    created_by: str | None = None
    """Id of the evaluator's token; None where the server was open."""
    agent_secret_sha256: str | None = None
    """Of the secret in the token that its agent was given; None where the server was open."""
    priority: Priority = Priority.NORMAL
    scoring_budget: int | None = None
    """Scorings that it may have; None for no limit."""


@dataclass(frozen=True)
class AttemptCounts:
    """How many submissions an attempt has."""

    judged: int
    """Entries in the log."""
    pending: int
    """Accepted, and neither judged nor ended otherwise."""
    counted: int
    """Those that its budget counts: accepted, but for those that failed or were cancelled before a worker
    took them."""


class AttemptStore(Protocol):
    """Attempts and their score logs. A log is the attempt's judged jobs: there is no second copy."""

    async def create(
        self,
        *,
        environment: str,
        policy: ScorePolicy,
        label: str,
        evaluator_key_sha256: str,
        created_by: str | None = None,
        agent_secret_sha256: str | None = None,
        priority: Priority = Priority.NORMAL,
        scoring_budget: int | None = None,
    ) -> AttemptRecord:
        """Begin an attempt."""

    async def get(self, attempt_id: str) -> AttemptRecord:
        """One attempt. Raises AttemptNotFound."""

    async def close(self, attempt_id: str) -> AttemptRecord:
        """Take no more scores. Idempotent. Raises AttemptNotFound."""

    async def counts(self, attempt_id: str) -> AttemptCounts:
        """How many of its submissions are judged, and how many are not yet."""

    async def best_score(self, attempt_id: str, direction: Direction) -> tuple[float, float | None] | None:
        """Raw and normalised score of the best valid entry; None where no entry is valid."""

    async def log(self, attempt_id: str, *, after: int, limit: int) -> Sequence[tuple[int, JobRecord]]:
        """Entries after a position in the order of judging, each with its position."""


@dataclass(frozen=True)
class Owner:
    """Who has an artifact. Exactly one of these is not empty."""

    attempt_id: str = ""
    """An attempt: all tokens of its agent own what one of them uploaded."""
    token_id: str = ""
    """An evaluator's token."""


class ArtifactOwners(Protocol):
    """Who has shown to have an artifact's content.

    An artifact is stored once, whoever uploads it, and to know its digest is not to have it.
    """

    async def add(self, owner: Owner, sha256: str) -> None:
        """The owner sent the content. Idempotent."""

    async def reachable(
        self, owner: Owner, evaluator_key_sha256: str | None, sha256s: Sequence[str]
    ) -> frozenset[str]:
        """Which of the artifacts the owner may read: its own, and for the token of an evaluator also those of
        the attempts that it created or whose key it has."""
