"""The self-test of a device, asked of its worker, and what its answer must be."""

import asyncio
import math
from typing import Any, Protocol

from scorer_service.store.quarantines import QuarantineStore
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

OPERATION = "scorer_service.worker.self_test:run"
LIMIT_S = 120.0
"""A test takes a second or two. A device that hangs does not answer at all."""

SLOWEST_SHARE = {"cpu": 1 / 10, "cuda": 1 / 3}
"""Of the copy bandwidth of its first test, what a device must reach. Other users of a machine slow its memory
down by several times; a GPU is the server's alone."""
TRIES = 3
"""Of the bandwidth: a slow moment is no slow device."""


class SelfTestFailed(Exception):
    """The device cannot be trusted. The message says what was found."""


class SelfTest(Protocol):
    """Tests a device."""

    async def __call__(self) -> None:
        """Raises SelfTestFailed."""


class DeviceSelfTest:
    """`SelfTest` of a device that has started."""

    def __init__(self, device: DeviceAccess, store: QuarantineStore) -> None:
        self._device = device
        self._store = store

    async def __call__(self) -> None:
        """Test it alone, when those who measure have ended. Raises SelfTestFailed."""
        for tries_left in reversed(range(TRIES)):
            async with self._device.gate.exclusive():
                answer = await self._ask()
            if answer["failures"]:
                raise SelfTestFailed("; ".join(answer["failures"]))
            reached = float(answer["copy_bytes_per_s"])
            if not (math.isfinite(reached) and reached > 0):
                raise SelfTestFailed(f"it copies {reached} bytes a second")
            info = self._device.worker.device
            wanted = SLOWEST_SHARE[info.kind] * await self._store.baseline(info.fingerprint, reached)
            if reached >= wanted:
                return
            if not tries_left:
                raise SelfTestFailed(
                    f"it copies {reached / 1e9:.1f} GB/s, and at its first self-test it copied "
                    f"{wanted / SLOWEST_SHARE[info.kind] / 1e9:.1f} GB/s"
                )

    async def _ask(self) -> Any:
        try:
            return await asyncio.wait_for(self._device.worker.call(OPERATION, {}), LIMIT_S)
        except TimeoutError:
            raise SelfTestFailed(f"it did not answer within {LIMIT_S:.0f} s") from None
        except WorkerLost:
            raise SelfTestFailed("its worker died in the self-test") from None
        except (WorkerUnavailable, OperationFailed) as error:
            raise SelfTestFailed(str(error)) from None
