"""Draining a server and taking it back into use."""

import asyncio
import enum
import logging
from collections.abc import Awaitable, Callable

from scorer_service.scheduling.scheduler import Scheduler

log = logging.getLogger(__name__)


class DrainState(enum.Enum):
    """Whether a server takes submissions."""

    NONE = "none"
    DRAINING = "draining"
    DRAINED = "drained"


class ServerEnding(Exception):
    """The server is ending: nothing can be resumed."""


class DrainCalledOff(Exception):
    """The drain was undone before it had ended."""


class Drain:
    """At most one drain at a time. Belongs to the event loop."""

    def __init__(
        self,
        scheduler: Scheduler,
        *,
        grace_s: float,
        set_draining: Callable[[bool], Awaitable[None]],
        end_server: Callable[[], None],
    ) -> None:
        """`grace_s` where a caller gives none. `set_draining` tells the world. `end_server` returns at
        once."""
        self._scheduler = scheduler
        self._grace_s = grace_s
        self._set_draining = set_draining
        self._end_server = end_server
        self._draining: asyncio.Task[int] | None = None
        self._exit_when_drained = False
        self._is_ending = False

    @property
    def state(self) -> DrainState:
        """Now."""
        if not self._scheduler.is_draining:
            return DrainState.NONE
        return DrainState.DRAINING if self._scheduler.running_count else DrainState.DRAINED

    async def drain(self, grace_s: float | None = None, *, exit_when_drained: bool = False) -> int:
        """Drain, or join a drain that is under way; how many jobs went back to the queue. A caller that is
        cancelled does not call it off. Raises DrainCalledOff."""
        self._exit_when_drained |= exit_when_drained
        if self._draining is None:
            self._draining = asyncio.create_task(
                self._drain(self._grace_s if grace_s is None else grace_s), name="drain"
            )
        draining = self._draining
        try:
            put_back = await asyncio.shield(draining)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if draining.cancelled() and caller is not None and not caller.cancelling():
                raise DrainCalledOff from None
            raise
        self._exit_if_wanted()
        return put_back

    async def resume(self) -> None:
        """Take submissions again. Raises ServerEnding."""
        if self._is_ending:
            raise ServerEnding
        draining, self._draining = self._draining, None
        self._exit_when_drained = False
        if draining is None:
            return
        draining.cancel()
        await asyncio.wait([draining])
        self._scheduler.resume()
        await self._set_draining(False)
        log.info("no longer draining")

    async def end(self) -> None:
        """Drain for good, within the server's own grace, whatever was given to a drain under way."""
        self._is_ending = True
        log.info("draining: submissions have %.0f s to end, the others stay in the queue", self._grace_s)
        await self._set_draining(True)
        await self._scheduler.drain(self._grace_s)

    async def _drain(self, grace_s: float) -> int:
        log.info("draining: running submissions have %.0f s to end, the others stay in the queue", grace_s)
        await self._set_draining(True)
        put_back = await self._scheduler.drain(grace_s)
        log.info("drained; %d submissions went back to the queue", put_back)
        # Here too: whoever asked for it may have gone.
        self._exit_if_wanted()
        return put_back

    def _exit_if_wanted(self) -> None:
        if self._exit_when_drained:
            self._is_ending = True
            self._end_server()
