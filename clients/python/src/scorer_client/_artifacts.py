"""Uploads sources that are too large to be sent inline, each resumed where an interrupted upload stopped."""

import hashlib
from collections.abc import Callable, Iterator, Mapping

from google.protobuf.message import Message
from scorer.v1 import artifact_pb2, result_pb2

from scorer_client import _methods as methods
from scorer_client._errors import CallFailed
from scorer_client._flow import Flow, Pause, Upload, unary
from scorer_client._retry import Retrying, Session

CHUNK_BYTES = 1024 * 1024  # the most that the contract allows
_FIND_MISSING_BATCH = 1000  # the most that the contract allows


def artifact_reference(content: bytes) -> result_pb2.ArtifactReference:
    """Names a content by its digest."""
    return result_pb2.ArtifactReference(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))


def upload_missing(session: Session, contents: Mapping[str, bytes], within: Retrying) -> Flow[None]:
    """Uploads those of the contents (by their digests) that the server does not have."""
    references = [
        result_pb2.ArtifactReference(sha256=sha256, size_bytes=len(content))
        for sha256, content in contents.items()
    ]
    for begin in range(0, len(references), _FIND_MISSING_BATCH):
        request = artifact_pb2.FindMissingArtifactsRequest(
            artifacts=references[begin : begin + _FIND_MISSING_BATCH]
        )
        response = yield from unary(session, methods.FIND_MISSING_ARTIFACTS, request, within=within)
        for reference in response.missing:
            yield from _upload(session, reference, contents[reference.sha256], within)


def _upload(
    session: Session, reference: result_pb2.ArtifactReference, content: bytes, within: Retrying
) -> Flow[None]:
    tries = Retrying(session, within.remaining_s())
    while True:
        offset_request = artifact_pb2.GetUploadOffsetRequest(artifact=reference)
        response = yield from unary(session, methods.GET_UPLOAD_OFFSET, offset_request, within=tries)
        offset_bytes = response.offset_bytes
        if offset_bytes == len(content):
            return
        try:
            yield Upload(
                methods.UPLOAD_ARTIFACT,
                _upload_requests(reference, content, offset_bytes),
                tries.remaining_s(),
            )
        except CallFailed as failed:
            yield Pause(tries.pause_s_after(failed))
        else:
            return


def _upload_requests(
    reference: result_pb2.ArtifactReference, content: bytes, offset_bytes: int
) -> Callable[[], Iterator[Message]]:
    def requests() -> Iterator[Message]:
        yield artifact_pb2.UploadArtifactRequest(
            header=artifact_pb2.UploadHeader(artifact=reference, offset_bytes=offset_bytes)
        )
        for begin in range(offset_bytes, len(content), CHUNK_BYTES):
            yield artifact_pb2.UploadArtifactRequest(chunk=content[begin : begin + CHUNK_BYTES])

    return requests
