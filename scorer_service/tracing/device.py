"""Spans of the device: waits for it, its uses, calls of its worker."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import scorer_launcher

from scorer_service.tracing.forwarding import Forwarding
from scorer_service.tracing.spans import Spans
from scorer_service.worker.client import Worker
from scorer_service.worker.gate import BackgroundWork, DeviceGate
from scorer_service.worker.protocol import JSON

USE = "scorer.device.use"
"""exclusive, to measure; shared, to check; preparing and background, which stand still while one measures."""
OPERATION = "scorer.worker.operation"

_T = TypeVar("_T")


class TracedGate(Forwarding):
    """A `DeviceGate` with a span for each wait and each use."""

    inner: DeviceGate

    def __init__(self, gate: DeviceGate, spans: Spans) -> None:
        super().__init__(gate)
        self._spans = spans

    def shared(self) -> AbstractAsyncContextManager[scorer_launcher.Places]:
        """See `DeviceGate.shared`."""
        return self._traced("shared", self.inner.shared())

    def exclusive(self) -> AbstractAsyncContextManager[scorer_launcher.Places]:
        """See `DeviceGate.exclusive`."""
        return self._traced("exclusive", self.inner.exclusive())

    def preparing(self) -> AbstractAsyncContextManager[BackgroundWork]:
        """See `DeviceGate.preparing`."""
        return self._traced("preparing", self.inner.preparing())

    def background(self, count: int) -> AbstractAsyncContextManager[BackgroundWork]:
        """See `DeviceGate.background`."""
        return self._traced("background", self.inner.background(count))

    @contextlib.asynccontextmanager
    async def _traced(self, use: str, entered: AbstractAsyncContextManager[_T]) -> AsyncIterator[_T]:
        async with contextlib.AsyncExitStack() as stack:
            with self._spans.ending(self._spans.begin("wait for device", {USE: use})):
                value = await stack.enter_async_context(entered)
            with self._spans.ending(self._spans.begin("device", {USE: use})):
                yield value


class TracedWorker(Forwarding):
    """A `Worker` with a span for each call."""

    inner: Worker

    def __init__(self, worker: Worker, spans: Spans) -> None:
        super().__init__(worker)
        self._spans = spans

    async def call(self, operation: str, arguments: Mapping[str, JSON], **options: Any) -> Any:
        """See `Worker.call`."""
        # The operations are functions of this package, so there are few of them.
        name = operation.rpartition(":")[2]
        with self._spans.within(f"worker {name}", {OPERATION: operation}):
            return await self.inner.call(operation, arguments, **options)
