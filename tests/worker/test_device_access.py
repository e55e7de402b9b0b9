"""A device that is one server's alone, and what a failed start leaves of it. Locking one takes no GPU."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import scorer_launcher

from scorer_service.worker.device_access import DeviceAccess, DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo

GPU = DeviceInfo("cuda", "cuda:0", "a GPU", "2.0", "3.0", 1 << 30)


class Starting:
    """A double of a worker or a runner: both are there, but for what is to fail."""

    def __init__(self, failures: int = 0) -> None:
        self._failures = failures

    async def start(self, *, on_gpu: bool = True) -> DeviceInfo:
        if self._failures:
            self._failures -= 1
            raise scorer_launcher.SandboxError("on purpose")
        return GPU

    async def close(self) -> None:
        pass


@contextlib.asynccontextmanager
async def accessed(runner_failures: int = 0) -> AsyncIterator[DeviceAccess]:
    nothing: Any = SimpleNamespace()
    device = DeviceAccess(
        nothing,
        Path("python"),
        "cuda",
        make_worker=lambda python, name: cast(Any, Starting()),
        make_gate=lambda backend, *, device_is_cpu: nothing,
    )
    device.runner = cast(Any, Starting(runner_failures))
    try:
        yield device
    finally:
        await device.close()


@pytest.fixture(autouse=True)
def locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not those of servers on this machine."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


async def test_a_gpu_is_one_servers_until_it_is_closed() -> None:
    async with accessed() as device, accessed() as another:
        assert await device.start() == GPU
        with pytest.raises(DeviceUnavailable, match="another server measures on cuda"):
            await another.start()
        await device.close()
        assert await another.start() == GPU


async def test_a_start_that_failed_keeps_no_lock_from_the_next() -> None:
    async with accessed(runner_failures=1) as device, accessed() as another:
        with pytest.raises(DeviceUnavailable, match="on purpose"):
            await device.start()
        assert await device.start() == GPU
        with pytest.raises(DeviceUnavailable, match="another server measures"):
            await another.start()
