"""Messages of uploads."""

import hashlib

from google.protobuf.message import Message
from scorer.v1 import artifact_pb2, result_pb2

CHUNK_BYTES = 1 << 20
CONTENT = bytes(range(256)) * 10_000  # 2.5 MB: three chunks, the last one short


def reference(content: bytes) -> result_pb2.ArtifactReference:
    """Its name."""
    return result_pb2.ArtifactReference(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))


def parts(content: bytes, offset_bytes: int = 0) -> list[Message]:
    """An upload of the whole, from an offset on."""
    header = artifact_pb2.UploadHeader(artifact=reference(content), offset_bytes=offset_bytes)
    chunks = [
        artifact_pb2.UploadArtifactRequest(chunk=content[begin : begin + CHUNK_BYTES])
        for begin in range(offset_bytes, len(content), CHUNK_BYTES)
    ]
    return [artifact_pb2.UploadArtifactRequest(header=header), *chunks]
