"""Whether there is room on the disk of the state folder, asked before anything is taken in."""

import errno
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

LOOK_AGAIN_S = 0.5
"""How long an answer of the file system is good for: it is asked for at every submission."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(Exception):
    """There is no room on the disk. Nothing was taken in."""


class DiskRoom:
    """The room on one disk, and the part of it that is kept for what was taken in already."""

    def __init__(self, folder: Path, reserve_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self.reserve_bytes = reserve_bytes
        """Below this much free, nothing more is taken in: results of accepted jobs must find room."""
        self._clock = clock
        self._free_bytes = 0
        self._looked_at = -LOOK_AGAIN_S

    def free_bytes(self) -> int:
        """Free for this user. A look at a local file system takes microseconds, so the caller may be the
        event loop. From any thread. Raises OSError."""
        now = self._clock()
        if now - self._looked_at >= LOOK_AGAIN_S:
            found = os.statvfs(self._folder)
            self._free_bytes, self._looked_at = found.f_bavail * found.f_frsize, now
        return self._free_bytes

    def require(self, more_bytes: int = 0) -> None:
        """Raises DiskFull where the reserve would be touched by taking in so much more."""
        free_bytes = self.free_bytes()
        if free_bytes - more_bytes < self.reserve_bytes:
            raise DiskFull(
                f"{free_bytes >> 20} MiB are free on the disk of the server, {self.reserve_bytes >> 20} MiB "
                "are kept for work that was accepted: nothing more is taken in until its operator makes room"
            )


def is_disk_full(error: BaseException) -> bool:
    """Whether an error of a file or of the store says that the disk, or the user's share of it, is full."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in _NO_ROOM
