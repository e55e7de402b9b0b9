"""Uploads that stand still take nothing from others: both how many there are and how long has an end."""

import asyncio
import contextlib
from typing import Any

import grpc.aio
import pytest
from artifact_calls import CONTENT, parts, reference
from calls import refused
from scorer.v1 import artifact_pb2, artifact_pb2_grpc, result_pb2
from scripted_service import Service

from scorer_service.api import artifacts


def stub(service: Service) -> Any:
    return artifact_pb2_grpc.ArtifactServiceStub(service.channel)


async def held(service: Service, number: int) -> Any:
    """An upload that has begun, of which nothing more comes."""
    of = result_pb2.ArtifactReference(sha256=f"{number:064x}", size_bytes=1 << 20)
    call = stub(service).UploadArtifact()
    await call.write(artifact_pb2.UploadArtifactRequest(header=artifact_pb2.UploadHeader(artifact=of)))
    await call.write(artifact_pb2.UploadArtifactRequest(chunk=bytes(1 << 16)))
    asked = artifact_pb2.GetUploadOffsetRequest(artifact=of)
    async with asyncio.timeout(10):
        while (await stub(service).GetUploadOffset(asked)).offset_bytes < 1 << 16:
            pass
    return call


async def test_more_uploads_than_there_may_be_are_to_be_tried_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifacts, "UPLOADS_LIMIT", 3)
    calls = [await held(service, number) for number in range(3)]
    found = await refused(stub(service).UploadArtifact(iter(parts(CONTENT))))
    assert (found.code, found.reason) == (grpc.StatusCode.ABORTED, "UPLOAD_BUSY")
    assert found.retry_ms
    calls[0].cancel()
    sent = None
    async with asyncio.timeout(10):
        while sent is None:  # until the server knows that the call has gone
            with contextlib.suppress(grpc.aio.AioRpcError):
                sent = await stub(service).UploadArtifact(iter(parts(CONTENT)))
    assert sent.artifact == reference(CONTENT)


@pytest.mark.parametrize("messages", [[], parts(CONTENT)[:2]], ids=["no header", "half of it"])
async def test_an_upload_that_stands_still_ends(
    service: Service, monkeypatch: pytest.MonkeyPatch, messages: list[Any]
) -> None:
    monkeypatch.setattr(artifacts, "PAUSE_LIMIT_S", 0.2)
    call = stub(service).UploadArtifact()
    for message in messages:
        await call.write(message)
    found = await refused(call)
    assert (found.code, found.reason) == (grpc.StatusCode.ABORTED, "UPLOAD_STALLED")
    asked = artifact_pb2.GetUploadOffsetRequest(artifact=reference(CONTENT))
    kept = (await stub(service).GetUploadOffset(asked)).offset_bytes
    assert kept == sum(len(message.chunk) for message in messages)
    sent = await stub(service).UploadArtifact(iter(parts(CONTENT, kept)))
    assert sent.artifact == reference(CONTENT)
