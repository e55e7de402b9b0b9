"""The gRPC server: its options, its services, its interceptors."""

import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import grpc.aio
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry
from scorer.v1 import (
    artifact_pb2,
    artifact_pb2_grpc,
    attempt_pb2,
    attempt_pb2_grpc,
    environment_pb2,
    environment_pb2_grpc,
    job_pb2,
    job_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    scoring_pb2,
    scoring_pb2_grpc,
)

from scorer_service.api.access.artifacts import ReachableArtifacts
from scorer_service.api.access.authentication import Authentication
from scorer_service.api.access.control import AccessControl
from scorer_service.api.access.ownership import Ownership
from scorer_service.api.artifacts import ArtifactServicer
from scorer_service.api.attempts import AttemptServicer
from scorer_service.api.environments import EnvironmentServicer
from scorer_service.api.interceptors.access import AccessInterceptor
from scorer_service.api.interceptors.call_log import CallLogInterceptor
from scorer_service.api.interceptors.errors import ErrorInterceptor
from scorer_service.api.interceptors.rpc_metrics import RpcMetricsInterceptor
from scorer_service.api.interceptors.validation import TRANSPORT_LIMIT_BYTES, ValidationInterceptor
from scorer_service.api.jobs import HEARTBEAT_S, JobServicer
from scorer_service.api.operator import Operated, OperatorServicer
from scorer_service.api.registry import EnvironmentRegistry
from scorer_service.api.scoring import ScoringServicer
from scorer_service.scheduling.scheduler import Scheduler
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.interface import AttemptStore, JobQueue

OPTIONS = (
    # Two servers on one port would share its calls at random (grpc#16920).
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT_BYTES),
    # A call may be silent for half an hour: clients ping every 10 s to keep what is between them open.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


CALLS_LIMIT = 10_000
"""At once. An open call takes 30 kB, be it one that only watches; more are RESOURCE_EXHAUSTED."""


async def _nothing_expires() -> int:
    return 0


class ListenError(Exception):
    """The address cannot be listened on."""


class ApiServer:
    """Everything that answers on the RPC port."""

    def __init__(
        self,
        *,
        registry: EnvironmentRegistry,
        health_servicer: health.aio.HealthServicer,
        scheduler: Scheduler,
        queue: JobQueue,
        attempts: AttemptStore,
        artifacts: ArtifactFolder,
        access: AccessControl,
        metrics: CollectorRegistry,
        operated: Operated | None = None,
        expire_artifacts: Callable[[], Awaitable[int]] = _nothing_expires,
        heartbeat_s: float = HEARTBEAT_S,
        attempt_budget: int = 0,
        outer_interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
    ) -> None:
        """`attempt_budget` is for attempts that are created without one, 0 for no limit.
        `outer_interceptors` see calls before all others. Without `operated`, nobody operates the server."""
        self._access = access
        self._server = grpc.aio.server(
            interceptors=(
                *outer_interceptors,
                RpcMetricsInterceptor(metrics),
                CallLogInterceptor(),
                ErrorInterceptor(),
                AccessInterceptor(
                    None if access.tokens is None else Authentication(access.tokens, attempts),
                    Ownership(attempts, queue),
                ),
                ValidationInterceptor(),
            ),
            options=OPTIONS,
            maximum_concurrent_rpcs=CALLS_LIMIT,
        )
        reachable = ReachableArtifacts(artifacts, access.artifact_owners)
        scoring: Any = ScoringServicer(registry, scheduler, attempts, reachable)
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server(scoring, self._server)
        job_pb2_grpc.add_JobServiceServicer_to_server(JobServicer(scheduler, heartbeat_s), self._server)
        attempt_pb2_grpc.add_AttemptServiceServicer_to_server(
            AttemptServicer(registry, attempts, attempt_budget or None), self._server
        )
        artifact_pb2_grpc.add_ArtifactServiceServicer_to_server(
            ArtifactServicer(reachable, expire_artifacts), self._server
        )
        if operated is not None:
            operator_pb2_grpc.add_OperatorServiceServicer_to_server(
                OperatorServicer(operated, registry, scheduler, queue), self._server
            )
        environment_pb2_grpc.add_EnvironmentServiceServicer_to_server(
            EnvironmentServicer(registry, scheduler, queue), self._server
        )
        health_pb2_grpc.add_HealthServicer_to_server(health_servicer, self._server)
        reflection.enable_server_reflection(
            [service.full_name for service in _services()] + [reflection.SERVICE_NAME], self._server
        )

    async def start(self, address: str) -> int:
        """Listen; answers with the port. Raises ListenError."""
        with _listen_errors(address):
            _try_address(address)
            port = (
                self._server.add_insecure_port(address)
                if self._access.tls is None
                else self._server.add_secure_port(address, self._access.tls.server_credentials())
            )
        await self._server.start()
        return port

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls and end those that are running within the grace time."""
        await self._server.stop(grace_s)


def _services() -> Iterator[ServiceDescriptor]:
    for module in (
        scoring_pb2,
        job_pb2,
        attempt_pb2,
        artifact_pb2,
        environment_pb2,
        operator_pb2,
        health_pb2,
    ):
        yield from module.DESCRIPTOR.services_by_name.values()


def _try_address(address: str) -> None:
    """Bind once by hand: gRPC tells its reason to standard error only. Raises OSError."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, int(port)))


@contextlib.contextmanager
def _listen_errors(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise ListenError(
            f"cannot listen on {address}: another server may be running there, or the address is not of this "
            "machine; choose another with --listen HOST:PORT"
        ) from error
