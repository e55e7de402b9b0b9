"""Who may be busy while a submission is measured: nothing else on its device, and on a CPU nothing at all."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
from collections.abc import AsyncIterator
from typing import Protocol

import scorer_launcher

from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.worker import machine_lock

LOCK_RETRY_S = 0.01


class Freezable(Protocol):
    """What works in the background."""

    async def freeze(self) -> None:
        """Stop where it stands; idempotent, and nothing where it has ended."""

    async def thaw(self, places: scorer_launcher.Places) -> None:
        """Go on, on these places; nothing where it has ended."""


class BackgroundWork:
    """Long work on some places, which are lent while somebody measures."""

    def __init__(self, places: scorer_launcher.Places, gate: DeviceGate) -> None:
        self.places = places
        """Those to start the run on."""
        self._gate = gate
        self._run: Freezable | None = None
        self._is_paused = False
        self._lock = asyncio.Lock()

    async def attach(self, run: Freezable) -> None:
        """Say who works on the places."""
        self._run = run
        await self._gate.attached(self)

    async def detach(self) -> None:
        """It does no more there: whether it is frozen from now on is the caller's affair."""
        async with self._lock:
            self._run = None

    @property
    def is_running(self) -> bool:
        """Whether there is somebody to be frozen."""
        return self._run is not None

    async def pause(self) -> None:
        """Freeze it and let go of its places. Idempotent."""
        async with self._lock:
            if self._run is not None:
                await self._run.freeze()
            self.places.give_back()
            self._is_paused = True

    async def resume(self, places: scorer_launcher.Places) -> None:
        """Go on, on other places, which go back where it does not need them."""
        async with self._lock:
            if self._run is None or not self._is_paused:
                places.give_back()
                return
            self.places = places
            self._is_paused = False
            await self._run.thaw(places)


class DeviceGate:
    """Admits many who prepare or check, or one who measures.

    On a CPU the one who measures takes every place in which the service runs programs, so that no compiler
    and no other submission runs meanwhile, and it waits for the measurements of other servers on the machine.
    On a GPU the places stay open: what runs on the CPU alone does not disturb the device.

    Long work (training) does not make a measurement wait: it is frozen meanwhile.
    """

    def __init__(self, backend: SandboxBackend, *, device_is_cpu: bool) -> None:
        self._backend = backend
        self._device_is_cpu = device_is_cpu
        self._turnstile = asyncio.Lock()
        self._users = 0
        self._unused = asyncio.Event()
        self._unused.set()
        self._background: set[BackgroundWork] = set()
        self._paused: list[BackgroundWork] | None = None
        """Work that is frozen now; None while nobody measures."""
        self._resuming: set[asyncio.Task[None]] = set()
        self._taking = asyncio.Lock()
        """Held by whoever takes several places: two of them who each have some would wait for each other."""

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[scorer_launcher.Places]:
        """One place, beside others."""
        async with self._use(), self._places(1) as places:
            yield places

    @contextlib.asynccontextmanager
    async def background(self, count: int) -> AsyncIterator[BackgroundWork]:
        """Up to `count` places for long work; the run that works there must be attached."""
        async with self._places(min(count, self._backend.slot_count)) as places:
            work = BackgroundWork(places, self)
            self._background.add(work)
            try:
                yield work
            finally:
                self._background.discard(work)
                await work.detach()
                work.places.give_back()

    @contextlib.asynccontextmanager
    async def preparing(self) -> AsyncIterator[BackgroundWork]:
        """One place for what comes before a measurement, and may take as long as a submission likes.

        On a CPU it is frozen while somebody else measures. On a GPU it uses the device, where what was begun
        cannot be stopped, so that a measurement waits for its end.
        """
        if self._device_is_cpu:
            async with self.background(1) as work:
                yield work
            return
        async with self.shared() as places:
            yield BackgroundWork(places, self)

    @contextlib.asynccontextmanager
    async def exclusive(self) -> AsyncIterator[scorer_launcher.Places]:
        """The device alone: waits until nobody uses it, and keeps out those who come."""
        # First the device, then places, then the machine: all who ask for several ask in this order, so none
        # waits in a circle, and whoever has the machine waits for nobody.
        async with self._turnstile, self._background_paused():
            await self._unused.wait()
            if not self._device_is_cpu:
                async with self._places(1) as places:
                    yield places
                return
            async with self._all_places() as measured, self._machine_lock():
                yield measured

    @contextlib.asynccontextmanager
    async def _all_places(self) -> AsyncIterator[scorer_launcher.Places]:
        """The one to measure on, while nothing of ours runs on the others."""
        if self._backend.slot_count == 1:
            async with self._places(1) as places:
                yield places
            return
        async with self._taking:
            one = await self._take(1)
            try:
                others = await self._take(self._backend.slot_count - 1)
            except BaseException:
                one.give_back()
                raise
        # What is measured has one core, of two always the same.
        swap = len(others.cores) == 1 and others.cores[0] > one.cores[0]
        try:
            yield others if swap else one
        finally:
            one.give_back()
            others.give_back()

    async def attached(self, work: BackgroundWork) -> None:
        """Background work has begun; it stops at once where somebody measures already."""
        if self._paused is not None and work in self._background:
            self._paused.append(work)
            await work.pause()

    @contextlib.asynccontextmanager
    async def _use(self) -> AsyncIterator[None]:
        """Use the device beside others. A CPU is used by who has a place."""
        if self._device_is_cpu:
            yield
            return
        async with self._turnstile:
            self._users += 1
            self._unused.clear()
        try:
            yield
        finally:
            self._users -= 1
            if self._users == 0:
                self._unused.set()

    @contextlib.asynccontextmanager
    async def _background_paused(self) -> AsyncIterator[None]:
        self._paused = [work for work in self._background if work.is_running]
        try:
            for work in list(self._paused):
                await work.pause()
            yield
        finally:
            paused, self._paused = self._paused, None
            for work in paused:
                task = asyncio.create_task(self._resume(work), name="resume background work")
                self._resuming.add(task)
                task.add_done_callback(self._resuming.discard)

    async def _resume(self, work: BackgroundWork) -> None:
        async with self._taking:
            places = await self._take(len(work.places.cores))
        if self._paused is not None:
            # Somebody measures again, and resumes it afterwards.
            places.give_back()
            return
        await work.resume(places)

    @contextlib.asynccontextmanager
    async def _places(self, count: int) -> AsyncIterator[scorer_launcher.Places]:
        if count > 1:
            async with self._taking:
                places = await self._take(count)
        else:
            places = await self._take(count)
        try:
            yield places
        finally:
            places.give_back()

    async def _take(self, count: int) -> scorer_launcher.Places:
        taking = asyncio.ensure_future(asyncio.to_thread(self._backend.take_places, count))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread still waits in the line; what it gets there goes back at once.
            taking.add_done_callback(_give_back)
            raise

    @contextlib.asynccontextmanager
    async def _machine_lock(self) -> AsyncIterator[None]:
        """The turn among the servers of this machine."""
        file = machine_lock.open_lock("measuring")
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
