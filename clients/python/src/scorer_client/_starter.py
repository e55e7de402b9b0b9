"""Starters: the files that an environment hands out, written where they cannot do harm.

The server is trusted with scores, not with the caller's disk: a path is taken only where it stays in the
folder.
"""

import os
import re
import shutil
import tempfile
from functools import partial
from pathlib import Path

from scorer.v1 import environment_pb2

from scorer_client import _methods as methods
from scorer_client._errors import CallFailed, UnsafeStarter
from scorer_client._flow import Flow, Pause, blocking, open_stream
from scorer_client._retry import Retrying, Session

# A drive letter or a stream name of Windows, a separator of Windows, or what no file system takes.
_FOREIGN_CHARACTERS = re.compile(r"[\\:\x00]")


def fetch_starter(
    session: Session, environment: str, directory: Path, *, overwrite: bool
) -> Flow[tuple[Path, ...]]:
    """Writes the starter's files; their paths, sorted. Nothing is in place until all have come."""
    request = environment_pb2.GetStarterRequest(environment=environment)
    tries = Retrying(session)
    while True:
        staged = yield from blocking(partial(StagedStarter, directory, overwrite=overwrite))
        try:
            read = yield from open_stream(methods.GET_STARTER, request)
            while (piece := (yield from read())) is not None:
                tries.answered()
                yield from blocking(partial(staged.add, piece))
            return (yield from blocking(staged.put_in_place))
        except CallFailed as failed:
            pause_s = tries.pause_s_after(failed)
        finally:
            staged.discard()
        yield Pause(pause_s)


def safe_relative_path(path: str) -> Path:
    """The path as it may be joined to a folder. Raises UnsafeStarter for one that could lead out of it."""
    parts = path.split("/")
    if not path or _FOREIGN_CHARACTERS.search(path) or any(part in ("", ".", "..") for part in parts):
        raise UnsafeStarter(
            f"the server sent a starter file with the path {path!r}, which is not plainly relative"
        )
    return Path(*parts)


class StagedStarter:
    """Files of a starter in a folder of their own, until they are whole."""

    def __init__(self, directory: Path, *, overwrite: bool) -> None:
        """Raises FileExistsError for a folder with files in it, unless they may be overwritten."""
        self._directory = directory.resolve()
        self._is_new = not self._directory.exists()
        if not self._is_new and not self._directory.is_dir():
            raise FileExistsError(f"{directory} is a file: choose a folder")
        if not self._is_new and not overwrite and any(self._directory.iterdir()):
            raise FileExistsError(f"{directory} is not empty: choose another folder, or allow overwriting")
        # On the same file system as the folder, so that a rename puts a file in place at once.
        parent = self._directory.parent if self._is_new else self._directory
        parent.mkdir(parents=True, exist_ok=True)
        self._staging = Path(tempfile.mkdtemp(prefix=".starter-", dir=parent))
        self._unfinished: str | None = None
        self._finished: set[str] = set()

    def add(self, piece: environment_pb2.GetStarterResponse) -> None:
        """Appends a piece to its file."""
        path = safe_relative_path(piece.path)
        if piece.path in self._finished or self._unfinished not in (None, piece.path):
            raise UnsafeStarter(f"the server sent pieces of {self._unfinished or piece.path!r} out of order")
        staged = self._staging / path
        try:
            staged.parent.mkdir(parents=True, exist_ok=True)
            with staged.open("ab") as file:
                file.write(piece.chunk)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise UnsafeStarter(
                f"the server sent {piece.path!r} both as a file and as a folder of the starter"
            ) from None
        self._unfinished = None if piece.last_chunk else piece.path
        if piece.last_chunk:
            self._finished.add(piece.path)
            if piece.executable:
                staged.chmod(staged.stat().st_mode | (staged.stat().st_mode & 0o444) >> 2)

    def put_in_place(self) -> tuple[Path, ...]:
        """Moves the files into the folder."""
        if self._unfinished is not None:
            raise UnsafeStarter(f"the server did not finish {self._unfinished!r}")
        relative_paths = [safe_relative_path(path) for path in sorted(self._finished)]
        if self._is_new and not self._directory.exists():
            self._staging.chmod(0o777 & ~_umask())
            self._staging.rename(self._directory)
        else:
            for path in relative_paths:
                self._refuse_symlinked_parents(path)
            for path in relative_paths:
                destination = self._directory / path
                destination.parent.mkdir(parents=True, exist_ok=True)
                # Replaces a symlink itself, and never writes through it.
                (self._staging / path).replace(destination)
        return tuple(self._directory / path for path in relative_paths)

    def discard(self) -> None:
        """Removes what was not put in place."""
        shutil.rmtree(self._staging, ignore_errors=True)

    def _refuse_symlinked_parents(self, path: Path) -> None:
        for parent in path.parents:
            if (self._directory / parent).is_symlink():
                raise UnsafeStarter(
                    f"{self._directory / parent} is a symlink: a starter file written through it would land "
                    "elsewhere; remove it, or choose another folder"
                )
        if (self._directory / path).is_dir() and not (self._directory / path).is_symlink():
            raise FileExistsError(f"{self._directory / path} is a folder where the starter has a file")


def _umask() -> int:
    # There is no way to read it without setting it.
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
