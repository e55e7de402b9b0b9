"""Artifacts: never visible before they are whole and right."""

import hashlib
from pathlib import Path

import pytest

from scorer_service.store.artifacts import (
    ArtifactFolder,
    ArtifactKey,
    ArtifactTooLarge,
    DigestMismatch,
    QuotaExceeded,
    UploadBusy,
    WrongOffset,
)

CONTENT = b"content of an artifact"


@pytest.fixture
def folder(tmp_path: Path) -> ArtifactFolder:
    return ArtifactFolder(tmp_path, artifact_limit_bytes=1000, quota_bytes=1500)


def key_of(content: bytes) -> ArtifactKey:
    return ArtifactKey(hashlib.sha256(content).hexdigest(), len(content))


def upload(folder: ArtifactFolder, content: bytes) -> None:
    with folder.begin(key_of(content), 0) as running:
        running.write(content)
        assert running.commit()


@pytest.mark.parametrize("content", [CONTENT, b""])
def test_an_upload_is_there_when_it_is_whole(folder: ArtifactFolder, content: bytes) -> None:
    key = key_of(content)
    with folder.begin(key, 0) as running:
        running.write(content)
        assert not folder.has(key)
        assert folder.path(key.sha256) is None
        assert running.commit()
    path = folder.path(key.sha256)
    assert path is not None
    assert path.read_bytes() == content
    assert folder.offset(key) == len(content)


def test_an_interrupted_upload_goes_on_where_it_stopped(folder: ArtifactFolder) -> None:
    key = key_of(CONTENT)
    with folder.begin(key, 0) as running:
        running.write(CONTENT[:7])
        assert not running.commit()
    assert folder.offset(key) == 7
    with pytest.raises(WrongOffset, match="byte 7"):
        folder.begin(key, 0)
    with folder.begin(key, 7) as running:
        running.write(CONTENT[7:])
        assert running.commit()
    assert folder.has(key)


@pytest.mark.parametrize("sent", [b"x" * len(CONTENT), CONTENT + b"more"])
def test_a_wrong_content_is_dropped(folder: ArtifactFolder, sent: bytes) -> None:
    key = key_of(CONTENT)

    def send() -> None:
        running.write(sent)
        running.commit()

    with folder.begin(key, 0) as running, pytest.raises(DigestMismatch):
        send()
    assert folder.offset(key) == 0
    upload(folder, CONTENT)


def test_one_artifact_is_uploaded_by_one_call_at_a_time(folder: ArtifactFolder) -> None:
    with folder.begin(key_of(CONTENT), 0):
        with pytest.raises(UploadBusy):
            folder.begin(key_of(CONTENT), 0)
        upload(folder, b"another one")
    upload(folder, CONTENT)


def test_uploads_at_the_same_time_share_the_quota(folder: ArtifactFolder) -> None:
    first, second = b"a" * 900, b"b" * 700
    with folder.begin(key_of(first), 0) as running:
        running.write(first[:10])
        with pytest.raises(QuotaExceeded, match="needs 700 bytes, 600 of 1500 are free"):
            folder.begin(key_of(second), 0)
    # Given up after ten bytes, which stay for a later try.
    with folder.begin(key_of(second), 0) as running:
        running.write(second)
        assert running.commit()
    with pytest.raises(QuotaExceeded, match="needs 890 bytes, 790 of 1500"):
        folder.begin(key_of(first), 10)


def test_limits_are_kept_at_their_edge(folder: ArtifactFolder) -> None:
    with pytest.raises(ArtifactTooLarge, match="1001"):
        folder.begin(key_of(b"x" * 1001), 0)
    upload(folder, b"x" * 1000)
    with pytest.raises(QuotaExceeded, match="500 of 1500 are free"):
        folder.begin(key_of(b"y" * 501), 0)
    upload(folder, b"y" * 500)


@pytest.mark.parametrize("sha256", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_digest_that_is_none_never_becomes_a_path(folder: ArtifactFolder, sha256: str) -> None:
    assert folder.path(sha256) is None
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        ArtifactKey(sha256, 1)
