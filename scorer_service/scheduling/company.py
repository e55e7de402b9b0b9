"""Which jobs are under way beside each other, and that a suspect is so alone.

Where a trusted process dies, every job that was under way may be why. One death makes suspects of all of
them; a suspect is worked on alone, so that the next death is its own.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

PATIENCE_S = 600.0
"""A suspect waits so long for the others to end, while no more begin. A training script may run for hours:
after that the suspect goes on beside what still runs, and a death that it has no part in may be counted
against it."""


class Member:
    """One job under way."""

    def __init__(self) -> None:
        self.had_company = False
        """Whether any other job was under way beside it, at any time until now."""


class Company:
    """The jobs under way on one server. Belongs to the event loop."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._members: set[Member] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._turn = asyncio.Lock()
        """Held by the suspect that waits or is under way; whoever comes waits for it."""

    @contextlib.asynccontextmanager
    async def joined(self, *, alone: bool) -> AsyncIterator[Member]:
        """Be under way: beside others, or `alone`."""
        if not alone:
            async with self._turn:
                pass
            async with self._membership() as member:
                yield member
            return
        async with self._turn:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), self._patience_s)
            async with self._membership() as member:
                yield member

    @contextlib.asynccontextmanager
    async def _membership(self) -> AsyncIterator[Member]:
        member = Member()
        for other in self._members:
            other.had_company = member.had_company = True
        self._members.add(member)
        self._empty.clear()
        try:
            yield member
        finally:
            self._members.discard(member)
            if not self._members:
                self._empty.set()
