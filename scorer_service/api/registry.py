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
    QUARANTINED = "its device is quarantined"
    DRAINING = "the server is draining"


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
        self._quarantined: dict[str, str] = {}
        """Why the device of an environment is not used, for each of which it is not."""
        self._is_draining = False

    async def publish(self) -> None:
        """Make every service's health known from the start: the health servicer would say SERVING."""
        for name in CONTRACT_ENVIRONMENTS:
            await self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._publish_overall()

    async def set_readiness(self, name: str, readiness: Readiness, reason: str = "") -> None:
        """An environment became ready, or ceased to be."""
        self._entries[name] = _Entry(readiness, reason or readiness.value)
        await self._publish(name)

    async def set_quarantine(self, name: str, reason: str | None) -> None:
        """The device of an environment is not used any more, for a reason; or, without one, it is again."""
        if reason is None:
            self._quarantined.pop(name, None)
        else:
            self._quarantined[name] = f"{Readiness.QUARANTINED.value}: {reason}"
        await self._publish(name)

    def is_quarantined(self, name: str) -> bool:
        """Whether its device is out of use."""
        return name in self._quarantined

    async def set_draining(self, is_draining: bool) -> None:
        """The server takes no submissions any more, or takes them again, for whatever is ready."""
        self._is_draining = is_draining
        for name in self._entries:
            await self._publish(name)

    def is_serving(self, name: str) -> bool:
        """Whether an environment takes submissions now."""
        return name in self._entries and self._now(name).readiness is Readiness.SERVING

    def not_serving_reason(self, name: str) -> str:
        """Why it does not; empty where it does."""
        return self._now(name).reason if name in self._entries else "this server does not serve it"

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
        entry = self._now(name)
        if entry.readiness is not Readiness.SERVING:
            raise ApiError(
                grpc.StatusCode.UNAVAILABLE,
                "ENVIRONMENT_NOT_SERVING",
                f"{name} does not take submissions now: {entry.reason}",
                retry_after_s=1.0 if entry.readiness is Readiness.STARTING else None,
            )
        return environment

    def _now(self, name: str) -> _Entry:
        """What counts of all that is known."""
        if self._is_draining:
            return _Entry(Readiness.DRAINING, Readiness.DRAINING.value)
        if (reason := self._quarantined.get(name)) is not None:
            return _Entry(Readiness.QUARANTINED, reason)
        return self._entries[name]

    async def _publish(self, name: str) -> None:
        status = (
            health_pb2.HealthCheckResponse.SERVING
            if self.is_serving(name)
            else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        await self._health.set(name, status)
        await self._publish_overall()

    async def _publish_overall(self) -> None:
        serving = any(self.is_serving(name) for name in self._entries)
        await self._health.set(
            "",
            health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING,
        )
