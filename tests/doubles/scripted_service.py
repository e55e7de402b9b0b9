"""A server with a scripted environment, as tests see it; the fixture is in tests/api/conftest.py."""

from dataclasses import dataclass

import grpc.aio
from prometheus_client import CollectorRegistry
from scripted_environment import ScriptedEnvironment
from scripted_operation import ScriptedOperation

from scorer_service.api.registry import EnvironmentRegistry
from scorer_service.api.server import ApiServer
from scorer_service.scheduling.scheduler import Scheduler


@dataclass
class Service:
    """The server and what a test looks into."""

    environment: ScriptedEnvironment
    registry: EnvironmentRegistry
    scheduler: Scheduler
    metrics: CollectorRegistry
    address: str
    channel: grpc.aio.Channel
    api: ApiServer
    operation: ScriptedOperation
