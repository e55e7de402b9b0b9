"""A real server over a real channel, with a scripted environment behind it."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc.aio
import pytest
from grpc_health.v1 import health
from prometheus_client import CollectorRegistry
from scripted_environment import ScriptedEnvironment
from scripted_operation import ScriptedOperation
from scripted_service import Service

from scorer_service.api.access.control import AccessControl
from scorer_service.api.registry import EnvironmentRegistry, Readiness
from scorer_service.api.server import ApiServer
from scorer_service.metrics.jobs import MeteredQueue
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifact_owners import SqliteArtifactOwners
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskRoom
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits
from scorer_service.store.tokens import TokenFile


@pytest.fixture
def heartbeat_s() -> float:
    """Silence after which a watcher hears again; a test may give a shorter one."""
    return 10.0


@pytest.fixture
def is_ready() -> bool:
    """Whether the environment is ready when the server answers first."""
    return True


@pytest.fixture
def tokens() -> TokenFile | None:
    """The tokens that callers are asked for; a test of access has some."""
    return None


@pytest.fixture
def limits() -> QueueLimits:
    """What is refused; a test of overload has others."""
    return QueueLimits()


@pytest.fixture
def attempt_budget() -> int:
    """Of attempts that are created without one; 0 for no limit."""
    return 0


@pytest.fixture
async def service(
    tmp_path: Path,
    heartbeat_s: float,
    is_ready: bool,
    tokens: TokenFile | None,
    limits: QueueLimits,
    attempt_budget: int,
) -> AsyncIterator[Service]:
    database = Database(tmp_path / "jobs.sqlite3")
    metrics = CollectorRegistry()
    room = DiskRoom(tmp_path, 0)
    queue = MeteredQueue(SqliteJobQueue(database, room=room), metrics)
    environment = ScriptedEnvironment()
    artifacts = ArtifactFolder(
        tmp_path / "artifacts", artifact_limit_bytes=8 << 20, quota_bytes=16 << 20, room=room
    )
    environments = {environment.name: environment}
    settings = SchedulerSettings(owner="test", lane_places={"build": 4, "judge": 1}, ahead=0, limits=limits)
    scheduler = Scheduler(settings, queue, artifacts, environments)
    health_servicer = health.aio.HealthServicer()
    registry = EnvironmentRegistry(environments, health_servicer)
    operation = ScriptedOperation(registry, scheduler, environment.name)
    operated = operation.operated(database, artifacts, room)
    api = ApiServer(
        registry=registry,
        health_servicer=health_servicer,
        scheduler=scheduler,
        queue=queue,
        attempts=SqliteAttemptStore(database),
        artifacts=artifacts,
        access=AccessControl(SqliteArtifactOwners(database), tokens),
        metrics=metrics,
        operated=operated,
        heartbeat_s=heartbeat_s,
        attempt_budget=attempt_budget,
    )
    await registry.publish()
    await scheduler.start()
    scheduler.serve(environment.name)
    if is_ready:
        await registry.set_readiness(environment.name, Readiness.SERVING)
    address = f"127.0.0.1:{await api.start('127.0.0.1:0')}"
    async with grpc.aio.insecure_channel(address) as channel:
        yield Service(environment, registry, scheduler, metrics, address, channel, api, operation)
    environment.released.set()
    await scheduler.drain(5)
    await api.stop(0)
    database.close()
