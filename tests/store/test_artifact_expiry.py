"""Artifacts that nobody used for long go, with who has them; what a job needs stays."""

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scorer_service.store.artifact_expiry import ArtifactExpiry
from scorer_service.store.artifact_owners import SqliteArtifactOwners
from scorer_service.store.artifacts import ArtifactFolder, ArtifactKey
from scorer_service.store.database import Database
from scorer_service.store.interface import NewJob, Owner
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

DAY_S = 86_400.0
OWNER = Owner(token_id="token")


@dataclass
class Store:
    folder: ArtifactFolder
    path: Path
    owners: SqliteArtifactOwners
    queue: SqliteJobQueue
    expiry: ArtifactExpiry

    async def put(self, content: bytes, *, unused_days: float) -> ArtifactKey:
        key = ArtifactKey(hashlib.sha256(content).hexdigest(), len(content))
        with self.folder.begin(key, 0) as upload:
            upload.write(content)
            assert upload.commit()
        await self.owners.add(OWNER, key.sha256)
        then = time.time() - unused_days * DAY_S
        os.utime(self.path / "sha256" / key.sha256, (then, then))
        return key

    async def owned(self, key: ArtifactKey) -> bool:
        return bool(await self.owners.reachable(OWNER, None, [key.sha256]))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    database = Database(tmp_path / "jobs.sqlite3")
    folder = ArtifactFolder(tmp_path / "artifacts", artifact_limit_bytes=1000, quota_bytes=1000)
    yield Store(
        folder,
        tmp_path / "artifacts",
        SqliteArtifactOwners(database),
        SqliteJobQueue(database),
        ArtifactExpiry(database, folder, unused_days=10),
    )
    database.close()


async def test_what_nobody_used_for_long_goes_with_its_owners(store: Store) -> None:
    old, new = await store.put(b"old", unused_days=11), await store.put(b"new", unused_days=9)
    assert await store.expiry.run() == 1
    assert store.folder.path(old.sha256) is None
    assert not await store.owned(old)
    assert store.folder.has(new)
    assert await store.owned(new)


async def test_asking_whether_it_is_here_is_a_use(store: Store) -> None:
    key = await store.put(b"old", unused_days=11)
    assert store.folder.has(key)
    assert await store.expiry.run() == 0


@pytest.mark.parametrize("is_running", [False, True])
async def test_what_a_job_needs_stays_until_it_has_ended(store: Store, is_running: bool) -> None:
    key = await store.put(b"old", unused_days=11)
    payload = b"\x0a\x40" + key.sha256.encode() + b"\x10\x03"
    record, _ = await store.queue.accept(
        NewJob("rust_codecontests", payload, "digest", None, None), QueueLimits()
    )
    if is_running:
        assert await store.queue.claim("rust_codecontests", "me", 30)
    assert await store.expiry.run() == 0
    assert store.folder.path(key.sha256) is not None
    await store.queue.cancel(record.job_id)
    assert await store.expiry.run() == 1


async def test_an_upload_that_nobody_goes_on_with_goes_but_not_one_under_way(store: Store) -> None:
    keys = [ArtifactKey(hashlib.sha256(content).hexdigest(), 9) for content in (b"a", b"b")]
    then = time.time() - 11 * DAY_S
    with store.folder.begin(keys[0], 0) as upload:
        upload.write(b"1234")
    under_way = store.folder.begin(keys[1], 0)
    for key in keys:
        os.utime(store.path / "partial" / key.sha256, (then, then))
    assert await store.expiry.run() == 0
    assert not (store.path / "partial" / keys[0].sha256).exists()
    assert (store.path / "partial" / keys[1].sha256).exists()
    under_way.__exit__()


async def test_without_an_age_nothing_expires(store: Store) -> None:
    await store.put(b"old", unused_days=1e4)
    store.expiry._unused_s = 0
    assert await store.expiry.run() == 0
