"""Keeps a device out of use that cannot be trusted, or that an operator does not want used."""

import asyncio
import contextlib
import enum
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from scorer_service.operation.self_test import SelfTest, SelfTestFailed
from scorer_service.sandbox.warm import gpu_devices
from scorer_service.store.quarantines import Quarantine, QuarantineStore
from scorer_service.worker.device_access import DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo

log = logging.getLogger(__name__)

DEATHS_IN_A_ROW = 3
"""So many workers that die or cannot open the device, one after the other and without one answer between
them, and the self-test decides. A submission that kills its worker is tried twice, so that it takes two of
them."""
TEST_AGAIN_S = 60.0
"""How often a device that the server quarantined itself is tested anew."""


class DeviceState(enum.Enum):
    """Whether a device is used."""

    STARTING = "starting"
    OK = "ok"
    QUARANTINED = "quarantined"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class DeviceStatus:
    """A device as an operator sees it. Times are seconds since the epoch."""

    name: str
    description: str
    state: DeviceState
    reason: str
    since: float | None
    by_operator: bool
    self_test_passed_at: float | None
    environments: Sequence[str]


def device_name(setting: str) -> str:
    """As in "cpu" or "cuda:0", of a setting as "auto" or "cuda": the same before and after it is opened."""
    if setting == "auto":
        return "cuda:0" if gpu_devices() else "cpu"
    return "cuda:0" if setting == "cuda" else setting


class DeviceUse(Protocol):
    """Those who use a device."""

    async def take_out(self, reason: str) -> None:
        """Use it no more; what runs on it goes back to the queue. Called again where the reason changes."""

    async def put_back(self) -> None:
        """Use it again."""


class DeviceKeeper:
    """One device. Belongs to the event loop."""

    def __init__(
        self,
        name: str,
        environments: Sequence[str],
        *,
        open_device: Callable[[], Awaitable[DeviceInfo]],
        self_test: SelfTest,
        store: QuarantineStore,
        use: DeviceUse,
        interval_minutes: float,
        on_change: Callable[[str, bool], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`open_device` may be called again; raises DeviceUnavailable. `on_change` is told the name of the
        device and whether it is quarantined."""
        self.name = name
        self._environments = environments
        self._open = open_device
        self._self_test = self_test
        self._store = store
        self._use = use
        self._interval_s = interval_minutes * 60
        self._on_change = on_change
        self._clock = clock
        self._quarantine: Quarantine | None = None
        self._unavailable = ""
        self._info: DeviceInfo | None = None
        self._passed_at: float | None = None
        self._testing = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None
        self._in_trouble = asyncio.Event()

    @property
    def status(self) -> DeviceStatus:
        """The device now."""
        quarantine = self._quarantine
        if quarantine is not None:
            state, reason = DeviceState.QUARANTINED, quarantine.reason
        elif self._unavailable:
            state, reason = DeviceState.UNAVAILABLE, self._unavailable
        else:
            state, reason = (DeviceState.OK if self._passed_at is not None else DeviceState.STARTING), ""
        return DeviceStatus(
            name=self.name,
            description=self._info.fingerprint if self._info else "",
            state=state,
            reason=reason,
            since=quarantine.since if quarantine else None,
            by_operator=quarantine is not None and quarantine.by_operator,
            self_test_passed_at=self._passed_at,
            environments=self._environments,
        )

    def serves(self, environment: str) -> bool:
        """Whether an environment measures on it."""
        return environment in self._environments

    async def remember(self) -> None:
        """Take up the quarantine that was there when the last server ended. Before `start`."""
        self._quarantine = await self._store.get(self.name)
        self._on_change(self.name, self._quarantine is not None)
        if self._quarantine is not None:
            log.warning("device %s is quarantined: %s", self.name, self._quarantine.reason)
            await self._use.take_out(self._quarantine.reason)

    async def start(self) -> bool:
        """Open the device and test it, once for all who ask, and again where that failed; whether it may be
        used. Raises DeviceUnavailable.

        One that an operator quarantined is not touched: opening it may be what hangs.
        """
        if self._quarantine is not None and self._quarantine.by_operator:
            return False
        if self._passed_at is not None:
            return self._quarantine is None
        if self._starting is None or (self._starting.done() and self._starting.exception() is not None):
            self._starting = asyncio.create_task(self._start(), name=f"start device {self.name}")
        await asyncio.shield(self._starting)
        return self._quarantine is None

    async def watch(self) -> None:
        """Test it again now and then, and when its workers die, until cancelled."""
        while True:
            await self._until_a_test_is_due()
            if self._info is None or (self._quarantine is not None and self._quarantine.by_operator):
                continue
            try:
                await self._test()
            except Exception:
                log.exception("the self-test of device %s could not be made", self.name)

    def worker_died(self, starts_in_vain: int) -> None:
        """A worker died or could not be started; so many did without one answer between them."""
        if starts_in_vain >= DEATHS_IN_A_ROW and self._quarantine is None:
            self._in_trouble.set()

    async def quarantine(self, reason: str) -> None:
        """Take it out of use, until `release`."""
        since = self._clock() if self._quarantine is None else self._quarantine.since
        log.warning("device %s is quarantined by an operator: %s", self.name, reason)
        await self._take_out(Quarantine(reason, since, by_operator=True))

    async def release(self, reason: str) -> None:
        """Use it again, once it has passed its self-test. Raises SelfTestFailed: it stays out of use."""
        async with self._testing:
            try:
                self._info = await self._open()
                await self._self_test()
            except (DeviceUnavailable, SelfTestFailed) as error:
                if self._quarantine is None:
                    await self._take_out_by_server(str(error))
                raise SelfTestFailed(str(error)) from None
            log.warning("device %s is released by an operator: %s", self.name, reason or "no reason given")
            await self._passed()

    async def _start(self) -> None:
        try:
            self._info = await self._open()
        except DeviceUnavailable as error:
            self._unavailable = str(error)
            raise
        self._unavailable = ""
        await self._test()

    async def _test(self) -> None:
        async with self._testing:
            try:
                await self._self_test()
            except SelfTestFailed as error:
                # An operator may have come before: that quarantine stays as it is.
                if self._quarantine is None or not self._quarantine.by_operator:
                    await self._take_out_by_server(str(error))
                return
            if self._quarantine is None or not self._quarantine.by_operator:
                await self._passed()

    async def _passed(self) -> None:
        self._passed_at = self._clock()
        if self._quarantine is None and not self._unavailable:
            return
        log.warning("device %s passed its self-test, and is in use again", self.name)
        self._unavailable = ""
        if self._quarantine is not None:
            self._quarantine = None
            self._on_change(self.name, False)
            await self._store.end(self.name)
        await self._use.put_back()

    async def _take_out_by_server(self, found: str) -> None:
        reason = f"its self-test failed: {found}"
        log.error("device %s: %s", self.name, reason)
        since = self._clock() if self._quarantine is None else self._quarantine.since
        await self._take_out(Quarantine(reason, since, by_operator=False))

    async def _take_out(self, quarantine: Quarantine) -> None:
        # In memory first: where the store cannot be written, the device is out of use all the same.
        self._quarantine = quarantine
        self._on_change(self.name, True)
        try:
            await self._store.put(self.name, quarantine)
        finally:
            await self._use.take_out(quarantine.reason)

    async def _until_a_test_is_due(self) -> None:
        began = time.monotonic()
        while not self._in_trouble.is_set():
            limit_s = self._interval_s or math.inf
            if self._quarantine is not None:
                limit_s = min(limit_s, TEST_AGAIN_S)
            left_s = began + limit_s - time.monotonic()
            if left_s <= 0:
                return
            # Looked at now and then: when it is quarantined meanwhile, it is to be tested sooner.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._in_trouble.wait(), min(left_s, TEST_AGAIN_S))
        self._in_trouble.clear()
