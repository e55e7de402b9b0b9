"""Lanes: the places in which stages of one kind are worked on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Lane:
    """A number of places, given in the order of asking."""

    def __init__(self, name: str, places: int) -> None:
        if places < 1:
            raise ValueError(f"lane {name} needs at least one place, not {places}")
        self.name = name
        self.places = places
        self.busy = 0
        """Places that are taken."""
        self.waiting = 0
        """Stages that wait for one."""
        self._semaphore = asyncio.Semaphore(places)

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place and keep it."""
        self.waiting += 1
        try:
            await self._semaphore.acquire()
        finally:
            self.waiting -= 1
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1
            self._semaphore.release()
