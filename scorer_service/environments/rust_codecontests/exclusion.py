"""Keeps runs whose output is shown apart from runs that have seen hidden data.

Sandboxes keep programs from talking to each other, but not perfectly: how busy a core is, or how many
processes the machine has, can be seen from each. A hidden run could tell a public run of the same agent
something by it, and what the public run prints is shown. So what is shown comes from runs beside which
nothing hidden runs.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Exclusion:
    """Many at once may work `beside` each other, or one `alone`, who comes first. For one event loop."""

    def __init__(self) -> None:
        self._beside = 0
        self._alone_waiting = 0
        self._is_alone = False
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Work that others of its kind may run beside."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._is_alone and not self._alone_waiting)
            self._beside += 1
        try:
            yield
        finally:
            self._beside -= 1
            await self._wake()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Work that nothing else of either kind runs beside."""
        self._alone_waiting += 1
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._is_alone and not self._beside)
                self._is_alone = True
        finally:
            self._alone_waiting -= 1
            if not self._is_alone:
                await self._wake()
        try:
            yield
        finally:
            self._is_alone = False
            await self._wake()

    async def _wake(self) -> None:
        # Shielded: whoever is cancelled while leaving must still let the others know.
        await asyncio.shield(self._notify())

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
