"""What goes wrong inside stays inside: a client gets a number to quote, the log has the rest."""

import logging
import re
from typing import Any

import grpc.aio
import pytest
from calls import refused, rest
from rich_status import rich
from scorer.v1 import (
    artifact_pb2,
    artifact_pb2_grpc,
    environment_pb2,
    environment_pb2_grpc,
    job_pb2,
    job_pb2_grpc,
    result_pb2,
)
from scripted_service import Service

from scorer_service.api.errors import ApiError, RichStatus, invalid_fields
from scorer_service.environments.interface import FieldViolation
from scorer_service.store.artifacts import ArtifactFolder

SECRET = "expected output 42 in /srv/hidden/tests"


def fail(*arguments: Any, **named: Any) -> Any:
    raise RuntimeError(SECRET)


async def of_unary(service: Service, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(service.scheduler, "snapshot", fail)
    stub: Any = job_pb2_grpc.JobServiceStub(service.channel)
    return await stub.GetJob(job_pb2.GetJobRequest(name=job_pb2.JobName(job_id="x")))


async def of_response_stream(service: Service, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(service.environment, "starter", fail)
    stub: Any = environment_pb2_grpc.EnvironmentServiceStub(service.channel)
    asked = environment_pb2.GetStarterRequest(environment="rust_codecontests")
    return await rest(stub.GetStarter(asked))


async def of_request_stream(service: Service, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(ArtifactFolder, "begin", fail)
    stub: Any = artifact_pb2_grpc.ArtifactServiceStub(service.channel)
    header = artifact_pb2.UploadHeader(artifact=result_pb2.ArtifactReference(sha256="0" * 64))
    return await stub.UploadArtifact(iter([artifact_pb2.UploadArtifactRequest(header=header)]))


@pytest.mark.parametrize("call", [of_unary, of_response_stream, of_request_stream])
async def test_an_unexpected_error_is_a_number_that_is_in_the_log(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, call: Any
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(service, monkeypatch)
    found = rich(caught.value)
    assert (found.code, found.reason) == (grpc.StatusCode.INTERNAL, "JUDGING_FAILED")
    assert SECRET not in repr(caught.value)
    assert "RuntimeError" not in repr(caught.value)
    match = re.search(r"incident ([0-9a-f]{12})", found.message)
    assert match is not None
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert match[1] in record.getMessage()
    assert record.exc_info is not None
    assert SECRET in str(record.exc_info[1])


async def test_incidents_are_told_apart(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = {(await refused(of_unary(service, monkeypatch))).message for _ in range(2)}
    assert len(messages) == 2


@pytest.mark.parametrize("letter", ["x", "%", "\n", "é", "漢", "😀"])
async def test_the_longest_error_fits_in_the_metadata_of_every_client(letter: str) -> None:
    violation = FieldViolation(f"programs[0].{letter * 5000}", letter * 5000)
    status = invalid_fields([violation] * 1000).status()
    assert sent_bytes(status) < 8 << 10
    status = ApiError(grpc.StatusCode.NOT_FOUND, "X", letter * 100_000, retry_after_s=1).status()
    assert sent_bytes(status) < 8 << 10


def sent_bytes(status: RichStatus) -> int:
    """As in HTTP/2: the message percent-encoded, binary values in Base64, 32 bytes an entry."""
    size = 32 + sum(1 if 0x20 <= byte <= 0x7E and byte != 0x25 else 3 for byte in status.details.encode())
    for key, value in status.trailing_metadata:
        size += 32 + len(key) + (len(value) + 2) // 3 * 4
    return size


def test_as_many_violations_are_told_as_there_is_room_for() -> None:
    violations = [FieldViolation(f"programs[{number}].source", "is empty") for number in range(16)]
    error = invalid_fields(violations)
    assert "and 13 more" in error.message
    assert "programs[15].source" in str(error.status().trailing_metadata)
