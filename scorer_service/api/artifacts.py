"""ArtifactService: uploads and downloads of content-addressed files."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

import grpc
from scorer.v1 import artifact_pb2, artifact_pb2_grpc, result_pb2

from scorer_service.api.access.artifacts import ReachableArtifacts
from scorer_service.api.access.caller import current_caller, presented
from scorer_service.api.artifact_references import artifact_key
from scorer_service.api.errors import ApiError, invalid_field
from scorer_service.api.interceptors.around import Context
from scorer_service.store.artifacts import (
    ArtifactKey,
    ArtifactTooLarge,
    DigestMismatch,
    QuotaExceeded,
    Upload,
    WrongOffset,
)
from scorer_service.store.disk_room import DiskFull

CHUNK_LIMIT_BYTES = 1 << 20
QUERY_LIMIT = 1000
UPLOADS_LIMIT = 256
"""Open at once: each holds a descriptor, and without those the server cannot even take a connection."""
UPLOADS_LIMIT_EACH = 64
"""The same of one uploader, where callers have names, so that none of them takes all."""
PAUSE_LIMIT_S = 120.0
"""In which the next message of an upload comes. A chunk of 1 MiB takes so long at 70 kbit/s."""

Result = TypeVar("Result")


class ArtifactServicer(artifact_pb2_grpc.ArtifactServiceServicer):
    """Moves bytes between calls and the artifact folder, off the event loop."""

    def __init__(self, artifacts: ReachableArtifacts, expire: Callable[[], Awaitable[int]]) -> None:
        """`expire` deletes the artifacts that nobody used for long; it is asked to where there is no room."""
        self._artifacts = artifacts
        self._expire = expire
        self._folder = artifacts.folder
        self._uploading: set[tuple[str, str]] = set()

    async def FindMissingArtifacts(
        self, request: artifact_pb2.FindMissingArtifactsRequest, context: Context
    ) -> artifact_pb2.FindMissingArtifactsResponse:
        """Which are not here."""
        if len(request.artifacts) > QUERY_LIMIT:
            raise invalid_field(
                "artifacts", f"has {len(request.artifacts)} entries, at most {QUERY_LIMIT} are allowed"
            )
        keys = [_key(part, f"artifacts[{index}]") for index, part in enumerate(request.artifacts)]
        here = await self._present(keys, context)
        return artifact_pb2.FindMissingArtifactsResponse(
            missing=[part for part, found in zip(request.artifacts, here, strict=True) if not found]
        )

    async def GetUploadOffset(
        self, request: artifact_pb2.GetUploadOffsetRequest, context: Context
    ) -> artifact_pb2.GetUploadOffsetResponse:
        """Where an upload goes on."""
        key = _key(request.artifact, "artifact")
        if (await self._present([key], context))[0]:
            return artifact_pb2.GetUploadOffsetResponse(offset_bytes=key.size_bytes)
        uploader = self._artifacts.uploader(current_caller())
        return artifact_pb2.GetUploadOffsetResponse(
            offset_bytes=await asyncio.to_thread(self._folder.offset, key, uploader)
        )

    async def UploadArtifact(
        self, request_iterator: AsyncIterator[artifact_pb2.UploadArtifactRequest], context: Context
    ) -> artifact_pb2.UploadArtifactResponse:
        """Take one artifact."""
        parts = _without_pauses(request_iterator, PAUSE_LIMIT_S)
        header = None
        async for first in parts:
            if first.WhichOneof("part") != "header":
                raise invalid_field("header", "must be in the first message")
            header = first.header
            break
        if header is None:
            raise invalid_field("header", "is missing: the stream had no message")
        key = _key(header.artifact, "header.artifact")
        response = artifact_pb2.UploadArtifactResponse(artifact=header.artifact)
        caller = current_caller()
        uploader = self._artifacts.uploader(caller)
        if (uploader, key.sha256) in self._uploading:
            raise ApiError(
                grpc.StatusCode.ABORTED,
                "UPLOAD_BUSY",
                f"another call is uploading {key.sha256}: ask FindMissingArtifacts again later",
                retry_after_s=1.0,
            )
        own = sum(1 for name, _ in self._uploading if name == uploader)
        if len(self._uploading) >= UPLOADS_LIMIT or (uploader and own >= UPLOADS_LIMIT_EACH):
            raise ApiError(
                grpc.StatusCode.ABORTED,
                "UPLOAD_BUSY",
                f"{len(self._uploading)} uploads are under way, {own} of them of this caller: send one after "
                "the other, or try again later",
                retry_after_s=5.0,
            )
        # Held for the whole call: two threads that began one upload together would write into one file.
        self._uploading.add((uploader, key.sha256))
        try:
            if not (await self._present([key], context))[0]:
                await self._receive(key, uploader, header.offset_bytes, parts)
                await self._artifacts.claim(key, caller)
        finally:
            self._uploading.discard((uploader, key.sha256))
        return response

    async def DownloadArtifact(
        self, request: artifact_pb2.DownloadArtifactRequest, context: Context
    ) -> AsyncIterator[artifact_pb2.DownloadArtifactResponse]:
        """Give one artifact."""
        key = _key(request.artifact, "artifact")
        path = self._folder.path(key.sha256)
        if path is None or not (await self._present([key], context))[0]:
            raise ApiError(
                grpc.StatusCode.NOT_FOUND,
                "ARTIFACT_NOT_FOUND",
                f"no artifact {key.sha256} of {key.size_bytes} bytes is here",
            )
        if not 0 <= request.offset_bytes <= key.size_bytes:
            raise invalid_field(
                "offset_bytes", f"must be between 0 and {key.size_bytes}, not {request.offset_bytes}"
            )
        file = await asyncio.to_thread(path.open, "rb")
        try:
            file.seek(request.offset_bytes)
            while chunk := await asyncio.to_thread(file.read, CHUNK_LIMIT_BYTES):
                yield artifact_pb2.DownloadArtifactResponse(chunk=chunk)
        finally:
            file.close()

    async def _present(self, keys: Sequence[ArtifactKey], context: Context) -> Sequence[bool]:
        evaluator_key = presented(context.invocation_metadata()).evaluator_key
        return await self._artifacts.present(keys, current_caller(), evaluator_key)

    async def _receive(
        self,
        key: ArtifactKey,
        uploader: str,
        offset_bytes: int,
        parts: AsyncIterator[artifact_pb2.UploadArtifactRequest],
    ) -> None:
        with contextlib.ExitStack() as opened, _upload_errors():
            # Opened within the thread, so that a call that is cancelled meanwhile closes it too.
            def begin() -> Upload:
                return opened.enter_context(self._folder.begin(key, offset_bytes, uploader))

            try:
                upload = await _in_thread(begin)
            except (QuotaExceeded, DiskFull):
                if not await self._expire():
                    raise
                upload = await _in_thread(begin)
            async for part in parts:
                if part.WhichOneof("part") != "chunk":
                    raise invalid_field("chunk", "must be in every message but the first")
                if len(part.chunk) > CHUNK_LIMIT_BYTES:
                    raise invalid_field(
                        "chunk", f"has {len(part.chunk)} bytes, at most {CHUNK_LIMIT_BYTES} are allowed"
                    )
                await _in_thread(upload.write, part.chunk)
            if not await _in_thread(upload.commit):
                raise invalid_field(
                    "chunk",
                    "the stream ended before the artifact did: go on at the offset of GetUploadOffset",
                )


async def _without_pauses(
    parts: AsyncIterator[artifact_pb2.UploadArtifactRequest], limit_s: float
) -> AsyncIterator[artifact_pb2.UploadArtifactRequest]:
    """The messages of an upload. Raises ApiError where the next one keeps it waiting."""
    while True:
        try:
            async with asyncio.timeout(limit_s):
                part = await anext(parts)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise ApiError(
                grpc.StatusCode.ABORTED,
                "UPLOAD_STALLED",
                f"nothing came for {limit_s:g} s: go on at the offset of GetUploadOffset",
                retry_after_s=1.0,
            ) from None
        yield part


@contextlib.contextmanager
def _upload_errors() -> Iterator[None]:
    try:
        yield
    except ArtifactTooLarge as error:
        raise ApiError(grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_TOO_LARGE", str(error)) from None
    except QuotaExceeded as error:
        raise ApiError(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "ARTIFACT_QUOTA",
            f"{error}: artifacts expire when they were not used for long (setting artifact_days of the "
            "server); its operator can shorten that, or raise artifact_quota_mib",
        ) from None
    except WrongOffset as error:
        raise invalid_field("header.offset_bytes", str(error)) from None
    except DigestMismatch as error:
        raise ApiError(
            grpc.StatusCode.INVALID_ARGUMENT,
            "DIGEST_MISMATCH",
            f"{error}; what was uploaded is dropped: begin anew",
        ) from None


async def _in_thread(step: Callable[..., Result], *arguments: Any) -> Result:
    """Do a step of an upload in a thread. A cancelled caller waits for its end: until then, the file is the
    thread's."""
    thread = asyncio.ensure_future(asyncio.to_thread(step, *arguments))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        while not thread.done():  # also where the caller is cancelled again
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([thread])
        thread.exception()  # looked at, or the event loop complains of it
        raise


def _key(reference: result_pb2.ArtifactReference, field: str) -> ArtifactKey:
    try:
        return artifact_key(reference)
    except ValueError as error:
        raise invalid_field(field, str(error)) from None
