"""The device: who waits for it, who holds it, and how its worker does."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from scorer_service.metrics.device import DeviceMetrics
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker import client
from scorer_service.worker.gate import DeviceGate

ECHO = "scorer_service.worker.diagnosis:echo"


class Rig:
    """Device metrics with a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 10.0
        self.registry = CollectorRegistry()
        self.metrics = DeviceMetrics(self.registry, clock=lambda: self.now)

    def gate(self, *, device_is_cpu: bool) -> DeviceGate:
        return self.metrics.make_gate(NativeBackend(2), device_is_cpu=device_is_cpu)

    def value(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(f"scorer_{name}", labels) or 0.0

    @property
    def busy(self) -> float:
        self.metrics.refresh()
        return self.value("device_busy_seconds_total")


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.mark.parametrize("device_is_cpu", [True, False])
@pytest.mark.parametrize("use", ["shared", "exclusive"])
async def test_time_that_the_device_is_held_counts_while_it_is(
    rig: Rig, use: str, device_is_cpu: bool
) -> None:
    gate = rig.gate(device_is_cpu=device_is_cpu)
    async with getattr(gate, use)():
        rig.now += 30
        assert rig.busy == 30
    rig.now += 100
    assert rig.busy == 30
    assert (rig.value("device_use_seconds_sum", use=use), rig.value("device_use_seconds_count", use=use)) == (
        30,
        1,
    )


async def test_two_who_share_the_device_keep_it_busy_once(rig: Rig) -> None:
    gate = rig.gate(device_is_cpu=False)
    async with gate.shared():
        rig.now += 1
        async with gate.shared():
            rig.now += 2
        rig.now += 4
    assert rig.busy == 7
    assert rig.value("device_use_seconds_sum", use="shared") == 9


async def test_what_is_prepared_on_a_gpu_uses_the_device(rig: Rig) -> None:
    async with rig.gate(device_is_cpu=False).preparing():
        rig.now += 3
    assert rig.busy == 3


async def test_the_wait_for_a_measurement_is_told(rig: Rig) -> None:
    gate = rig.gate(device_is_cpu=False)
    has_it = asyncio.Event()

    async def measure() -> None:
        async with gate.exclusive():
            has_it.set()

    async with gate.exclusive():
        measuring = asyncio.create_task(measure())
        await asyncio.sleep(0)
        assert not has_it.is_set()
        rig.now += 12
    await measuring
    assert rig.value("device_wait_seconds_sum", use="exclusive") == 12
    assert rig.value("device_wait_seconds_count", use="exclusive") == 2


async def test_calls_and_deaths_of_a_real_worker_are_counted(rig: Rig, torch_python: Path) -> None:
    worker = rig.metrics.make_worker(torch_python, "cpu")
    rig.metrics.refresh()
    assert (rig.value("worker_up"), rig.value("device_info", kind="cpu", device="cpu")) == (0, 0)
    await worker.start()
    try:
        await worker.call(ECHO, {})
        with pytest.raises(client.OperationFailed):
            await worker.call("scorer_service.worker.diagnosis:no_such_operation", {})
        rig.metrics.refresh()
        assert (rig.value("worker_up"), rig.value("device_info", kind="cpu", device="cpu")) == (1, 1)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        # A call that comes before the death is seen is lost with it; the one after it is not.
        with contextlib.suppress(client.WorkerLost):
            while True:
                await worker.call(ECHO, {})
        await worker.call(ECHO, {})
        for _ in range(2):
            rig.metrics.refresh()
            assert rig.value("worker_restarts_total") == 1
        assert rig.value("worker_call_seconds_count", operation="echo", outcome="ok") >= 2
        assert rig.value("worker_call_seconds_count", operation="echo", outcome="lost") == 1
        assert rig.value("worker_call_seconds_count", operation="no_such_operation", outcome="failed") == 1
    finally:
        await worker.close()
    rig.metrics.refresh()
    assert rig.value("worker_up") == 0
