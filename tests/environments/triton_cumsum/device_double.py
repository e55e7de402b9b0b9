"""A double of a device: a worker that answers as told, runs that end as told, a gate that keeps a log.

A real device does not show on demand: a worker that dies between two operations, a sandbox that fails, times
that are too fast or too unsteady.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import scorer_launcher
from scorer_launcher import Termination

from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.gate import BackgroundWork, DeviceGate

INFO = DeviceInfo("cpu", "cpu", "a processor; 2 cores; torch 2.15.0", "2.15.0", "3.9.0", 8 << 30)
Answer = Mapping[str, Any] | Exception
STEADY = [1_000_000 + k for k in range(41)]


class RunDouble:
    """What is known of one run, in the device's log."""

    def __init__(self, device: "DeviceDouble") -> None:
        self._device = device
        self.alive = True
        self.frozen = False
        self.killed = False

    def _result(self) -> Any:
        if self._device.sandbox_error:
            raise scorer_launcher.SandboxError(self._device.sandbox_error)
        ended = self._device.ending or Termination.STOPPED
        return SimpleNamespace(
            termination=ended, exit_code=3, signal=9, stdout=b"", stderr=b"", peak_memory_bytes=0, cpu_s=0.1
        )

    async def wait(self) -> Any:
        while self.alive and self._device.ending is None:  # noqa: ASYNC110  the test sets either
            await asyncio.sleep(0.001)
        return self._result()

    async def kill(self) -> Any:
        if not self.killed:
            self._device.log.append("kill")
        self.killed, self.alive = True, False
        return self._result()

    async def freeze(self) -> None:
        self.frozen = True
        self._device.log.append("freeze")

    async def thaw(self, places: Any) -> None:
        self.frozen = False
        self._device.log.append("thaw")


class DeviceDouble:
    """`DeviceAccess` as far as this environment uses it."""

    def __init__(self) -> None:
        self.log: list[str] = []
        """Operations, and what was done to runs and places, in order."""
        self.answers: dict[str, Answer | Callable[[Mapping[str, Any]], Answer]] = {
            "open_session": {"status": "ok"},
            "close_session": {"status": "ok"},
            "hold": {"status": "ok"},
            "release": {"status": "ok"},
            "load": {"status": "ok", "load_s": 0.1},
            "check_public": {"status": "ok", "first_call_s": 0.5},
            "check_hidden": {"status": "ok"},
            "measure": {"status": "ok", "samples_ns": STEADY, "element_count": 65_500},
            "copy_bandwidth": {"bytes_per_s": 2e10},
        }
        self.arguments: list[tuple[str, Mapping[str, Any]]] = []
        self.restarts = 0
        self.ending: Termination | None = None
        """How runs end by themselves, where they do."""
        self.sandbox_error = ""
        """Why whoever waits for a run is told nothing of it."""
        self.runs: list[RunDouble] = []
        self.sources: list[bytes] = []
        self.starting = asyncio.Event()
        """Set when a run is about to be started, which then waits for:"""
        self.may_start = asyncio.Event()
        self.may_start.set()
        self.worker = self
        self.gate = self
        self.runner = self

    @property
    def access(self) -> DeviceAccess:
        return cast(DeviceAccess, self)

    async def start(self) -> DeviceInfo:
        return INFO

    async def call(
        self, operation: str, arguments: Mapping[str, Any], *, descriptors: Any = (), progress: Any = None
    ) -> Any:
        name = operation.rpartition(":")[2]
        self.log.append(name)
        self.arguments.append((name, arguments))
        answer = self.answers[name]
        if callable(answer):
            answer = answer(arguments)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def start_run(self, argv: Any, *, files: Mapping[str, bytes], **more: Any) -> RunDouble:
        self.starting.set()
        await self.may_start.wait()
        self.log.append("start")
        self.sources += files.values()
        self.runs.append(RunDouble(self))
        return self.runs[-1]

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[Any]:
        async with self._places("shared"):
            yield SimpleNamespace(cores=[0])

    @contextlib.asynccontextmanager
    async def preparing(self) -> AsyncIterator[Any]:
        async with self._places("preparing"):
            places: Any = SimpleNamespace(cores=[0], give_back=lambda: None)
            yield BackgroundWork(places, cast(DeviceGate, self))

    async def attached(self, work: BackgroundWork) -> None:
        """Nobody measures beside this one."""

    @contextlib.asynccontextmanager
    async def exclusive(self) -> AsyncIterator[Any]:
        async with self._places("exclusive"):
            yield SimpleNamespace(cores=[0])

    @contextlib.asynccontextmanager
    async def _places(self, kind: str) -> AsyncIterator[None]:
        self.log.append(kind)
        try:
            yield
        finally:
            # Whatever happened, nothing may go on on cores that belong to others now.
            assert all(run.frozen or not run.alive for run in self.runs)
            self.log.append("places back")
