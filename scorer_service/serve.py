"""Puts the parts of a server together, runs it, and takes it down again."""

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence

from grpc_health.v1 import health

import scorer_service
from scorer_service import freed_memory, listener, state_dir
from scorer_service.api.access.control import AccessControl
from scorer_service.api.operator import Operated
from scorer_service.api.registry import EnvironmentRegistry, Readiness
from scorer_service.api.server import ApiServer
from scorer_service.configuration import Configuration, ConfigurationError, host_and_port
from scorer_service.environments.discovery import create_environment, environment_names
from scorer_service.environments.interface import NotServing
from scorer_service.logs import context as log_context
from scorer_service.metrics.endpoint import MetricsEndpoint
from scorer_service.metrics.service import ServiceMetrics
from scorer_service.operation.devices import DeviceKeeper, device_name
from scorer_service.operation.draining import Drain
from scorer_service.operation.self_test import DeviceSelfTest
from scorer_service.sandbox import isolation, python_toolchain
from scorer_service.sandbox.choice import open_backend
from scorer_service.scheduling.canaries import Canaries
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifact_expiry import ArtifactExpiry
from scorer_service.store.artifact_owners import SqliteArtifactOwners
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import FILE_NAME as DATABASE_NAME
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskRoom
from scorer_service.store.job_listing import JobListing
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import RATE_WINDOW_S, QueueLimits
from scorer_service.store.quarantines import QuarantineStore
from scorer_service.tracing.opening import open_tracing
from scorer_service.worker.device_access import DeviceAccess, DeviceUnavailable

log = logging.getLogger(__name__)

PURGE_EVERY_S = 3600.0
DEVICE_LANE = "device"
"""The lane of what is measured; whoever has a stage there needs the device."""
STARTS_LIMIT = 2
"""Of an environment. Once, a worker or a sandbox may be killed while it starts as at any other time; twice
says that something is missing."""


def run(configuration: Configuration) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises ConfigurationError, ListenError, MetricsListenError, state_dir.StateDirBusy, SandboxError,
    TooLittleIsolation.
    """
    if configuration.problem_set is not None and not configuration.problem_set.is_file():
        raise ConfigurationError(f"problem_set must be a file, and {configuration.problem_set} is none")
    chosen_environments(configuration)
    listener.check(configuration)
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    freed_memory.return_to_system()
    with state_dir.locked(configuration.state_dir):
        asyncio.run(_serve(configuration))


def chosen_environments(configuration: Configuration) -> Sequence[str]:
    """The environments to serve. Raises ConfigurationError for one that there is not."""
    known = environment_names()
    if configuration.environments == "all":
        return known
    chosen = configuration.environments.split(",")
    for name in chosen:
        if name not in known:
            raise ConfigurationError(f"environments names {name!r}: there are {', '.join(known)}")
    return list(dict.fromkeys(chosen))


class Server:
    """One running server."""

    def __init__(self, configuration: Configuration, end: Callable[[], None]) -> None:
        """`end` asks whoever runs the server to stop it."""
        self._configuration = configuration
        self._tracing = tracing = open_tracing(configuration.trace_endpoint)
        folder = configuration.state_dir
        metrics = ServiceMetrics(profile=configuration.profile, state_dir=folder)
        self._metrics = metrics
        self._backend = open_backend(
            configuration.sandbox, folder / state_dir.CONTAINERS_DIR, configuration.slots or None
        )
        isolation.check(configuration.require_isolation, self._backend.isolation)
        self._database = Database(folder / DATABASE_NAME)
        room = DiskRoom(folder, configuration.disk_reserve_mib << 20)
        sandboxes = tracing.backend(metrics.sandboxes.metered(self._backend))
        queue = metrics.metered_queue(SqliteJobQueue(self._database, room=room))
        self._queue = queue
        artifacts = metrics.artifacts.folder(
            folder / "artifacts",
            artifact_limit_bytes=configuration.artifact_limit_mib << 20,
            quota_bytes=configuration.artifact_quota_mib << 20,
            room=room,
        )
        self._expiry = ArtifactExpiry(self._database, artifacts, configuration.artifact_days)
        self._device = DeviceAccess(
            sandboxes,
            configuration.torch_python or python_toolchain.default_python(),
            configuration.device,
            make_worker=tracing.make_worker(metrics.device.make_worker),
            make_gate=tracing.make_gate(metrics.device.make_gate),
        )
        self._environments = {
            name: tracing.environment(
                metrics.stages.metered(
                    create_environment(
                        name, state_dir.environment_settings(name, configuration, sandboxes, self._device)
                    )
                )
            )
            for name in chosen_environments(configuration)
        }
        self._scheduler = Scheduler(
            SchedulerSettings(
                owner=f"{socket.gethostname()}:{os.getpid()}",
                lane_places={
                    "judge": configuration.concurrent_jobs,
                    "build": configuration.concurrent_jobs,
                    DEVICE_LANE: 1,
                },
                limits=QueueLimits(
                    queue_limit=configuration.queue_limit,
                    client_queue_limit=configuration.client_queue_limit,
                    scorings_per_hour=configuration.scorings_per_hour,
                ),
            ),
            tracing.queue(queue),
            artifacts,
            self._environments,
            make_lane=tracing.make_lane(metrics.lanes.make_lane),
            make_delivery=tracing.make_delivery,
        )
        health_servicer = health.aio.HealthServicer()
        self._registry = EnvironmentRegistry(self._environments, health_servicer)
        self._starting: set[str] = set()
        """Environments that start now."""
        self._started: set[str] = set()
        """Those whose start has succeeded."""
        self._drain = Drain(
            self._scheduler,
            grace_s=configuration.drain_grace_s,
            set_draining=self._registry.set_draining,
            end_server=end,
        )
        self._keeper = self._device_keeper()
        self._api = ApiServer(
            registry=self._registry,
            health_servicer=health_servicer,
            scheduler=self._scheduler,
            queue=queue,
            attempts=SqliteAttemptStore(self._database),
            artifacts=artifacts,
            access=AccessControl(
                SqliteArtifactOwners(self._database),
                listener.tokens(configuration),
                listener.transport(configuration),
            ),
            metrics=metrics.registry,
            operated=Operated(
                self._drain,
                {} if self._keeper is None else {self._keeper.name: self._keeper},
                JobListing(self._database),
                artifacts,
                room,
                started_at=time.time(),
            ),
            expire_artifacts=self._expiry.run,
            attempt_budget=configuration.attempt_budget,
            outer_interceptors=tracing.interceptors,
        )
        self._canaries = Canaries(
            self._environments, self._scheduler, configuration.canary_minutes, metrics.registry
        )
        self._endpoint: MetricsEndpoint | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen, then get the environments ready. Raises ListenError, MetricsListenError."""
        configuration = self._configuration
        await self._registry.publish()
        await self._scheduler.start()
        if self._keeper is not None:
            await self._keeper.remember()
        host, port = host_and_port(configuration.metrics_listen)
        self._endpoint = MetricsEndpoint(host, port, self._metrics.registry, self._is_healthy)
        rpc_port = await self._api.start(configuration.listen)
        rpc_host = configuration.listen.rpartition(":")[0]
        log.info("scorer %s, profile %s", scorer_service.__version__, configuration.profile)
        log.info("state in %s", configuration.state_dir)
        log.info("sandbox: %s", self._backend.description)
        for complaint in self._backend.isolation.complaints:
            log.warning("sandbox: %s", complaint)
        speaks = "plaintext" if configuration.tls_certificate is None else "TLS"
        log.info("RPCs on %s:%d, in %s", rpc_host, rpc_port, speaks)
        metrics_host = configuration.metrics_listen.rpartition(":")[0]
        log.info("metrics on http://%s:%d/metrics", metrics_host, self._endpoint.port)
        if configuration.trace_endpoint:
            log.info("traces to %s", configuration.trace_endpoint)
        self._tasks = [
            asyncio.create_task(
                self._metrics.keep_fresh(self._queue, list(self._environments), self._registry.is_serving),
                name="metrics",
            ),
            asyncio.create_task(self._purge(), name="purge"),
            asyncio.create_task(self._canaries.run(), name="canaries"),
        ]
        if self._keeper is not None:
            self._tasks.append(asyncio.create_task(self._keeper.watch(), name="self-tests"))
        await asyncio.gather(*(self._start_environment(name) for name in self._environments))

    async def stop(self) -> None:
        """Drain: refuse, let the running jobs end, put the rest back, give everything back."""
        await self._drain.end()
        # Answers that are ready now need a moment to leave.
        await self._api.stop(1.0)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for environment in self._environments.values():
            await environment.close()
        await self._device.close()
        if self._endpoint is not None:
            await asyncio.to_thread(self._endpoint.close)
        self._database.close()
        await asyncio.to_thread(self._tracing.close)
        if self._tasks:
            log.info("stopped")

    def _is_healthy(self) -> bool:
        return any(self._registry.is_serving(name) for name in self._environments)

    async def _start_environment(self, name: str) -> None:
        """Start it and serve it, unless that is under way."""
        if name in self._starting:
            return
        self._starting.add(name)
        try:
            await self._try_to_start(name)
        finally:
            self._starting.discard(name)

    async def _try_to_start(self, name: str) -> None:
        log_context.bind(environment=name)
        reason = ""
        for _ in range(STARTS_LIMIT):
            try:
                if self._keeper is not None and self._keeper.serves(name) and not await self._keeper.start():
                    return  # `put_back` comes when the device may be used
                await self._environments[name].start()
                break
            except (NotServing, DeviceUnavailable) as error:
                log.error("%s did not start: %s", name, error)
                reason = str(error)
            except Exception as error:
                log.exception("%s did not start", name)
                reason = f"its start failed ({type(error).__name__}); the log of the server says why"
        else:
            log.error("%s is not served: it failed to start %d times", name, STARTS_LIMIT)
            await self._registry.set_readiness(name, Readiness.FAILED, reason)
            return
        self._started.add(name)
        if not self._registry.is_quarantined(name):
            self._scheduler.serve(name)
        self._canaries.watch(name)
        await self._registry.set_readiness(name, Readiness.SERVING)
        log.info("%s is SERVING", name)

    def _device_keeper(self) -> DeviceKeeper | None:
        """None where no environment measures on the device."""
        measuring = [
            name
            for name, environment in self._environments.items()
            if any(stage.lane == DEVICE_LANE for stage in environment.stages)
        ]
        if not measuring:
            return None
        store = QuarantineStore(self._database)
        keeper = DeviceKeeper(
            device_name(self._configuration.device),
            measuring,
            open_device=self._device.start,
            self_test=DeviceSelfTest(self._device, store),
            store=store,
            use=self,
            interval_minutes=self._configuration.device_selftest_minutes,
            on_change=self._metrics.device.set_quarantined,
        )
        self._device.worker.on_death = keeper.worker_died
        return keeper

    async def take_out(self, reason: str) -> None:
        """See `DeviceUse.take_out`."""
        assert self._keeper is not None
        names = self._keeper.status.environments
        for name in names:
            await self._registry.set_quarantine(name, reason)
        for name in names:
            await self._scheduler.hold(name)

    async def put_back(self) -> None:
        """See `DeviceUse.put_back`."""
        assert self._keeper is not None
        for name in self._keeper.status.environments:
            await self._registry.set_quarantine(name, None)
            if name in self._started:
                self._scheduler.serve(name)
            else:
                self._tasks.append(asyncio.create_task(self._start_environment(name), name=f"start {name}"))

    async def _purge(self) -> None:
        while True:
            try:
                # The rate is counted from what is stored.
                retention_s = max(self._configuration.retention_days * 86_400, RATE_WINDOW_S)
                if deleted := await self._queue.purge(retention_s):
                    log.info("deleted %d results past their retention time", deleted)
                if expired := await self._expiry.run():
                    log.info("deleted %d artifacts that nobody used for long", expired)
            except Exception:
                log.exception("cannot delete what has expired; trying again later")
            await asyncio.sleep(PURGE_EVERY_S)


async def _serve(configuration: Configuration) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = Server(configuration, stop.set)
    starting = asyncio.create_task(server.start())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
    try:
        if starting.done():
            starting.result()
            await stopping
        else:
            starting.cancel()
            await asyncio.wait([starting])
    finally:
        stopping.cancel()
        await server.stop()
