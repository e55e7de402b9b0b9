"""Uploads artifacts that the server does not have, each resumed where an interrupted upload stopped."""

import enum
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import grpc
from google.protobuf.message import Message
from scorer.v1 import artifact_pb2, result_pb2

from scorer_client import _methods as methods
from scorer_client._artifact_content import ArtifactReference, Content, ContentSource, open_content
from scorer_client._errors import CallFailed, ScorerError
from scorer_client._flow import Flow, Listener, Pause, Tell, Upload, blocking, unary
from scorer_client._retry import Retrying, Session

CHUNK_BYTES = 1024 * 1024  # the most that the contract allows
_FIND_MISSING_BATCH = 1000  # the most that the contract allows
# Often enough for a progress bar, and seldom enough that going to another thread costs nothing.
_HASH_STEP_BYTES = 32 * CHUNK_BYTES

_WAY_OUT = {
    "ARTIFACT_TOO_LARGE": "save fewer or smaller tensors (float16 or bfloat16 take half of float32), or ask "
    "the server's operator to raise artifact_limit_mib",
    "ARTIFACT_QUOTA": "ask the server's operator to raise artifact_quota_mib, or to remove artifacts that "
    "nobody needs any more",
}


class UploadStage(enum.Enum):
    """What is being done for an upload."""

    HASHING = "hashing"
    """The file is read once, for its digest."""
    SENDING = "sending"
    """Bytes go to the server."""
    WAITING = "waiting"
    """Another client sends the same content; this one waits for it."""


@dataclass(frozen=True)
class UploadProgress:
    """How far an upload is."""

    name: str
    """The path, as it was given."""
    stage: UploadStage
    """What is being done."""
    done_bytes: int
    """Bytes that are hashed or sent. After a broken connection it may be less than before."""
    total_bytes: int
    """Size of the artifact."""


def upload(
    session: Session,
    source: ContentSource,
    timeout: float | timedelta | None,
    on_progress: Callable[[UploadProgress], object] | None,
) -> Flow[ArtifactReference]:
    """Uploads a content unless the server has it."""
    tries = Retrying(session, timeout.total_seconds() if isinstance(timeout, timedelta) else timeout)
    content = yield from blocking(partial(open_content, source, "content"))
    try:
        return (yield from upload_content(session, content, tries, Listener.of(on_progress)))
    finally:
        content.close()


def upload_content(
    session: Session, content: Content, within: Retrying, listener: Listener | None
) -> Flow[ArtifactReference]:
    """Hashes an opened content, and uploads it unless the server has it."""
    digest = hashlib.sha256()
    for begin in range(0, content.size_bytes, _HASH_STEP_BYTES):
        end = min(begin + _HASH_STEP_BYTES, content.size_bytes)
        yield from blocking(partial(_hash, digest.update, content, begin, end))
        if listener is not None:
            yield Tell(listener, UploadProgress(content.name, UploadStage.HASHING, end, content.size_bytes))
    reference = ArtifactReference(digest.hexdigest(), content.size_bytes)
    yield from upload_missing(session, {reference: content}, within, listener)
    return reference


def upload_missing(
    session: Session,
    contents: Mapping[ArtifactReference, Content],
    within: Retrying,
    listener: Listener | None = None,
) -> Flow[None]:
    """Uploads those of the contents that the server does not have."""
    by_sha256 = {reference.sha256: (reference, content) for reference, content in contents.items()}
    messages = [reference_message(reference) for reference in contents]
    for begin in range(0, len(messages), _FIND_MISSING_BATCH):
        request = artifact_pb2.FindMissingArtifactsRequest(
            artifacts=messages[begin : begin + _FIND_MISSING_BATCH]
        )
        response = yield from unary(session, methods.FIND_MISSING_ARTIFACTS, request, within=within)
        for missing in response.missing:
            reference, content = by_sha256[missing.sha256]
            yield from _upload(session, reference, content, within, listener)


def reference_message(reference: ArtifactReference) -> result_pb2.ArtifactReference:
    """The reference as a request holds it."""
    return result_pb2.ArtifactReference(sha256=reference.sha256, size_bytes=reference.size_bytes)


def _hash(update: Callable[[bytes], None], content: Content, begin: int, end: int) -> None:
    for offset_bytes in range(begin, end, CHUNK_BYTES):
        update(content.read(offset_bytes, min(CHUNK_BYTES, end - offset_bytes)))


def _upload(
    session: Session,
    reference: ArtifactReference,
    content: Content,
    within: Retrying,
    listener: Listener | None,
) -> Flow[None]:
    tries = Retrying(session, within.remaining_s())
    most_bytes, begun_anew = 0, False
    status_was_lost, only_ask = False, False
    while True:
        offset_request = artifact_pb2.GetUploadOffsetRequest(artifact=reference_message(reference))
        response = yield from unary(session, methods.GET_UPLOAD_OFFSET, offset_request, within=tries)
        offset_bytes = response.offset_bytes
        if offset_bytes > most_bytes:
            # There is progress, by whomever: a connection that breaks now and then ends no upload.
            most_bytes, status_was_lost = offset_bytes, False
            tries.answered()
        # Made also where no byte is missing: a server that was killed may have all of them and no artifact.
        sending = _Sending(reference, content, offset_bytes, listener, header_only=only_ask)
        try:
            yield Upload(methods.UPLOAD_ARTIFACT, sending.parts, tries.remaining_s())
            return
        except CallFailed as failed:
            failure = failed
        if sending.failure is not None:
            raise sending.failure
        error = failure.error
        asked, only_ask = only_ask, False
        if asked and any(violation.field == "chunk" for violation in error.field_violations):
            # It only misses the chunks: nothing speaks against sending them.
            continue
        if failure.connection_broke and error.code is grpc.StatusCode.INTERNAL and not status_was_lost:
            # It may have refused the upload at its begin; asked without a chunk behind, it says why.
            status_was_lost, only_ask = True, True
            continue
        if error.reason == "DIGEST_MISMATCH":
            if offset_bytes == 0 or begun_anew:
                raise content.changed() from error
            # What an earlier upload left there was wrong. The server has dropped it.
            begun_anew, most_bytes = True, 0
            continue
        if error.reason in _WAY_OUT:
            raise _with_way_out(error)
        pause_s = tries.pause_s_after(failure)
        if error.reason == "UPLOAD_BUSY" and listener is not None:
            yield Tell(
                listener,
                UploadProgress(content.name, UploadStage.WAITING, offset_bytes, reference.size_bytes),
            )
        yield Pause(pause_s)


def _with_way_out(error: ScorerError) -> ScorerError:
    error.message += f"; {_WAY_OUT[error.reason]}"
    return error


class _Sending:
    """One try of an upload, from an offset to the end."""

    def __init__(
        self,
        reference: ArtifactReference,
        content: Content,
        offset_bytes: int,
        listener: Listener | None,
        *,
        header_only: bool,
    ) -> None:
        self._header_only = header_only
        self._reference = reference
        self._content = content
        self._offset_bytes = offset_bytes
        self._listener = listener
        self.failure: Exception | None = None
        """Why there are no more parts, where the content could not be read to its end."""

    def parts(self) -> Iterator[Message | Tell]:
        """The messages to send, and the progress to tell between them. Never raises: gRPC would cancel the
        call, and tell nobody why."""
        yield artifact_pb2.UploadArtifactRequest(
            header=artifact_pb2.UploadHeader(
                artifact=reference_message(self._reference), offset_bytes=self._offset_bytes
            )
        )
        size_bytes = self._reference.size_bytes
        if self._header_only:
            return
        for begin in range(self._offset_bytes, size_bytes, CHUNK_BYTES):
            try:
                chunk = self._content.read(begin, CHUNK_BYTES)
            except Exception as error:
                self.failure = error
                return
            yield artifact_pb2.UploadArtifactRequest(chunk=chunk)
            if self._listener is not None:
                yield Tell(
                    self._listener,
                    UploadProgress(self._content.name, UploadStage.SENDING, begin + len(chunk), size_bytes),
                )
