"""Every metric of a server in one place: what is registered here is what a scrape gets."""

import asyncio
import logging
import platform
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

import scorer_service
from scorer_service.metrics.artifacts import ArtifactMetrics
from scorer_service.metrics.device import DeviceMetrics
from scorer_service.metrics.failures import FailureMetrics
from scorer_service.metrics.jobs import MeteredQueue
from scorer_service.metrics.lanes import LaneMetrics
from scorer_service.metrics.sandboxes import SandboxMetrics
from scorer_service.metrics.stages import StageMetrics
from scorer_service.store.interface import JobQueue

log = logging.getLogger(__name__)

REFRESH_EVERY_S = 2.0


class ServiceMetrics:
    """The metrics of one server, and the decorators that feed them."""

    def __init__(self, *, profile: str, state_dir: Path) -> None:
        # For each counter and histogram a gauge more, which no query of ours needs.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry = CollectorRegistry()
        self._state_dir = state_dir
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        Info("scorer_build", "What is running.", registry=registry).info(
            {
                "version": scorer_service.__version__,
                "python": platform.python_version(),
                "profile": profile,
            }
        )
        self._serving = Gauge(
            "scorer_environment_serving",
            "1 where an environment takes submissions; 0 while it starts, where its self-test failed, and "
            "while the server drains.",
            ["environment"],
            registry=registry,
        )
        self._refreshed = Gauge(
            "scorer_refresh_timestamp_seconds",
            "When the gauges were refreshed last, in seconds since the epoch: every 2 s where all is well.",
            registry=registry,
        )
        self._refresh_failures = Counter(
            "scorer_refresh_failures", "Refreshes that failed, of the store say.", registry=registry
        )
        self._free_bytes = Gauge(
            "scorer_state_free_bytes",
            "Room on the disk of the state folder, for the service's user.",
            registry=registry,
        )
        self._failures = FailureMetrics(registry)
        self.lanes = LaneMetrics(registry)
        self.stages = StageMetrics(registry, failures=self._failures, lanes=self.lanes)
        self.sandboxes = SandboxMetrics(registry)
        self.device = DeviceMetrics(registry)
        self.artifacts = ArtifactMetrics(registry)

    def metered_queue(self, queue: JobQueue) -> MeteredQueue:
        """The queue with everything counted."""
        return MeteredQueue(queue, self.registry, failures=self._failures, lanes=self.lanes)

    async def keep_fresh(
        self, queue: MeteredQueue, environments: Sequence[str], is_serving: Callable[[str], bool]
    ) -> None:
        """Refresh until cancelled what is not told by an event: a scrape must not wait for store or disk."""
        queue.add_environments(environments)
        while True:
            try:
                await self._refresh(queue, environments, is_serving)
            except Exception:
                # The disk is full, say. The next try may do; until then the timestamp stands still.
                log.exception("cannot refresh the metrics; trying again")
                self._refresh_failures.inc()
            await asyncio.sleep(REFRESH_EVERY_S)

    async def _refresh(
        self, queue: MeteredQueue, environments: Sequence[str], is_serving: Callable[[str], bool]
    ) -> None:
        for environment in environments:
            self._serving.labels(environment).set(is_serving(environment))
        self.device.refresh()
        await queue.refresh(environments)
        usage = await asyncio.to_thread(shutil.disk_usage, self._state_dir)
        self._free_bytes.set(usage.free)
        self._refreshed.set(time.time())
