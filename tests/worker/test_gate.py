"""The gate: who may be busy beside a measurement. On real places, with runs that only note what is done."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.gate import DeviceGate

PLACES = 2
PATIENCE_S = 120.0
"""Servers of other tests on this machine may be measuring, and this gate waits for them."""


class NotedRun:
    """A double of a run: what a gate does to it must be seen without a sandbox."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.thawed = asyncio.Event()

    async def freeze(self) -> None:
        self.steps.append("freeze")

    async def thaw(self, places: Any) -> None:
        self.steps.append(f"thaw on {len(places.cores)}")
        self.thawed.set()


@pytest.fixture(scope="module")
def backend() -> NativeBackend:
    return NativeBackend(PLACES)


@pytest.fixture
def cpu(backend: NativeBackend) -> DeviceGate:
    return DeviceGate(backend, device_is_cpu=True)


@pytest.fixture
def gpu(backend: NativeBackend) -> DeviceGate:
    return DeviceGate(backend, device_is_cpu=False)


@contextlib.asynccontextmanager
async def in_background(gate: DeviceGate, way: str) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """Somebody who passes the gate: set when inside; leaves when told."""
    inside, leave = asyncio.Event(), asyncio.Event()

    async def pass_gate() -> None:
        async with getattr(gate, way)():
            inside.set()
            await leave.wait()

    task = asyncio.create_task(pass_gate())
    try:
        yield inside, leave
    finally:
        leave.set()
        await task


async def stays_unset(event: asyncio.Event) -> bool:
    """Nothing tells that something will not happen; a tenth of a second of chances is taken for it."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), 0.1)
    return not event.is_set()


async def test_on_a_cpu_a_measurement_waits_for_every_place_and_holds_all(cpu: DeviceGate) -> None:
    async with in_background(cpu, "shared") as (preparing, prepared):
        await preparing.wait()
        async with in_background(cpu, "exclusive") as (measuring, measured):
            assert await stays_unset(measuring)
            prepared.set()
            await measuring.wait()
            async with in_background(cpu, "shared") as (late, _):
                assert await stays_unset(late)
                measured.set()
                await late.wait()


async def test_on_a_gpu_a_measurement_leaves_the_other_places_to_work_without_the_device(
    gpu: DeviceGate, backend: NativeBackend
) -> None:
    async with in_background(gpu, "exclusive") as (measuring, measured):
        await measuring.wait()
        places = await asyncio.to_thread(backend.take_places, 1)
        places.give_back()
        async with in_background(gpu, "shared") as (late, _):
            assert await stays_unset(late)
            measured.set()
            await late.wait()
    async with in_background(gpu, "shared") as (preparing, prepared):
        await preparing.wait()
        async with in_background(gpu, "exclusive") as (measuring, _):
            assert await stays_unset(measuring)
            prepared.set()
            await measuring.wait()


async def test_two_servers_on_a_cpu_measure_one_after_the_other(cpu: DeviceGate) -> None:
    other = DeviceGate(NativeBackend(PLACES), device_is_cpu=True)
    async with in_background(cpu, "exclusive") as (measuring, measured):
        await measuring.wait()
        async with in_background(other, "exclusive") as (theirs, _):
            assert await stays_unset(theirs)
            measured.set()
            await theirs.wait()


async def test_a_server_whose_own_work_it_waits_for_does_not_keep_others_from_measuring(
    cpu: DeviceGate,
) -> None:
    other = DeviceGate(NativeBackend(PLACES), device_is_cpu=True)
    async with cpu.shared() as own, in_background(cpu, "exclusive") as (measuring, _):
        assert await stays_unset(measuring)
        async with asyncio.timeout(PATIENCE_S), other.exclusive():
            assert not measuring.is_set()
        own.give_back()
        await asyncio.wait_for(measuring.wait(), PATIENCE_S)


@pytest.mark.parametrize("device_is_cpu", [True, False])
async def test_long_work_is_frozen_while_somebody_measures_and_goes_on_afterwards(
    backend: NativeBackend, device_is_cpu: bool
) -> None:
    gate = DeviceGate(backend, device_is_cpu=device_is_cpu)
    run: Any = NotedRun()
    async with gate.background(8) as work:
        assert len(work.places.cores) <= PLACES
        await work.attach(run)
        async with gate.exclusive():
            assert run.steps == ["freeze"]
        await run.thawed.wait()
    assert run.steps == ["freeze", f"thaw on {PLACES}"]
    async with gate.exclusive():
        assert run.steps == ["freeze", f"thaw on {PLACES}"]


async def test_long_work_that_begins_while_somebody_waits_to_measure_is_frozen_too(
    cpu: DeviceGate,
) -> None:
    run: Any = NotedRun()
    async with cpu.background(PLACES) as work, in_background(cpu, "exclusive") as (measuring, measured):
        assert await stays_unset(measuring)
        await work.attach(run)
        await measuring.wait()
        assert run.steps == ["freeze"]
        measured.set()
        await run.thawed.wait()


async def test_a_measurement_and_long_work_that_wait_together_both_come_in(
    cpu: DeviceGate, backend: NativeBackend
) -> None:
    held = [await asyncio.to_thread(backend.take_places, 1) for _ in range(PLACES)]
    run: Any = NotedRun()

    async def work_long() -> None:
        async with cpu.background(PLACES) as work:
            await work.attach(run)

    async with in_background(cpu, "exclusive") as (measuring, measured):
        assert await stays_unset(measuring)
        working = asyncio.create_task(work_long())
        assert await stays_unset(measuring)
        for places in held:
            places.give_back()
            await stays_unset(measuring)
        await asyncio.wait_for(measuring.wait(), PATIENCE_S)
        measured.set()
    await asyncio.wait_for(working, PATIENCE_S)


async def test_long_work_stays_frozen_for_the_next_measurement_and_goes_on_after_the_last(
    cpu: DeviceGate, backend: NativeBackend
) -> None:
    run: Any = NotedRun()
    async with cpu.background(PLACES) as work:
        await work.attach(run)
        for _ in range(20):
            # The next one asks before the long work has its places back, or just after.
            async with asyncio.timeout(PATIENCE_S), cpu.exclusive():
                assert run.steps[-1] == "freeze"
        async with asyncio.timeout(PATIENCE_S):
            while run.steps[-1] == "freeze":
                run.thawed.clear()
                await run.thawed.wait()
    places = await asyncio.wait_for(asyncio.to_thread(backend.take_places, PLACES), PATIENCE_S)
    places.give_back()


async def test_long_work_that_ended_while_frozen_holds_no_place(
    cpu: DeviceGate, backend: NativeBackend
) -> None:
    run: Any = NotedRun()
    async with contextlib.AsyncExitStack() as measuring, cpu.background(PLACES) as work:
        await work.attach(run)
        await measuring.enter_async_context(cpu.exclusive())
    places = await asyncio.wait_for(asyncio.to_thread(backend.take_places, PLACES), PATIENCE_S)
    places.give_back()
    assert run.steps == ["freeze"]


async def test_one_who_gives_up_waiting_leaves_nothing_behind(
    cpu: DeviceGate, backend: NativeBackend
) -> None:
    held = await asyncio.to_thread(backend.take_places, PLACES)
    waiting = asyncio.create_task(cpu.exclusive().__aenter__())
    assert await stays_unset(asyncio.Event())
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    held.give_back()
    async with asyncio.timeout(PATIENCE_S), cpu.exclusive():
        pass
