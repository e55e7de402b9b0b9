"""Metrics of uploads, as a decorator round the artifact folder."""

from pathlib import Path
from typing import Self

from prometheus_client import CollectorRegistry, Counter

from scorer_service.store.artifacts import (
    ArtifactFolder,
    ArtifactKey,
    ArtifactTooLarge,
    DigestMismatch,
    QuotaExceeded,
    Upload,
)
from scorer_service.store.disk_room import DiskFull, DiskRoom

OUTCOMES = ("complete", "interrupted", "damaged", "too_large", "no_room")


class ArtifactMetrics:
    """Counts uploads and their bytes. Its decorators may be used from any thread."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.received_bytes = Counter(
            "scorer_artifact_uploaded_bytes",
            "Bytes of artifacts that were received, those of uploads that did not come to their end too.",
            registry=registry,
        )
        self.uploads = Counter(
            "scorer_artifact_uploads",
            "Uploads of artifacts by outcome: complete, interrupted (can be gone on with), damaged (another "
            "content than announced), too_large, no_room (over the quota, or none on the disk).",
            ["outcome"],
            registry=registry,
        )
        for outcome in OUTCOMES:
            self.uploads.labels(outcome)

    def folder(
        self, folder: Path, *, artifact_limit_bytes: int, quota_bytes: int, room: DiskRoom | None = None
    ) -> ArtifactFolder:
        """A folder whose uploads are counted."""
        return _MeteredFolder(
            folder, self, artifact_limit_bytes=artifact_limit_bytes, quota_bytes=quota_bytes, room=room
        )


class _MeteredFolder(ArtifactFolder):
    def __init__(
        self,
        folder: Path,
        metrics: ArtifactMetrics,
        *,
        artifact_limit_bytes: int,
        quota_bytes: int,
        room: DiskRoom | None,
    ) -> None:
        super().__init__(
            folder, artifact_limit_bytes=artifact_limit_bytes, quota_bytes=quota_bytes, room=room
        )
        self._metrics = metrics

    def begin(self, key: ArtifactKey, offset_bytes: int, uploader: str = "") -> Upload:
        try:
            upload = super().begin(key, offset_bytes, uploader)
        except ArtifactTooLarge:
            self._metrics.uploads.labels("too_large").inc()
            raise
        except (QuotaExceeded, DiskFull):
            self._metrics.uploads.labels("no_room").inc()
            raise
        return _MeteredUpload(upload, self._metrics)


class _MeteredUpload(Upload):
    """Stands in for another upload, which does the work."""

    def __init__(self, upload: Upload, metrics: ArtifactMetrics) -> None:
        self._upload = upload
        self._metrics = metrics
        self._outcome = "interrupted"

    def write(self, chunk: bytes) -> None:
        self._metrics.received_bytes.inc(len(chunk))
        try:
            self._upload.write(chunk)
        except DigestMismatch:
            self._outcome = "damaged"
            raise

    def commit(self) -> bool:
        try:
            whole = self._upload.commit()
        except DigestMismatch:
            self._outcome = "damaged"
            raise
        if whole:
            self._outcome = "complete"
        return whole

    def __enter__(self) -> Self:
        self._upload.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._upload.__exit__(*exc)
        self._metrics.uploads.labels(self._outcome).inc()
