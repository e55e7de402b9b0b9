"""Metrics of the device: its gate and its worker, decorated."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import scorer_launcher
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.worker.client import OperationFailed, Worker, WorkerLost, WorkerUnavailable
from scorer_service.worker.gate import DeviceGate
from scorer_service.worker.process import Progress
from scorer_service.worker.protocol import JSON

_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (OperationFailed, "failed"),
    (WorkerLost, "lost"),
    (WorkerUnavailable, "unavailable"),
    (asyncio.CancelledError, "cancelled"),
)


class DeviceMetrics:
    """Follows the device of a server. Belongs to the event loop."""

    def __init__(self, registry: CollectorRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wait = Histogram(
            "scorer_device_wait_seconds",
            "Time from asking for the device to having it: exclusive, to measure; shared, for what may run "
            "beside others.",
            ["use"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._use = Histogram(
            "scorer_device_use_seconds",
            "Time for which the device was held: exclusive, to measure; shared, to load, warm up and check.",
            ["use"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._busy = Counter(
            "scorer_device_busy_seconds", "Time in which somebody held the device.", registry=registry
        )
        self._calls = Histogram(
            "scorer_worker_call_seconds",
            "Time that an operation took in the worker, which owns the device and the clock.",
            ["operation", "outcome"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._up = Gauge(
            "scorer_worker_up",
            "1 where the worker takes calls; 0 while there is none, or none is needed.",
            registry=registry,
        )
        self._restarts = Counter(
            "scorer_worker_restarts",
            "New processes in the place of workers that had died.",
            registry=registry,
        )
        self._info = Gauge(
            "scorer_device_info",
            "1; the labels say which device this server measures on.",
            ["kind", "device"],
            registry=registry,
        )
        self._quarantined = Gauge(
            "scorer_device_quarantined",
            "1 where a device is out of use: its self-test failed, or an operator wanted so.",
            ["device"],
            registry=registry,
        )
        self._worker: Worker | None = None
        self._restarts_seen = 0
        self._users = 0
        self._since = clock()

    def make_worker(self, python: Path, device: str) -> Worker:
        """A worker whose calls are timed."""
        self._worker = _MeteredWorker(python, device, self)
        return self._worker

    def make_gate(self, backend: SandboxBackend, *, device_is_cpu: bool) -> DeviceGate:
        """A gate whose users are timed."""
        return _MeteredGate(backend, self, device_is_cpu=device_is_cpu)

    def set_quarantined(self, device: str, is_quarantined: bool) -> None:
        """A device was taken out of use, or put back."""
        self._quarantined.labels(device).set(is_quarantined)

    def refresh(self) -> None:
        """Bring everything up to now."""
        self._advance()
        worker = self._worker
        # Before its first start there is nothing to be up or down.
        if worker is None or not worker.has_started:
            return
        self._up.set(worker.pid is not None)
        self._restarts.inc(worker.restarts - self._restarts_seen)
        self._restarts_seen = worker.restarts
        self._info.labels(worker.device.kind, worker.device.name).set(1)

    def _advance(self) -> None:
        now = self._clock()
        elapsed_s, self._since = now - self._since, now
        if self._users:
            self._busy.inc(elapsed_s)

    @contextlib.contextmanager
    def _holding(self, use: str, asked_at: float) -> Iterator[None]:
        began = self._clock()
        self._wait.labels(use).observe(began - asked_at)
        self._advance()
        self._users += 1
        try:
            yield
        finally:
            self._advance()
            self._users -= 1
            self._use.labels(use).observe(self._clock() - began)

    @contextlib.contextmanager
    def _calling(self, operation: str) -> Iterator[None]:
        began, outcome = self._clock(), "ok"
        try:
            yield
        except BaseException as error:
            outcome = next((name for kind, name in _OUTCOMES if isinstance(error, kind)), "failed")
            raise
        finally:
            # The operations are functions of this package, so there are few of them.
            self._calls.labels(operation.rpartition(":")[2], outcome).observe(self._clock() - began)


class _MeteredGate(DeviceGate):
    def __init__(self, backend: SandboxBackend, metrics: DeviceMetrics, *, device_is_cpu: bool) -> None:
        super().__init__(backend, device_is_cpu=device_is_cpu)
        self._metrics = metrics

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[scorer_launcher.Places]:
        asked_at = self._metrics._clock()
        async with super().shared() as places:
            with self._metrics._holding("shared", asked_at):
                yield places

    @contextlib.asynccontextmanager
    async def exclusive(self) -> AsyncIterator[scorer_launcher.Places]:
        asked_at = self._metrics._clock()
        async with super().exclusive() as places:
            with self._metrics._holding("exclusive", asked_at):
                yield places


class _MeteredWorker(Worker):
    def __init__(self, python: Path, device: str, metrics: DeviceMetrics) -> None:
        super().__init__(python, device)
        self._metrics = metrics

    async def call(
        self,
        operation: str,
        arguments: Mapping[str, JSON],
        *,
        descriptors: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> Any:
        with self._metrics._calling(operation):
            return await super().call(operation, arguments, descriptors=descriptors, progress=progress)
