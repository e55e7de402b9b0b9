"""Deletes artifacts that nobody has used for long, with the rows that say who has them."""

import asyncio
import sqlite3
import time
from collections.abc import Callable

from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database


class ArtifactExpiry:
    """The age at which artifacts go, unless a job that has not ended names them."""

    def __init__(
        self,
        database: Database,
        folder: ArtifactFolder,
        unused_days: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`unused_days`: 0 for never."""
        self._database = database
        self._folder = folder
        self._unused_s = unused_days * 86_400
        self._clock = clock

    async def run(self) -> int:
        """Delete what has expired, unfinished uploads too; answers with the number of artifacts."""
        if not self._unused_s:
            return 0
        before = self._clock() - self._unused_s
        await asyncio.to_thread(self._folder.remove_unfinished, before)
        removed = 0
        for sha256 in await asyncio.to_thread(self._folder.unused_since, before):
            removed += await self._database.run(_expire, self._folder, sha256, before)
        return removed


def _expire(connection: sqlite3.Connection, folder: ArtifactFolder, sha256: str, before: float) -> bool:
    """On the store's thread, as acceptances and claims of owners are: none can come between these steps.

    After a crash between them the rows are left, which is harmless: they are true again when the content
    comes again.
    """
    # A digest is text in the message, so it is found by its bytes. One state at a time: each has an index.
    (is_needed,) = connection.execute(
        "SELECT exists (SELECT 1 FROM jobs WHERE state = 'queued' AND instr(payload, :digest)) "
        "OR exists (SELECT 1 FROM jobs WHERE state = 'running' AND instr(payload, :digest))",
        {"digest": sha256.encode()},
    ).fetchone()
    if is_needed or not folder.remove_unused(sha256, before):
        return False
    connection.execute("DELETE FROM artifact_owners WHERE sha256 = ?", (sha256,))
    return True
