"""The server's side of a worker: starts it, calls it, and starts it anew when it dies."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable
from scorer_service.worker.process import Progress, WorkerProcess
from scorer_service.worker.protocol import JSON

__all__ = ["DeviceInfo", "OperationFailed", "Worker", "WorkerLost", "WorkerUnavailable"]

_log = logging.getLogger(__name__)

_RESTART_DELAYS_S = (0.0, 0.0, 1.0, 5.0, 30.0)
"""Before the first, second ... new start in a row without an answered call; the last one repeats. A worker
that always dies must not keep a core busy."""

_STARTS_IN_VAIN_LIMIT = 2
"""In a row, after which those who wait are told. Once, a process may be killed while it starts as at any
other time; twice says that something is missing."""


class Worker:
    """The worker of one device. Belongs to the event loop in which it was started."""

    def __init__(self, python: Path, device: str) -> None:
        self._python = python
        self._device_name = device
        self._device: DeviceInfo | None = None
        self._process: asyncio.Future[WorkerProcess] | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._died = asyncio.Event()
        self._starts_in_vain = 0
        self.on_death: Callable[[int], None] = lambda starts_in_vain: None
        """Called when a worker has died or could not be started, with how many did since the last answered
        call."""
        self.restarts = 0
        """How often a worker that had died was started anew."""

    @property
    def has_started(self) -> bool:
        """Whether `start` has returned."""
        return self._device is not None

    @property
    def device(self) -> DeviceInfo:
        """The device, once `start` has returned."""
        if self._device is None:
            raise RuntimeError("the worker was not started")
        return self._device

    @property
    def pid(self) -> int | None:
        """Of the process at this moment, if there is one."""
        process = self._process
        return process.result().pid if process and process.done() and not process.exception() else None

    async def start(self) -> DeviceInfo:
        """Start the process. Raises WorkerUnavailable, whose message says what is missing and the way out."""
        process, self._device = await self._start()
        self._process = asyncio.get_running_loop().create_future()
        self._process.set_result(process)
        self._supervisor = asyncio.create_task(self._supervise(process))
        return self._device

    async def close(self) -> None:
        """End the process; calls that wait raise WorkerLost. Idempotent."""
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            supervisor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await supervisor

    async def call(
        self,
        operation: str,
        arguments: Mapping[str, JSON],
        *,
        descriptors: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> Any:
        """Do `operation`, "package.module:function", in the worker; its result, of JSON types.

        Descriptors stay the caller's own. A cancelled call goes on in the worker, and its result is
        dropped; end what it waits for.

        Raises OperationFailed when the operation raised, WorkerLost when the worker died meanwhile,
        WorkerUnavailable when no new one can be started.
        """
        if self._supervisor is None or self._process is None:
            raise WorkerUnavailable("the worker is closed")
        process = await asyncio.shield(self._process)
        result = await process.call(operation, arguments, descriptors, progress)
        self._starts_in_vain = 0
        return result

    async def _start(self) -> tuple[WorkerProcess, DeviceInfo]:
        self._died = died = asyncio.Event()

        def on_end() -> None:
            # Calls from now on wait for the next process.
            self._process = asyncio.get_running_loop().create_future()
            died.set()

        return await WorkerProcess.start(self._python, self._device_name, on_end)

    async def _supervise(self, process: WorkerProcess) -> None:
        try:
            while True:
                await self._died.wait()
                await process.kill()
                _log.error("the worker of device %s (pid %d) died", self._device_name, process.pid)
                process = await self._start_again()
                self.restarts += 1
                assert self._process is not None
                self._process.set_result(process)
        finally:
            await process.kill()
            if self._process is None or self._process.done():
                self._process = asyncio.get_running_loop().create_future()
            self._process.set_exception(WorkerUnavailable("the worker is closed"))
            self._process.exception()  # seen, if nobody waits

    async def _start_again(self) -> WorkerProcess:
        while True:
            delay_s = _RESTART_DELAYS_S[min(self._starts_in_vain, len(_RESTART_DELAYS_S) - 1)]
            self._starts_in_vain += 1
            self.on_death(self._starts_in_vain)
            await asyncio.sleep(delay_s)
            try:
                process, self._device = await self._start()
                return process
            except WorkerUnavailable as error:
                _log.error("%s", error)
                if self._starts_in_vain < _STARTS_IN_VAIN_LIMIT:
                    continue
                # Whoever waits is told; later calls wait for the next try.
                assert self._process is not None
                waiting, self._process = self._process, asyncio.get_running_loop().create_future()
                waiting.set_exception(error)
                waiting.exception()  # seen, if nobody waits
