"""The device of a server: its worker, who may be busy beside it, and where submitted Python runs."""

import asyncio
import fcntl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Protocol

import scorer_launcher

from scorer_service.logs import context as log_context
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.sandbox.toolchain import ToolchainError
from scorer_service.sandbox.warm import WarmRunner
from scorer_service.worker import machine_lock
from scorer_service.worker.client import DeviceInfo, Worker, WorkerUnavailable
from scorer_service.worker.gate import DeviceGate


class DeviceUnavailable(Exception):
    """There is no device to measure on. The message says what is missing and the way out."""


class MakeGate(Protocol):
    """Makes the gate of a device."""

    def __call__(self, backend: SandboxBackend, *, device_is_cpu: bool) -> DeviceGate:
        """See `DeviceGate`."""


class DeviceAccess:
    """One device, shared by the environments of a server."""

    gate: DeviceGate
    """Set by `start`."""

    def __init__(
        self,
        backend: SandboxBackend,
        python: Path,
        device: str,
        *,
        make_worker: Callable[[Path, str], Worker] = Worker,
        make_gate: MakeGate = DeviceGate,
    ) -> None:
        """`make_worker` and `make_gate` are for those who want to watch them."""
        self.worker = make_worker(python, device)
        self._make_gate = make_gate
        self.runner = WarmRunner(backend, python)
        self._backend = backend
        self._name = device
        self._lock: IO[bytes] | None = None
        self._starting: asyncio.Task[DeviceInfo] | None = None

    def add_mounts(self, mounts: Mapping[str, Path]) -> None:
        """Show folders of public data to every submission (path inside -> folder). Before `start`."""
        self.runner.add_mounts(mounts)

    async def start(self) -> DeviceInfo:
        """Start the worker and the runner, once for all who ask, and again where that failed. Raises
        DeviceUnavailable."""
        if self._starting is None or _has_failed(self._starting):
            # What the worker says later is about no environment more than another.
            self._starting = asyncio.create_task(
                self._start(), name="start the device", context=log_context.of_nobody()
            )
        return await asyncio.shield(self._starting)

    async def close(self) -> None:
        """Give the device back. Idempotent."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        await self._give_back()

    async def _start(self) -> DeviceInfo:
        try:
            device = await self.worker.start()
            if device.kind != "cpu":
                self._lock = _lock_device(self._name)
            await self.runner.start(on_gpu=device.kind != "cpu")
        except (WorkerUnavailable, ToolchainError, scorer_launcher.SandboxError, DeviceUnavailable) as error:
            # For the next start, which locks the device anew.
            await self._give_back()
            raise DeviceUnavailable(str(error)) from error
        self.gate = self._make_gate(self._backend, device_is_cpu=device.kind == "cpu")
        return device

    async def _give_back(self) -> None:
        await self.runner.close()
        await self.worker.close()
        if self._lock is not None:
            self._lock.close()


def _has_failed(starting: asyncio.Task[DeviceInfo]) -> bool:
    return starting.done() and (starting.cancelled() or starting.exception() is not None)


def _lock_device(name: str) -> IO[bytes]:
    """The sole use of a GPU among the servers of this machine. Raises DeviceUnavailable."""
    file = machine_lock.open_lock(f"device-{'cuda:0' if name in ('auto', 'cuda') else name}")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise DeviceUnavailable(
            f"another server measures on {name}: stop it, or choose another GPU with --device cuda:N"
        ) from None
    return file
