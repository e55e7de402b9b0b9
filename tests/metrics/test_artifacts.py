"""Uploads: bytes that came in, and what became of each upload."""

import contextlib
import hashlib
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from scorer_service.metrics.artifacts import OUTCOMES, ArtifactMetrics
from scorer_service.store.artifacts import (
    ArtifactKey,
    ArtifactTooLarge,
    DigestMismatch,
    QuotaExceeded,
    WrongOffset,
)

CONTENT = b"weights" * 100


class Rig:
    """A metered folder for artifacts of 1000 bytes, 1500 in all."""

    def __init__(self, folder: Path) -> None:
        self.registry = CollectorRegistry()
        self.folder = ArtifactMetrics(self.registry).folder(
            folder, artifact_limit_bytes=1000, quota_bytes=1500
        )

    @property
    def received(self) -> float:
        return self.registry.get_sample_value("scorer_artifact_uploaded_bytes_total") or 0.0

    @property
    def outcomes(self) -> dict[str, float]:
        values = {
            outcome: self.registry.get_sample_value("scorer_artifact_uploads_total", {"outcome": outcome})
            for outcome in OUTCOMES
        }
        return {outcome: value for outcome, value in values.items() if value}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def key_of(content: bytes) -> ArtifactKey:
    return ArtifactKey(hashlib.sha256(content).hexdigest(), len(content))


def test_an_upload_in_two_parts_is_interrupted_once_and_complete_once(rig: Rig) -> None:
    key = key_of(CONTENT)
    with rig.folder.begin(key, 0) as upload:
        upload.write(CONTENT[:300])
        assert not upload.commit()
    with rig.folder.begin(key, 300) as upload:
        upload.write(CONTENT[300:])
        assert upload.commit()
    assert rig.folder.has(key)
    assert rig.received == len(CONTENT)
    assert rig.outcomes == {"interrupted": 1, "complete": 1}


def test_an_upload_that_the_client_gives_up_is_interrupted(rig: Rig) -> None:
    with contextlib.suppress(ConnectionError), rig.folder.begin(key_of(CONTENT), 0) as upload:
        upload.write(CONTENT[:5])
        raise ConnectionError
    assert (rig.received, rig.outcomes) == (5, {"interrupted": 1})


def test_another_content_than_announced_is_damaged(rig: Rig) -> None:
    with rig.folder.begin(key_of(CONTENT), 0) as upload:
        upload.write(CONTENT[::-1])
        with pytest.raises(DigestMismatch):
            upload.commit()
    with rig.folder.begin(key_of(CONTENT), 0) as upload, pytest.raises(DigestMismatch):
        upload.write(CONTENT + b"more")
    assert rig.outcomes == {"damaged": 2}


def test_what_has_no_room_is_counted_by_reason(rig: Rig) -> None:
    with pytest.raises(ArtifactTooLarge):
        rig.folder.begin(ArtifactKey("0" * 64, 1001), 0)
    with rig.folder.begin(key_of(b"x" * 900), 0) as upload:
        upload.write(b"x" * 900)
        assert upload.commit()
    with pytest.raises(QuotaExceeded):
        rig.folder.begin(key_of(CONTENT), 0)
    assert rig.outcomes == {"too_large": 1, "no_room": 1, "complete": 1}


def test_a_wrong_offset_is_the_clients_affair(rig: Rig) -> None:
    with pytest.raises(WrongOffset):
        rig.folder.begin(key_of(CONTENT), 5)
    assert rig.outcomes == {}
