"""The device of a server: its worker, who may be busy beside it, and where submitted Python runs."""

import asyncio
from pathlib import Path

import scorer_launcher

from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.sandbox.toolchain import ToolchainError
from scorer_service.sandbox.warm import WarmRunner
from scorer_service.worker.client import DeviceInfo, Worker, WorkerUnavailable
from scorer_service.worker.gate import DeviceGate


class DeviceUnavailable(Exception):
    """There is no device to measure on. The message says what is missing and the way out."""


class DeviceAccess:
    """One device, shared by the environments of a server."""

    gate: DeviceGate
    """Set by `start`."""

    def __init__(self, backend: SandboxBackend, python: Path, device: str) -> None:
        self.worker = Worker(python, device)
        self.runner = WarmRunner(backend, python)
        self._backend = backend
        self._starting: asyncio.Task[DeviceInfo] | None = None

    async def start(self) -> DeviceInfo:
        """Start the worker and the runner, once for all who ask. Raises DeviceUnavailable."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start(), name="start the device")
        return await asyncio.shield(self._starting)

    async def close(self) -> None:
        """Give the device back. Idempotent."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        await self.runner.close()
        await self.worker.close()

    async def _start(self) -> DeviceInfo:
        try:
            device = await self.worker.start()
            await self.runner.start(on_gpu=device.kind != "cpu")
        except (WorkerUnavailable, ToolchainError, scorer_launcher.SandboxError) as error:
            raise DeviceUnavailable(str(error)) from error
        self.gate = DeviceGate(self._backend, device_is_cpu=device.kind == "cpu")
        return device
