"""What an operator works on in a server with a scripted environment: its device passes or fails as told."""

import time

from scorer_service.api.operator import Operated
from scorer_service.api.registry import EnvironmentRegistry
from scorer_service.operation.devices import DeviceKeeper
from scorer_service.operation.draining import Drain
from scorer_service.operation.self_test import SelfTestFailed
from scorer_service.scheduling.scheduler import Scheduler
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskRoom
from scorer_service.store.job_listing import JobListing
from scorer_service.store.quarantines import QuarantineStore
from scorer_service.worker.device_info import DeviceInfo

CPU = DeviceInfo("cpu", "cpu", "a CPU; 2 cores", "2.0", "3.0", 1 << 30)


class ScriptedOperation:
    """A device named cpu, which the environment measures on."""

    def __init__(self, registry: EnvironmentRegistry, scheduler: Scheduler, environment: str) -> None:
        self._registry = registry
        self._scheduler = scheduler
        self._environment = environment
        self.found = ""
        """What the self-test finds wrong; empty where the device passes."""
        self.ended = 0
        """How often the server was asked to end."""
        self.quarantined: dict[str, bool] = {}
        """As the metrics are told."""
        self.keeper: DeviceKeeper
        self.drain: Drain
        self.room: DiskRoom

    def operated(self, database: Database, artifacts: ArtifactFolder, room: DiskRoom) -> Operated:
        self.room = room
        self.drain = Drain(
            self._scheduler,
            grace_s=5.0,
            set_draining=self._registry.set_draining,
            end_server=self._end,
        )
        self.keeper = self.new_keeper(database)
        return Operated(
            self.drain,
            {"cpu": self.keeper},
            JobListing(database),
            artifacts,
            room,
            started_at=time.time(),
        )

    def new_keeper(self, database: Database) -> DeviceKeeper:
        """As a server that starts on this store makes one."""
        return DeviceKeeper(
            "cpu",
            [self._environment],
            open_device=self._open,
            self_test=self._test,
            store=QuarantineStore(database),
            use=self,
            interval_minutes=0,
            on_change=self.quarantined.__setitem__,
        )

    async def take_out(self, reason: str) -> None:
        await self._registry.set_quarantine(self._environment, reason)
        await self._scheduler.hold(self._environment)

    async def put_back(self) -> None:
        await self._registry.set_quarantine(self._environment, None)
        self._scheduler.serve(self._environment)

    async def _open(self) -> DeviceInfo:
        return CPU

    async def _test(self) -> None:
        if self.found:
            raise SelfTestFailed(self.found)

    def _end(self) -> None:
        self.ended += 1
