"""EnvironmentService: what is served, and where an agent starts."""

import asyncio
from collections.abc import AsyncIterator

import grpc
from scorer.v1 import environment_pb2, environment_pb2_grpc

import scorer_service
from scorer_service.api.errors import ApiError
from scorer_service.api.interceptors.around import Context
from scorer_service.api.messages import environment as environment_message
from scorer_service.api.registry import CONTRACT_ENVIRONMENTS, EnvironmentRegistry
from scorer_service.environments.interface import NotServing
from scorer_service.scheduling.scheduler import Scheduler
from scorer_service.store.interface import JobQueue

CHUNK_LIMIT_BYTES = 1 << 20


class EnvironmentServicer(environment_pb2_grpc.EnvironmentServiceServicer):
    """Shows the registry."""

    def __init__(self, registry: EnvironmentRegistry, scheduler: Scheduler, queue: JobQueue) -> None:
        self._registry = registry
        self._scheduler = scheduler
        self._queue = queue

    async def ListEnvironments(
        self, request: environment_pb2.ListEnvironmentsRequest, context: Context
    ) -> environment_pb2.ListEnvironmentsResponse:
        """All of the contract."""
        return environment_pb2.ListEnvironmentsResponse(
            environments=[await self._describe(name) for name in sorted(CONTRACT_ENVIRONMENTS)],
            server_version=scorer_service.__version__,
        )

    async def GetStarter(
        self, request: environment_pb2.GetStarterRequest, context: Context
    ) -> AsyncIterator[environment_pb2.GetStarterResponse]:
        """The files of a starter, piece by piece."""
        environment = self._registry.served(request.environment)
        try:
            files = await asyncio.to_thread(environment.starter)
        except NotServing as error:
            reason = self._registry.not_serving_reason(environment.name) or str(error)
            raise ApiError(
                grpc.StatusCode.UNAVAILABLE,
                "ENVIRONMENT_NOT_SERVING",
                f"{environment.name} has no starter now: {reason}",
            ) from None
        for file in files:
            for begin in range(0, max(1, len(file.content)), CHUNK_LIMIT_BYTES):
                end = begin + CHUNK_LIMIT_BYTES
                yield environment_pb2.GetStarterResponse(
                    path=file.path,
                    chunk=file.content[begin:end],
                    last_chunk=end >= len(file.content),
                    executable=file.executable,
                )

    async def _describe(self, name: str) -> environment_pb2.Environment:
        environment = self._registry.environments.get(name)
        if environment is None:
            message = environment_pb2.Environment(name=name)
        else:
            message = environment_message(environment.describe())
            message.queue_depth = (await self._queue.state(name)).depth
            message.expected_wait.FromNanoseconds(int(await self._scheduler.expected_wait_s(name) * 1e9))
        message.serving = self._registry.is_serving(name)
        message.not_serving_reason = self._registry.not_serving_reason(name)
        return message
