"""What every environment is to the rest of the service."""

import abc
import contextlib
import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from google.protobuf.message import Message


class Verdict(enum.Enum):
    """The outcome of a scoring; the members are those of `scorer.v1.Verdict`."""

    SCORED = "scored"
    """Measured; there is a score."""
    BUILD_ERROR = "build_error"
    """No part of it compiled, loaded or exported."""
    INCORRECT = "incorrect"
    """An output was not right."""
    RULE_BROKEN = "rule_broken"
    """A rule of the environment was broken."""
    LIMIT_OR_CRASH = "limit_or_crash"
    """It crashed or passed a limit."""
    UNSTABLE = "unstable"
    """Measured, but too unsteady to be ranked."""
    IMPLAUSIBLE = "implausible"
    """Better than what is possible."""


class Direction(enum.Enum):
    """Which raw scores are better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True)
class Anchors:
    """Raw scores of the starting solution (normalised 0) and the reference solution (normalised 1)."""

    starting_raw: float
    reference_raw: float

    def normalize(self, raw: float) -> float:
        """max(0, (raw - starting) / (reference - starting)); more than 1 is possible and stays."""
        return max(0.0, (raw - self.starting_raw) / (self.reference_raw - self.starting_raw))


@dataclass(frozen=True)
class EnvironmentDescription:
    """What a client is told of an environment."""

    name: str
    description: str
    profile: str
    device: str
    """"cpu", or the name of a GPU."""
    raw_score_unit: str
    direction: Direction
    anchors: Anchors | None
    inline_source_limit_bytes: int
    source_limit_bytes: int
    limits: Sequence[tuple[str, str]]
    """Pairs of name and value, for a person to read."""
    isolation: str


@dataclass(frozen=True)
class FieldViolation:
    """A wrong field of a submission."""

    field: str
    """Path of the field, as in `programs[3].source`."""
    description: str
    """What is wrong, with which value, and what to do."""


class InvalidSubmission(Exception):
    """The submission cannot be judged as it is; told before it is accepted."""

    def __init__(self, violations: Sequence[FieldViolation]) -> None:
        super().__init__("; ".join(f"{v.field}: {v.description}" for v in violations))
        self.violations = tuple(violations)


class CalibrationRefused(Exception):
    """What was measured cannot serve as anchors. The message says what was measured and what to do."""


@dataclass(frozen=True)
class CalibrationTable:
    """What a calibration measured, for a person to read, and where it was stored."""

    rows: Sequence[tuple[str, str]]
    """Pairs of quantity and value with its unit."""
    values: Mapping[str, Any]
    """The same for a program; JSON types only."""
    path: Path


class NotServing(Exception):
    """The environment cannot serve; the message says what is missing and how to get it."""


class JudgingFailed(Exception):
    """The service failed, not the submission. The message goes to the operator, not to the agent."""


class WorkerDied(JudgingFailed):
    """A trusted process died with the submission in its hands; which of the two is to blame cannot be known.

    The job is delivered once more; if that comes to the same end, the service is reported to have failed.
    """


@dataclass(frozen=True)
class Outcome:
    """A judged submission.

    Raises ValueError where status and data do not fit: a score is there exactly where the verdict is SCORED.
    """

    verdict: Verdict
    raw_score: float | None
    summary: str
    """One sentence, for the agent. Depends on hidden data no more than verdict and score do."""
    response: Message
    """The environment's response as the agent may see it; its field `result` is left empty."""
    evaluator_details: Mapping[str, Any] = field(default_factory=dict)
    """What the evaluator may see beyond that; JSON types only."""

    def __post_init__(self) -> None:
        if (self.raw_score is not None) != (self.verdict is Verdict.SCORED):
            raise ValueError(f"verdict {self.verdict} with raw score {self.raw_score}")


class StageContext(Protocol):
    """What a stage is given beside the submission."""

    job_id: str
    exit_stack: contextlib.AsyncExitStack
    """Closed when the delivery of the job ends, however it ends: what must not outlive it is pushed there."""

    def report(self, done: int, total: int, unit: str) -> None:
        """Tell watchers how far the work is. Thread-safe."""

    def artifact(self, sha256: str) -> Path:
        """The file of an artifact; it exists as long as the job runs."""


@dataclass(frozen=True)
class Stage:
    """A part of the work that waits for a place in a lane of its own."""

    name: str
    """As in "build", "judge"; shown to watchers and in metrics."""
    lane: str
    """The lane whose places it shares with other environments."""
    run: Callable[[Any, StageContext], Awaitable[Any]]
    """From the previous stage's value (the first: the request message) to the next one's. An `Outcome` ends
    the way, and the last stage gives one. Cancelling it kills what it started before it returns. Raises
    JudgingFailed."""


@dataclass(frozen=True)
class StarterFile:
    """A file that an agent starts from."""

    path: str
    """Relative, with forward slashes."""
    content: bytes
    executable: bool = False


class Environment(abc.ABC):
    """One environment, served."""

    name: ClassVar[str]
    """As in "rust_codecontests"."""
    request_type: ClassVar[type[Message]]
    """Has the field `context`."""
    response_type: ClassVar[type[Message]]
    """Has the field `result`."""

    @abc.abstractmethod
    async def start(self) -> None:
        """Get ready, with a self-test of sandbox and device. Raises NotServing."""

    @abc.abstractmethod
    async def close(self) -> None:
        """Give everything back. Idempotent."""

    @abc.abstractmethod
    def describe(self) -> EnvironmentDescription:
        """What a client is told. Valid also before `start`."""

    @abc.abstractmethod
    def validate(self, request: Message) -> None:
        """Check everything of a request that can be checked without work. Raises InvalidSubmission.

        `context` and the existence of artifacts are checked by the caller.
        """

    @property
    @abc.abstractmethod
    def stages(self) -> Sequence[Stage]:
        """The way of a submission, in order."""

    @abc.abstractmethod
    def starter(self) -> Sequence[StarterFile]:
        """Instructions, the starting solution and the public data."""

    async def calibrate(self) -> "CalibrationTable":
        """Measure and store the anchors of the device in hand, which nobody else uses; `start` has succeeded.

        Raises CalibrationRefused, JudgingFailed, NotImplementedError where the anchors are fixed.
        """
        raise NotImplementedError(f"the anchors of {self.name} do not depend on the device")

    def canary(self) -> Message | None:
        """A submission of the reference solution, which the server scores now and then to see what drifts.

        None where nothing drifts, or there are no anchors to compare with.
        """
        return None
