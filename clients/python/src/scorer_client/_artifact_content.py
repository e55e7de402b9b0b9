"""Contents of artifacts: a file or bytes, read piece by piece, so that any size takes little memory."""

import io
import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

import grpc

from scorer_client._errors import FileChanged, invalid_field

ContentSource: TypeAlias = str | Path | bytes
"""A path to a file, or the bytes themselves."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class ArtifactReference:
    """Names an artifact by its content. Knowing it is the right to use it."""

    sha256: str
    """SHA-256, 64 hexadecimal digits in lower case."""
    size_bytes: int
    """Its size, in bytes."""


class Content:
    """An opened content. Its methods block, and may be called from several threads."""

    def __init__(self, file: BinaryIO, name: str, path: Path | None) -> None:
        """`name` is what a person calls it; `path` is None for bytes, which cannot change."""
        self.name = name
        self._file = file
        self._path = path
        # The file may be read by a thread of gRPC while the flow closes it.
        self._lock = threading.Lock()
        self._stamp = self._current_stamp()
        self.size_bytes = self._stamp[0]

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """That many bytes, fewer at the end only. Raises FileChanged where the file is not what it was."""
        with self._lock:
            self._file.seek(offset_bytes)
            piece = self._file.read(length_bytes)
            expected_bytes = max(0, min(length_bytes, self.size_bytes - offset_bytes))
            if len(piece) != expected_bytes or self._current_stamp() != self._stamp:
                raise self.changed()
        return piece

    def changed(self) -> FileChanged:
        """The error of a content that is not what it was."""
        return FileChanged(
            f"{self.name} changed while it was sent: wait until nothing writes to it, then call again",
            code=grpc.StatusCode.INVALID_ARGUMENT,
            reason="FILE_CHANGED",
        )

    def close(self) -> None:
        """Ends all reading."""
        with self._lock:
            self._file.close()

    def _current_stamp(self) -> tuple[int, ...]:
        if self._path is None:
            return (self._file.seek(0, io.SEEK_END),)
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def open_content(source: ContentSource, field: str) -> Content:
    """Opens a content. Raises OSError, and InvalidRequest naming `field` for what is no regular file."""
    if isinstance(source, bytes):
        return Content(io.BytesIO(source), f"{field} ({len(source)} bytes)", None)
    path = Path(source)
    # Looked at before it is opened: opening a pipe waits for whoever writes into it.
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "no regular file")
        raise invalid_field(field, f"{path} is {kind}: give a regular file")
    return Content(path.open("rb"), str(path), path)
