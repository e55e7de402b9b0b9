"""Environments: what a server scores."""

import enum
from dataclasses import dataclass
from datetime import timedelta

from scorer.v1 import environment_pb2

from scorer_client import _methods as methods
from scorer_client._flow import Flow, unary
from scorer_client._reading import duration_of, enum_member
from scorer_client._retry import Retrying, Session


class ScoreDirection(enum.Enum):
    """Which raw scores are better."""

    HIGHER = "higher"
    """More is better."""
    LOWER = "lower"
    """Less is better."""
    UNKNOWN = "unknown"
    """A direction that this version of the client does not know."""


@dataclass(frozen=True)
class Anchors:
    """Raw scores of the starting and the reference solution."""

    starting_raw: float
    """Normalised 0."""
    reference_raw: float
    """Normalised 1."""


@dataclass(frozen=True)
class Environment:
    """An environment of the contract, as this server has it."""

    name: str
    """As in `rust_codecontests`."""
    description: str
    """One sentence."""
    serving: bool
    """Whether submissions are taken now."""
    not_serving_reason: str
    """Why not, where `serving` is false."""
    profile: str
    """`embedded` or `paper`."""
    device: str
    """`cpu`, or the name of a GPU."""
    raw_score_unit: str
    """As in `problems solved / problems`."""
    direction: ScoreDirection
    """Which direction is better."""
    anchors: Anchors | None
    """None where the server's machine has none yet."""
    inline_source_limit_bytes: int
    """Larger sources are uploaded as artifacts, which `score_...` does by itself."""
    source_limit_bytes: int
    """Largest source in all."""
    limits: tuple[tuple[str, str], ...]
    """Limits of every submission as (name, value), for a person to read."""
    queue_depth: int
    """Jobs waiting now."""
    expected_wait: timedelta
    """What a job accepted now is expected to wait."""
    isolation: str
    """Which isolation the sandbox has."""


def read_environment(environment: environment_pb2.Environment) -> Environment:
    """The environment of a message."""
    anchors = environment.anchors
    return Environment(
        name=environment.name,
        description=environment.description,
        serving=environment.serving,
        not_serving_reason=environment.not_serving_reason,
        profile=environment.profile,
        device=environment.device,
        raw_score_unit=environment.raw_score_unit,
        direction=enum_member(
            ScoreDirection,
            environment_pb2.ScoreDirection.DESCRIPTOR,
            "SCORE_DIRECTION_",
            environment.direction,
        ),
        anchors=Anchors(anchors.starting_raw, anchors.reference_raw)
        if environment.HasField("anchors")
        else None,
        inline_source_limit_bytes=environment.inline_source_limit_bytes,
        source_limit_bytes=environment.source_limit_bytes,
        limits=tuple((limit.name, limit.value) for limit in environment.limits),
        queue_depth=environment.queue_depth,
        expected_wait=duration_of(environment.expected_wait),
        isolation=environment.isolation,
    )


def list_environments(session: Session, within: Retrying | None = None) -> Flow[tuple[Environment, ...]]:
    """All environments of the contract, served or not."""
    request = environment_pb2.ListEnvironmentsRequest()
    response = yield from unary(session, methods.LIST_ENVIRONMENTS, request, within=within)
    return tuple(read_environment(environment) for environment in response.environments)
