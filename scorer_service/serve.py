"""Puts the parts of a server together, runs it, and takes it down again."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Sequence

from grpc_health.v1 import health

import scorer_service
from scorer_service import freed_memory, listener, state_dir
from scorer_service.api.access.control import AccessControl
from scorer_service.api.registry import EnvironmentRegistry, Readiness
from scorer_service.api.server import ApiServer
from scorer_service.configuration import Configuration, ConfigurationError, host_and_port
from scorer_service.environments.discovery import create_environment, environment_names
from scorer_service.environments.interface import NotServing
from scorer_service.logs import context as log_context
from scorer_service.metrics.endpoint import MetricsEndpoint
from scorer_service.metrics.service import ServiceMetrics
from scorer_service.sandbox import isolation, python_toolchain
from scorer_service.sandbox.choice import open_backend
from scorer_service.scheduling.canaries import Canaries
from scorer_service.scheduling.scheduler import Scheduler, SchedulerSettings
from scorer_service.store.artifact_owners import SqliteArtifactOwners
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import FILE_NAME as DATABASE_NAME
from scorer_service.store.database import Database
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import RATE_WINDOW_S, QueueLimits
from scorer_service.tracing.opening import open_tracing
from scorer_service.worker.device_access import DeviceAccess

log = logging.getLogger(__name__)

PURGE_EVERY_S = 3600.0


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

    def __init__(self, configuration: Configuration) -> None:
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
        sandboxes = tracing.backend(metrics.sandboxes.metered(self._backend))
        queue = metrics.metered_queue(SqliteJobQueue(self._database))
        self._queue = queue
        artifacts = metrics.artifacts.folder(
            folder / "artifacts",
            artifact_limit_bytes=configuration.artifact_limit_mib << 20,
            quota_bytes=configuration.artifact_quota_mib << 20,
        )
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
                    "device": 1,
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
        await asyncio.gather(*(self._start_environment(name) for name in self._environments))

    async def stop(self) -> None:
        """Drain: refuse, let the running jobs end, put the rest back, give everything back."""
        if self._tasks:
            log.info(
                "draining: running submissions have %.0f s to end, the others stay in the queue",
                self._configuration.drain_grace_s,
            )
        for name in self._environments:
            await self._registry.set_readiness(name, Readiness.DRAINING)
        await self._scheduler.drain(self._configuration.drain_grace_s)
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
        log_context.bind(environment=name)
        try:
            await self._environments[name].start()
        except NotServing as error:
            log.error("%s is not served: %s", name, error)
            await self._registry.set_readiness(name, Readiness.FAILED, str(error))
            return
        except Exception as error:
            log.exception("%s is not served: its start failed", name)
            reason = f"its start failed ({type(error).__name__}); the log of the server says why"
            await self._registry.set_readiness(name, Readiness.FAILED, reason)
            return
        self._scheduler.serve(name)
        self._canaries.watch(name)
        await self._registry.set_readiness(name, Readiness.SERVING)
        log.info("%s is SERVING", name)

    async def _purge(self) -> None:
        while True:
            # The rate is counted from what is stored.
            retention_s = max(self._configuration.retention_days * 86_400, RATE_WINDOW_S)
            deleted = await self._queue.purge(retention_s)
            if deleted:
                log.info("deleted %d results past their retention time", deleted)
            await asyncio.sleep(PURGE_EVERY_S)


async def _serve(configuration: Configuration) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = Server(configuration)
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
