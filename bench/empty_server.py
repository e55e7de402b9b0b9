"""A server whose jobs do nothing but take a time: what is left is queue, store and RPCs.

`bench/empty_server.py STATE_DIR JOB_S PLACES QUEUE_LIMIT` prints its address, and ends with standard input.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from grpc_health.v1 import health
from prometheus_client import CollectorRegistry
from scorer.v1 import rust_codecontests_pb2 as messages

from scorer_service import freed_memory
from scorer_service.api.access.control import AccessControl
from scorer_service.api.registry import EnvironmentRegistry, Readiness
from scorer_service.api.server import ApiServer
from scorer_service.environments.interface import (
    Direction,
    Environment,
    EnvironmentDescription,
    Outcome,
    Stage,
    StageContext,
    StarterFile,
    Verdict,
)
from scorer_service.metrics.jobs import MeteredQueue
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifact_owners import SqliteArtifactOwners
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import Database
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits


class EmptyEnvironment(Environment):
    """Every submission is worth 1."""

    name = "rust_codecontests"
    request_type = messages.ScoreRustCodecontestsRequest
    response_type = messages.ScoreRustCodecontestsResponse

    def __init__(self, job_s: float) -> None:
        self._job_s = job_s

    async def start(self) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing to do."""

    def describe(self) -> EnvironmentDescription:
        """As little as there is."""
        return EnvironmentDescription(
            name=self.name,
            description="Does nothing.",
            profile="embedded",
            device="cpu",
            raw_score_unit="none",
            direction=Direction.HIGHER,
            anchors=None,
            inline_source_limit_bytes=1 << 16,
            source_limit_bytes=1 << 16,
            limits=[],
            isolation="none",
        )

    def validate(self, request: Message) -> None:
        """Takes everything."""

    @property
    def stages(self) -> Sequence[Stage]:
        """One, in the usual lane."""
        return [Stage("judge", "judge", self._judge)]

    def starter(self) -> Sequence[StarterFile]:
        """None."""
        return []

    async def _judge(self, value: Any, context: StageContext) -> Outcome:
        await asyncio.sleep(self._job_s)
        return Outcome(Verdict.SCORED, 1.0, "", messages.ScoreRustCodecontestsResponse(), {})


async def serve(folder: Path, job_s: float, places: int, queue_limit: int) -> None:
    """Until standard input ends."""
    database = Database(folder / "jobs.sqlite3")
    registry = CollectorRegistry()
    queue = MeteredQueue(SqliteJobQueue(database), registry)
    environment = EmptyEnvironment(job_s)
    environments = {environment.name: environment}
    artifacts = ArtifactFolder(folder / "artifacts", artifact_limit_bytes=1, quota_bytes=1)
    settings = SchedulerSettings(
        owner="bench",
        lane_places={"judge": places},
        limits=QueueLimits(queue_limit=queue_limit, client_queue_limit=queue_limit),
    )
    scheduler = Scheduler(settings, queue, artifacts, environments)
    health_servicer = health.aio.HealthServicer()
    served = EnvironmentRegistry(environments, health_servicer)
    api = ApiServer(
        registry=served,
        health_servicer=health_servicer,
        scheduler=scheduler,
        queue=queue,
        attempts=SqliteAttemptStore(database),
        artifacts=artifacts,
        access=AccessControl(SqliteArtifactOwners(database), None),
        metrics=registry,
    )
    await served.publish()
    await scheduler.start()
    scheduler.serve(environment.name)
    await served.set_readiness(environment.name, Readiness.SERVING)
    print(f"127.0.0.1:{await api.start('127.0.0.1:0')}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await scheduler.drain(0)
    await api.stop(0)
    database.close()


if __name__ == "__main__":
    freed_memory.return_to_system()  # as `scorer serve` does
    asyncio.run(serve(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
