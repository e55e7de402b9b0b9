"""A disk without room: refused before anything is written, and clean where it fills up in the middle."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer_service.store.artifacts import ArtifactFolder, ArtifactKey
from scorer_service.store.database import Database
from scorer_service.store.disk_room import DiskFull, DiskRoom
from scorer_service.store.interface import NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=False, capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("a small file system cannot be mounted: it takes root's rights")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def job(payload: bytes, request_id: str | None = None) -> NewJob:
    return NewJob("rust_codecontests", payload, hashlib.sha256(payload).hexdigest(), request_id, None)


async def test_the_reserve_is_kept_and_a_job_that_is_here_is_found(small_disk: Path) -> None:
    database = Database(small_disk / "jobs.sqlite3")
    room = DiskRoom(small_disk, 0)
    queue = SqliteJobQueue(database, room=room)
    accepted, _ = await queue.accept(job(b"a", "request"), QueueLimits())
    room.reserve_bytes = 64 * MIB
    with pytest.raises(DiskFull, match="64 MiB"):
        await queue.accept(job(b"b"), QueueLimits())
    again, is_new = await queue.accept(job(b"a", "request"), QueueLimits())
    assert (again.job_id, is_new) == (accepted.job_id, False)
    database.close()


async def test_a_disk_that_fills_up_changes_nothing_and_is_written_again_with_room(small_disk: Path) -> None:
    database = Database(small_disk / "jobs.sqlite3")
    queue = SqliteJobQueue(database)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * MIB)
    accepted: list[str] = []

    async def accept_many() -> None:
        for number in range(100):
            record, _ = await queue.accept(job(bytes([number]) * (MIB // 4)), QueueLimits())
            accepted.append(record.job_id)

    with pytest.raises(DiskFull):
        await accept_many()
    assert len(accepted) >= 2
    assert (await queue.state("rust_codecontests")).depth == len(accepted)
    ballast.unlink()
    lease = await queue.claim("rust_codecontests", "me", 30)
    assert lease is not None
    assert lease.job_id == accepted[0]
    database.close()


def test_an_upload_for_which_there_is_no_room_leaves_nothing(small_disk: Path) -> None:
    folder = ArtifactFolder(small_disk, artifact_limit_bytes=64 * MIB, quota_bytes=64 * MIB)
    content = os.urandom(6 * MIB)
    key = ArtifactKey(hashlib.sha256(content).hexdigest(), len(content))

    def send() -> None:
        with folder.begin(key, 0) as upload:
            for begin in range(0, len(content), MIB):
                upload.write(content[begin : begin + MIB])
            upload.commit()

    with pytest.raises(DiskFull):
        send()
    assert folder.used_bytes() == 0
    assert not folder.has(key)
    with folder.begin(key, 0):
        pass


def test_an_upload_that_would_touch_the_reserve_is_not_begun(small_disk: Path) -> None:
    folder = ArtifactFolder(
        small_disk, artifact_limit_bytes=64 * MIB, quota_bytes=64 * MIB, room=DiskRoom(small_disk, 2 * MIB)
    )
    with pytest.raises(DiskFull):
        folder.begin(ArtifactKey("0" * 64, 3 * MIB), 0)
    assert list((small_disk / "partial").iterdir()) == []
    with folder.begin(ArtifactKey("0" * 64, MIB), 0):
        pass
