"""Lock files by which the servers of one machine keep out of each other's way."""

import os
import tempfile
from pathlib import Path
from typing import IO


def open_lock(name: str) -> IO[bytes]:
    """The file to lock with `flock`. The servers of one user see each other by it; those of others do not."""
    # Where there is one, a folder that nobody else can write to.
    folders = (
        os.environ.get("XDG_RUNTIME_DIR", ""),
        "/run" if os.getuid() == 0 else "",
        tempfile.gettempdir(),
    )
    folder = next(path for path in folders if path and os.access(path, os.W_OK))
    path = Path(folder) / f"scorer-{name}-{os.getuid()}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "r+b")
