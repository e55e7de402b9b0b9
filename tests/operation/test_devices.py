"""A device is tested, taken out of use and put back, and what an operator said of it is not forgotten."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scorer_service.operation import devices
from scorer_service.operation.devices import DEATHS_IN_A_ROW, DeviceKeeper, DeviceState
from scorer_service.operation.self_test import DeviceSelfTest, SelfTestFailed
from scorer_service.store.database import Database
from scorer_service.store.quarantines import QuarantineStore
from scorer_service.worker.client import Worker
from scorer_service.worker.device_access import DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import WorkerLost, WorkerUnavailable

CPU = DeviceInfo("cpu", "cpu", "a CPU", "2.0", "3.0", 1 << 30)


class Machine:
    """A device whose worker answers what the test says; and those who use it."""

    def __init__(self, store: QuarantineStore) -> None:
        self._store = store
        self.answers: list[Any] = []
        """Of the worker to a self-test, one after the other; exceptions are raised. The last one stays."""
        self.uses: list[str] = []
        self.used_again = asyncio.Event()
        self.opened = 0
        self.unavailable = ""
        """Why it cannot be opened; empty where it can."""
        self.worker = self
        self.gate = self
        self.device = CPU

    def exclusive(self) -> "Machine":
        return self

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *exc: object) -> None:
        pass

    async def call(self, operation: str, arguments: Any) -> Any:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def open(self) -> DeviceInfo:
        self.opened += 1
        if self.unavailable:
            raise DeviceUnavailable(self.unavailable)
        return CPU

    async def take_out(self, reason: str) -> None:
        self.uses.append(f"out: {reason}")

    async def put_back(self) -> None:
        self.uses.append("back")
        self.used_again.set()

    @property
    def self_test(self) -> DeviceSelfTest:
        found: Any = self
        return DeviceSelfTest(found, self._store)

    def keeper(self) -> DeviceKeeper:
        return DeviceKeeper(
            "cpu",
            ["triton_cumsum"],
            open_device=self.open,
            self_test=self.self_test,
            store=self._store,
            use=self,
            interval_minutes=0,
            on_change=lambda name, is_quarantined: None,
        )


def answer(*failures: str, copy_bytes_per_s: float = 1e10) -> dict[str, Any]:
    return {"failures": list(failures), "copy_bytes_per_s": copy_bytes_per_s}


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    database = Database(tmp_path / "scorer.sqlite3")
    yield Machine(QuarantineStore(database))
    database.close()


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([answer("the sum was 3, not 4")], "the sum was 3, not 4"),
        ([WorkerLost("gone")], "its worker died"),
        ([WorkerUnavailable("no device")], "no device"),
        ([answer(), answer(copy_bytes_per_s=9e8)], "0.9 GB/s"),
        ([answer(copy_bytes_per_s=float("nan"))], "nan bytes"),
    ],
)
async def test_what_is_wrong_with_a_device_is_said(machine: Machine, answers: list[Any], found: str) -> None:
    machine.answers = answers
    if len(answers) > 1:
        await machine.self_test()
    with pytest.raises(SelfTestFailed, match=found):
        await machine.self_test()


async def test_a_slow_moment_is_no_slow_device(machine: Machine) -> None:
    machine.answers = [answer(), answer(copy_bytes_per_s=1e6), answer(copy_bytes_per_s=2e9)]
    await machine.self_test()
    await machine.self_test()


async def test_a_device_that_fails_at_the_start_is_used_when_it_passes(machine: Machine) -> None:
    machine.answers = [answer("wrong")]
    keeper = machine.keeper()
    await keeper.remember()
    assert not await keeper.start()
    assert keeper.status.state is DeviceState.QUARANTINED
    assert not keeper.status.by_operator
    machine.answers = [answer()]
    after = machine.keeper()  # as after a restart
    await after.remember()
    assert not after.status.by_operator
    assert after.status.reason
    assert await after.start()
    assert after.status.state is DeviceState.OK
    assert machine.uses[-1] == "back"


async def test_a_device_that_could_not_be_opened_is_opened_by_the_next_start(machine: Machine) -> None:
    machine.answers = [answer()]
    machine.unavailable = "killed"
    keeper = machine.keeper()
    with pytest.raises(DeviceUnavailable):
        await asyncio.gather(keeper.start(), keeper.start())
    assert machine.opened == 1, "once for both"
    machine.unavailable = ""
    assert await keeper.start()
    assert keeper.status.state is DeviceState.OK
    assert machine.uses == []


async def test_a_device_that_could_not_be_opened_is_put_in_use_by_a_release(machine: Machine) -> None:
    machine.answers = [answer()]
    machine.unavailable = "no driver"
    keeper = machine.keeper()
    with pytest.raises(DeviceUnavailable):
        await keeper.start()
    assert keeper.status.reason == "no driver"
    machine.unavailable = ""
    await keeper.release("the driver is there")
    assert machine.uses == ["back"]
    assert keeper.status.state is DeviceState.OK


async def test_an_operators_quarantine_is_ended_by_no_self_test_and_no_restart(machine: Machine) -> None:
    machine.answers = [answer()]
    keeper = machine.keeper()
    assert await keeper.start()
    await keeper.quarantine("the fan is loud")
    await keeper._test()
    after = machine.keeper()
    await after.remember()
    opened = machine.opened
    assert not await after.start()
    assert machine.opened == opened, "it was touched"
    assert (after.status.reason, after.status.by_operator) == ("the fan is loud", True)
    machine.answers = [answer("wrong")]
    with pytest.raises(SelfTestFailed):
        await after.release("cleaned")
    assert after.status.reason == "the fan is loud"
    machine.answers = [answer()]
    await after.release("cleaned")
    again = machine.keeper()
    await again.remember()
    assert await again.start()


async def test_workers_that_die_in_a_row_let_the_self_test_decide(machine: Machine) -> None:
    machine.answers = [answer()]
    keeper = machine.keeper()
    await keeper.start()
    for deaths in range(1, DEATHS_IN_A_ROW):
        keeper.worker_died(deaths)
    assert not keeper._in_trouble.is_set()
    keeper.worker_died(DEATHS_IN_A_ROW)
    await keeper._until_a_test_is_due()  # at once: there is no interval
    machine.answers = [WorkerUnavailable("it does not open")]
    await keeper._test()
    assert "it does not open" in keeper.status.reason


async def test_a_device_that_fails_while_a_later_test_is_waited_for_is_tested_again_soon(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "TEST_AGAIN_S", 0.05)
    machine.answers = [answer("wrong"), answer()]
    keeper = machine.keeper()
    watching = asyncio.create_task(keeper.watch())
    await asyncio.sleep(0)  # it waits: for ever, as there is no interval
    assert not await keeper.start()
    async with asyncio.timeout(10):
        await machine.used_again.wait()
    assert keeper.status.state is DeviceState.OK
    watching.cancel()


async def test_a_healthy_device_passes_what_its_worker_computes(torch_python: Path) -> None:
    worker = Worker(torch_python, "cpu")
    await worker.start()
    try:
        found = await worker.call("scorer_service.worker.self_test:run", {})
    finally:
        await worker.close()
    assert found["failures"] == []
    assert found["copy_bytes_per_s"] > 1e7
