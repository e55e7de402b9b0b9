"""Who may be busy while a submission is measured: nothing else on its device, and on a CPU nothing at all."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

import scorer_launcher

from scorer_service.sandbox.interface import SandboxBackend

LOCK_RETRY_S = 0.01


class DeviceGate:
    """Admits many who prepare or check, or one who measures.

    On a CPU the one who measures takes every place in which the service runs programs, so that no compiler
    and no other submission runs meanwhile, and it waits for the measurements of other servers on this machine.
    On a GPU the places stay open: what runs on the CPU alone does not disturb the device.
    """

    def __init__(self, backend: SandboxBackend, *, device_is_cpu: bool) -> None:
        self._backend = backend
        self._device_is_cpu = device_is_cpu
        self._turnstile = asyncio.Lock()
        self._users = 0
        self._unused = asyncio.Event()
        self._unused.set()

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[scorer_launcher.Places]:
        """One place, beside others."""
        async with self._places(1) as places:
            if self._device_is_cpu:
                yield places
                return
            async with self._turnstile:
                self._users += 1
                self._unused.clear()
            try:
                yield places
            finally:
                self._users -= 1
                if self._users == 0:
                    self._unused.set()

    @contextlib.asynccontextmanager
    async def exclusive(self) -> AsyncIterator[scorer_launcher.Places]:
        """The device alone: waits until nobody uses it, and keeps out those who come."""
        if self._device_is_cpu:
            async with self._machine_lock(), self._places(self._backend.slot_count) as places:
                yield places
            return
        # The place first: who holds the turnstile and waits for a place could wait for those who wait for it.
        async with self._places(1) as places, self._turnstile:
            await self._unused.wait()
            yield places

    @contextlib.asynccontextmanager
    async def _places(self, count: int) -> AsyncIterator[scorer_launcher.Places]:
        taking = asyncio.ensure_future(asyncio.to_thread(self._backend.take_places, count))
        try:
            places = await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread still waits in the line; what it gets there goes back at once.
            taking.add_done_callback(_give_back)
            raise
        try:
            yield places
        finally:
            places.give_back()

    @contextlib.asynccontextmanager
    async def _machine_lock(self) -> AsyncIterator[None]:
        file = _open_lock()
        try:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    # Asked for again and again, since a thread that waits for it could not be called off.
                    await asyncio.sleep(LOCK_RETRY_S)
            yield
        finally:
            file.close()


def _give_back(taking: asyncio.Future[scorer_launcher.Places]) -> None:
    if not taking.cancelled() and taking.exception() is None:
        taking.result().give_back()


def _open_lock() -> IO[bytes]:
    """The file by which the servers of one user take turns; those of other users are not seen."""
    # Where there is one, a folder that nobody else can write to.
    folders = (
        os.environ.get("XDG_RUNTIME_DIR", ""),
        "/run" if os.getuid() == 0 else "",
        tempfile.gettempdir(),
    )
    folder = next(path for path in folders if path and os.access(path, os.W_OK))
    path = Path(folder) / f"scorer-measuring-{os.getuid()}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "r+b")
