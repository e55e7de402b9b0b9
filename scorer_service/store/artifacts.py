"""Content-addressed files: written beside, synced, then renamed to their digest."""

import contextlib
import hashlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scorer_service.store.disk_room import DiskFull, DiskRoom, is_disk_full
from scorer_service.whole_file import sync_folder

SHA256_PATTERN = re.compile(r"[0-9a-f]{64}\Z")


class DigestMismatch(Exception):
    """The content is not what its digest says. What was uploaded so far was dropped."""


class WrongOffset(Exception):
    """An upload goes on at another place than where the last one stopped."""


class ArtifactTooLarge(Exception):
    """The artifact is over the limit."""


class QuotaExceeded(Exception):
    """The folder has no room for it."""


class UploadBusy(Exception):
    """Another call is uploading the same artifact now."""


@dataclass(frozen=True)
class ArtifactKey:
    """Names a content. Raises ValueError for what cannot be one."""

    sha256: str
    size_bytes: int

    def __post_init__(self) -> None:
        if not SHA256_PATTERN.match(self.sha256):
            raise ValueError(f"sha256 must be 64 hexadecimal digits in lower case, not {self.sha256[:80]!r}")
        if self.size_bytes < 0:
            raise ValueError(f"size_bytes must not be negative, but is {self.size_bytes}")


class ArtifactFolder:
    """A folder of artifacts. Its methods block: call them in a thread.

    When an artifact was used last is the time of its file: it is told to who asks whether it is here, and
    survives a restart.
    """

    def __init__(
        self, folder: Path, *, artifact_limit_bytes: int, quota_bytes: int, room: DiskRoom | None = None
    ) -> None:
        """`room` is that on its disk; without it, none is kept free."""
        self._whole = folder / "sha256"
        self._partial = folder / "partial"
        self._whole.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._partial.mkdir(exist_ok=True, mode=0o700)
        self._artifact_limit_bytes = artifact_limit_bytes
        self.quota_bytes = quota_bytes
        self._room = room
        self._uploading: dict[str, int] = {}
        """Size of each artifact that is being uploaded, by the name of its unfinished file: it counts as if
        it were here whole already."""
        self._lock = threading.RLock()

    def path(self, sha256: str) -> Path | None:
        """The file of an artifact; None where it is not here."""
        if not SHA256_PATTERN.match(sha256):
            return None
        path = self._whole / sha256
        return path if path.exists() else None

    def has(self, key: ArtifactKey) -> bool:
        """Whether an artifact is here, whole and of that size. Who is told so may rely on it: it counts as a
        use."""
        with self._lock:
            try:
                path = self._whole / key.sha256
                if path.stat().st_size != key.size_bytes:
                    return False
                os.utime(path)
            except FileNotFoundError:
                return False
        return True

    def used_bytes(self) -> int:
        """What artifacts take, those too that are being uploaded."""
        with self._lock:
            return self._used_bytes()

    def unused_since(self, before: float) -> Sequence[str]:
        """The artifacts that were used last before a time, in seconds since the epoch, the longest unused
        first."""
        found = []
        for entry in self._whole.iterdir():
            with contextlib.suppress(FileNotFoundError):
                if (used_at := entry.stat().st_mtime) < before:
                    found.append((used_at, entry.name))
        return [name for _, name in sorted(found)]

    def remove_unused(self, sha256: str, before: float) -> bool:
        """Delete an artifact unless it was used since; whether it is gone."""
        with self._lock:
            path = self._whole / sha256
            try:
                if path.stat().st_mtime >= before:
                    return False
            except FileNotFoundError:
                return True
            path.unlink()
        return True

    def remove_unfinished(self, before: float) -> int:
        """Delete uploads that nobody went on with since a time; answers with their number."""
        removed = 0
        with self._lock:
            for entry in self._partial.iterdir():
                if entry.name not in self._uploading and entry.stat().st_mtime < before:
                    entry.unlink()
                    removed += 1
        return removed

    def offset(self, key: ArtifactKey, uploader: str = "") -> int:
        """How many bytes of it an uploader has sent."""
        if not uploader and self.has(key):
            return key.size_bytes
        with contextlib.suppress(FileNotFoundError):
            return (self._partial / partial_name(key, uploader)).stat().st_size
        return 0

    def begin(self, key: ArtifactKey, offset_bytes: int, uploader: str = "") -> "Upload":
        """Go on with an upload at `offset_bytes`.

        A named uploader's upload is apart from those of others, and goes through to its end where the
        artifact is here already: the uploader shows that it has the content.

        Raises ArtifactTooLarge, QuotaExceeded, DiskFull, WrongOffset, UploadBusy.
        """
        if key.size_bytes > self._artifact_limit_bytes:
            raise ArtifactTooLarge(
                f"the artifact has {key.size_bytes} bytes, the limit is {self._artifact_limit_bytes}"
            )
        with self._lock:
            if (name := partial_name(key, uploader)) in self._uploading:
                raise UploadBusy(f"another call is uploading {key.sha256}")
            here = self.offset(key, uploader)
            if offset_bytes != here:
                raise WrongOffset(f"the upload must go on at byte {here}, not at {offset_bytes}")
            used = self._used_bytes()
            if used + key.size_bytes - here > self.quota_bytes:
                raise QuotaExceeded(
                    f"the artifact needs {key.size_bytes - here} bytes, "
                    f"{max(0, self.quota_bytes - used)} of {self.quota_bytes} are free"
                )
            if self._room is not None:
                self._room.require(key.size_bytes - here)
            self._uploading[name] = key.size_bytes
        try:
            with _disk_full_told():
                return Upload(self, key, here, name)
        except BaseException:
            self._end_upload(name)
            raise

    def _used_bytes(self) -> int:
        """Room that is taken or promised."""
        total = sum(self._uploading.values())
        for folder in (self._whole, self._partial):
            for entry in folder.iterdir():
                if entry.name not in self._uploading:
                    with contextlib.suppress(FileNotFoundError):  # renamed since
                        total += entry.stat().st_size
        return total

    def _end_upload(self, name: str) -> None:
        with self._lock:
            self._uploading.pop(name, None)

    def _finish(self, key: ArtifactKey, name: str, *, whole: bool) -> None:
        partial = self._partial / name
        if whole:
            with self._lock:
                partial.rename(self._whole / key.sha256)
            sync_folder(self._whole)
        else:
            partial.unlink(missing_ok=True)


class Upload:
    """One artifact on its way in. Close it in any case: what is not whole can be gone on with later."""

    def __init__(self, folder: ArtifactFolder, key: ArtifactKey, offset_bytes: int, name: str) -> None:
        self._folder = folder
        self._key = key
        self._name = name
        self._digest = hashlib.sha256()
        path = folder._partial / name
        self._file = path.open("a+b")
        self._file.seek(0)
        while block := self._file.read(1 << 20):
            self._digest.update(block)
        self._received = offset_bytes

    def write(self, chunk: bytes) -> None:
        """Take the next bytes. Raises DigestMismatch where there are more than announced, DiskFull: then what
        was sent so far is dropped."""
        self._received += len(chunk)
        if self._received > self._key.size_bytes:
            self._folder._finish(self._key, self._name, whole=False)
            raise DigestMismatch(f"more than the announced {self._key.size_bytes} bytes were sent")
        self._digest.update(chunk)
        with self._dropped_on_full_disk():
            self._file.write(chunk)

    def commit(self) -> bool:
        """Make the artifact visible; False where bytes are missing still. Raises DigestMismatch, DiskFull."""
        if self._received < self._key.size_bytes:
            return False
        if self._digest.hexdigest() != self._key.sha256:
            self._folder._finish(self._key, self._name, whole=False)
            raise DigestMismatch(
                f"the content's sha256 is {self._digest.hexdigest()}, announced was {self._key.sha256}"
            )
        with self._dropped_on_full_disk():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._folder._finish(self._key, self._name, whole=True)
        return True

    @contextlib.contextmanager
    def _dropped_on_full_disk(self) -> Iterator[None]:
        try:
            with _disk_full_told():
                yield
        except DiskFull:
            # It would take room that nobody has, and its end may be half a chunk.
            self._folder._finish(self._key, self._name, whole=False)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            with contextlib.suppress(OSError):  # what it holds back finds no room on a full disk
                self._file.close()
        finally:
            self._folder._end_upload(self._name)


def partial_name(key: ArtifactKey, uploader: str) -> str:
    """Name of the file of an unfinished upload."""
    return f"{key.sha256}.{uploader}" if uploader else key.sha256


@contextlib.contextmanager
def _disk_full_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise DiskFull("the server's disk is full") from error
