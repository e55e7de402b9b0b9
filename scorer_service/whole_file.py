"""Files that are there whole or not at all, also after a power cut."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A file to write, which is at `path` only once it is complete and on the disk.

    For one writer at a time: until then it is beside it under a name that the next one takes over. Raises
    OSError.
    """
    partial = path.with_name(f"{path.name}.partial")
    # What a killed writer left may have another mode.
    partial.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Let renames in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
