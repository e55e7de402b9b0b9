"""Compiled programs on disk: written whole or not at all, bounded in size, oldest use first out."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import scorer_launcher

DEFAULT_SIZE_LIMIT_BYTES = 2 << 30
_PROGRAM = "program"
_RECORD = "record.json"
_UNFINISHED = ".unfinished-"
_UNFINISHED_AGE_LIMIT_S = 3600.0


@dataclass(frozen=True)
class CachedResult:
    """What came of a source once: a program, or the compiler's messages."""

    program: Path | None
    messages: str
    compile_cpu_s: float
    compile_wall_s: float


class ProgramCache:
    """Results by key, in a folder each. Safe to share between threads, and between servers on one machine.

    An entry is a folder that was renamed into place, with the digest of its program: one that is damaged is
    dropped and made again. Raises OSError where the disk is full or read-only.
    """

    def __init__(self, folder: Path, size_limit_bytes: int = DEFAULT_SIZE_LIMIT_BYTES) -> None:
        self._folder = folder
        self._size_limit_bytes = size_limit_bytes
        self._lock = threading.Lock()
        self._uses: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        self._size_bytes = sum(size for _, size, _ in self._entries())

    @contextlib.contextmanager
    def pinned(self, key: str) -> Iterator[None]:
        """Keep the entry from being dropped for its age while its program is used."""
        with self._lock:
            self._uses[key] = self._uses.get(key, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._uses[key] -= 1
                if not self._uses[key]:
                    del self._uses[key]

    def get(self, key: str) -> CachedResult | None:
        """The result of that key, if there is a whole one."""
        folder = self._folder / key
        try:
            record = json.loads((folder / _RECORD).read_bytes())
            result = CachedResult(
                program=folder / _PROGRAM if record["program_sha256"] else None,
                messages=record["messages"],
                compile_cpu_s=record["compile_cpu_s"],
                compile_wall_s=record["compile_wall_s"],
            )
            if result.program is not None and _digest(result.program) != record["program_sha256"]:
                raise ValueError("the program is not the one that was stored")
            os.utime(folder)
        except (OSError, ValueError, KeyError, TypeError):
            shutil.rmtree(folder, ignore_errors=True)  # not there, or damaged
            return None
        return result

    def put(
        self, key: str, program: bytes | None, messages: str, compile_cpu_s: float, compile_wall_s: float
    ) -> CachedResult:
        """Store a result, and drop the entries that were not used for the longest time."""
        unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self._folder))
        try:
            if program is not None:
                scorer_launcher.write_executable(str(unfinished / _PROGRAM), program)
            record = {
                "program_sha256": hashlib.sha256(program).hexdigest() if program is not None else None,
                "messages": messages,
                "compile_cpu_s": compile_cpu_s,
                "compile_wall_s": compile_wall_s,
            }
            with (unfinished / _RECORD).open("w") as file:
                json.dump(record, file)
                file.flush()
                os.fsync(file.fileno())
            _sync_folder(unfinished)
            folder = self._folder / key
            # A rename onto a folder that is not empty fails: another server was faster, with the same result.
            with contextlib.suppress(OSError):
                unfinished.rename(folder)
                _sync_folder(self._folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        stored = self.get(key)
        if stored is None:
            raise OSError(f"the compiled program could not be stored in {folder}; is the disk full?")
        with self._lock:
            self._size_bytes += len(program or b"") + len(json.dumps(record))
            if self._size_bytes > self._size_limit_bytes:
                self._drop_oldest()
        return stored

    def _drop_oldest(self) -> None:
        entries = sorted(self._entries())
        self._size_bytes = sum(size for _, size, _ in entries)
        for _, size, folder in entries:
            if self._size_bytes <= self._size_limit_bytes * 0.9:
                return
            if folder.name not in self._uses:
                shutil.rmtree(folder, ignore_errors=True)
                self._size_bytes -= size

    def _entries(self) -> list[tuple[float, int, Path]]:
        entries = []
        for folder in self._folder.iterdir():
            # Dropped by another server meanwhile, or nothing of ours.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                size = sum(file.stat().st_size for file in folder.iterdir())
                entries.append((folder.stat().st_mtime, size, folder))
        return entries

    def _sweep(self) -> None:
        for folder in self._folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - folder.stat().st_mtime > _UNFINISHED_AGE_LIMIT_S:
                    shutil.rmtree(folder, ignore_errors=True)


def _digest(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a path cannot say O_NOFOLLOW
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
