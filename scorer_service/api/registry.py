"""Which environments the contract has, which are served, and which are ready."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health_aio
from scorer.v1 import scoring_pb2

from scorer_service.api.errors import ApiError
from scorer_service.environments.interface import Environment


class Readiness(enum.Enum):
    """Whether an environment takes submissions."""

    STARTING = "its self-test is running"
    SERVING = ""
    FAILED = "its self-test failed"
    DRAINING = "the server is shutting down"


def environment_of_method(method_name: str) -> str:
    """`ScoreRustCodecontests` scores `rust_codecontests`."""
    words = method_name.removeprefix("Score")
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in words).lstrip("_")


CONTRACT_ENVIRONMENTS = {
    environment_of_method(method.name): method.name
    for method in scoring_pb2.DESCRIPTOR.services_by_name["ScoringService"].methods
}
"""Every environment of the contract with the name of its method."""


@dataclass
class _Entry:
    readiness: Readiness
    reason: str


class EnvironmentRegistry:
    """The environments of this server, and their health."""

    def __init__(self, environments: Mapping[str, Environment], health: health_aio.HealthServicer) -> None:
        self.environments = environments
        self._health = health
        self._entries = {name: _Entry(Readiness.STARTING, Readiness.STARTING.value) for name in environments}

    async def publish(self) -> None:
        """Make every service's health known from the start: the health servicer would say SERVING."""
        for name in CONTRACT_ENVIRONMENTS:
            await self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._publish_overall()

    async def set_readiness(self, name: str, readiness: Readiness, reason: str = "") -> None:
        """An environment became ready, or ceased to be."""
        self._entries[name] = _Entry(readiness, reason or readiness.value)
        status = (
            health_pb2.HealthCheckResponse.SERVING
            if readiness is Readiness.SERVING
            else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        await self._health.set(name, status)
        await self._publish_overall()

    def is_serving(self, name: str) -> bool:
        """Whether an environment takes submissions now."""
        entry = self._entries.get(name)
        return entry is not None and entry.readiness is Readiness.SERVING

    def not_serving_reason(self, name: str) -> str:
        """Why it does not; empty where it does."""
        entry = self._entries.get(name)
        return "this server does not serve it" if entry is None else entry.reason

    def served(self, name: str) -> Environment:
        """An environment that this server serves, ready or not. Raises ApiError."""
        if name not in CONTRACT_ENVIRONMENTS:
            raise ApiError(
                grpc.StatusCode.NOT_FOUND,
                "ENVIRONMENT_NOT_FOUND",
                f"no environment {name[:80]!r}: the contract has {', '.join(sorted(CONTRACT_ENVIRONMENTS))}",
            )
        environment = self.environments.get(name)
        if environment is None:
            raise ApiError(
                grpc.StatusCode.UNIMPLEMENTED,
                "ENVIRONMENT_NOT_SERVED",
                f"this server does not serve {name}: it serves "
                f"{', '.join(sorted(self.environments)) or 'none'}",
            )
        return environment

    def ready(self, name: str) -> Environment:
        """An environment that takes submissions now. Raises ApiError."""
        environment = self.served(name)
        entry = self._entries[name]
        if entry.readiness is not Readiness.SERVING:
            raise ApiError(
                grpc.StatusCode.UNAVAILABLE,
                "ENVIRONMENT_NOT_SERVING",
                f"{name} does not take submissions now: {entry.reason}",
                retry_after_s=1.0 if entry.readiness is Readiness.STARTING else None,
            )
        return environment

    async def _publish_overall(self) -> None:
        serving = any(entry.readiness is Readiness.SERVING for entry in self._entries.values())
        await self._health.set(
            "",
            health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING,
        )
