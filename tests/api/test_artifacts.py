"""ArtifactService: uploads that go on where they stopped, and nothing visible that is not whole and right."""

import asyncio
import hashlib
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from calls import refused, rest, until
from scorer.v1 import artifact_pb2, artifact_pb2_grpc, result_pb2, scoring_pb2_grpc
from scorer.v1 import rust_codecontests_pb2 as messages
from scripted_service import Service

from scorer_service.store import artifacts as store

CHUNK = 1 << 20
CONTENT = bytes(range(256)) * 10_000  # 2.5 MB: three chunks, the last one short


def artifacts(service: Service) -> Any:
    return artifact_pb2_grpc.ArtifactServiceStub(service.channel)


def reference(content: bytes) -> result_pb2.ArtifactReference:
    return result_pb2.ArtifactReference(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))


def header(of: result_pb2.ArtifactReference, offset: int = 0) -> artifact_pb2.UploadArtifactRequest:
    return artifact_pb2.UploadArtifactRequest(
        header=artifact_pb2.UploadHeader(artifact=of, offset_bytes=offset)
    )


def chunk(data: bytes) -> artifact_pb2.UploadArtifactRequest:
    return artifact_pb2.UploadArtifactRequest(chunk=data)


def parts(content: bytes, offset: int = 0) -> list[artifact_pb2.UploadArtifactRequest]:
    chunks = [chunk(content[begin : begin + CHUNK]) for begin in range(offset, len(content), CHUNK)]
    return [header(reference(content), offset), *chunks]


def upload(service: Service, messages: Iterable[artifact_pb2.UploadArtifactRequest]) -> Any:
    return artifacts(service).UploadArtifact(iter(messages))


async def offset(service: Service, of: result_pb2.ArtifactReference) -> int:
    asked = artifact_pb2.GetUploadOffsetRequest(artifact=of)
    return int((await artifacts(service).GetUploadOffset(asked)).offset_bytes)


async def is_missing(service: Service, *of: result_pb2.ArtifactReference) -> list[str]:
    asked = artifact_pb2.FindMissingArtifactsRequest(artifacts=of)
    return [part.sha256 for part in (await artifacts(service).FindMissingArtifacts(asked)).missing]


async def download(service: Service, of: result_pb2.ArtifactReference, begin: int = 0) -> list[bytes]:
    asked = artifact_pb2.DownloadArtifactRequest(artifact=of, offset_bytes=begin)
    return [part.chunk for part in await rest(artifacts(service).DownloadArtifact(asked))]


async def begun(service: Service, content: bytes, size: int) -> Any:
    """An upload whose first `size` bytes the server has, and that is open still."""
    call = artifacts(service).UploadArtifact()
    await call.write(header(reference(content)))
    await call.write(chunk(content[:size]))
    while await offset(service, reference(content)) < size:
        pass
    return call


async def given_up(service: Service, content: bytes, size: int) -> None:
    """An upload that broke after `size` bytes, and that the server knows to be broken."""
    (await begun(service, content, size)).cancel()
    labels = {
        "grpc_type": "client_stream",
        "grpc_service": "scorer.v1.ArtifactService",
        "grpc_method": "UploadArtifact",
        "grpc_code": "Canceled",
    }
    await until(lambda: bool(service.metrics.get_sample_value("grpc_server_handled_total", labels)))


@pytest.mark.parametrize(
    "content", [CONTENT, b"", b"x", b"y" * CHUNK], ids=["large", "empty", "byte", "chunk"]
)
async def test_what_was_uploaded_can_be_downloaded(service: Service, content: bytes) -> None:
    of = reference(content)
    assert await is_missing(service, of) == [of.sha256]
    assert (await upload(service, parts(content))).artifact == of
    assert await is_missing(service, of) == []
    assert await offset(service, of) == len(content)
    chunks = await download(service, of)
    assert b"".join(chunks) == content
    assert all(0 < len(part) <= CHUNK for part in chunks)


@pytest.mark.parametrize("begin", [0, 1, CHUNK, len(CONTENT) - 1, len(CONTENT)])
async def test_a_download_begins_where_it_is_asked_to(service: Service, begin: int) -> None:
    await upload(service, parts(CONTENT))
    assert b"".join(await download(service, reference(CONTENT), begin)) == CONTENT[begin:]


@pytest.mark.parametrize("begin", [-1, len(CONTENT) + 1, 2**63 - 1])
async def test_a_download_cannot_begin_outside(service: Service, begin: int) -> None:
    await upload(service, parts(CONTENT))
    found = await refused(download(service, reference(CONTENT), begin))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["offset_bytes"])


async def test_what_is_not_here_cannot_be_downloaded(service: Service) -> None:
    await upload(service, parts(CONTENT))
    of = reference(CONTENT)
    for wrong in (reference(b"other"), result_pb2.ArtifactReference(sha256=of.sha256, size_bytes=1)):
        found = await refused(download(service, wrong))
        assert (found.code, found.reason) == (grpc.StatusCode.NOT_FOUND, "ARTIFACT_NOT_FOUND")


async def test_half_an_artifact_is_missing_and_cannot_be_downloaded(service: Service) -> None:
    call = await begun(service, CONTENT, CHUNK)
    assert await is_missing(service, reference(CONTENT)) == [reference(CONTENT).sha256]
    assert (await refused(download(service, reference(CONTENT)))).reason == "ARTIFACT_NOT_FOUND"
    call.cancel()


async def test_an_upload_that_broke_goes_on_where_it_stopped(service: Service) -> None:
    await given_up(service, CONTENT, CHUNK)
    assert await offset(service, reference(CONTENT)) == CHUNK
    await upload(service, parts(CONTENT, CHUNK))
    assert b"".join(await download(service, reference(CONTENT))) == CONTENT


async def test_a_stream_that_ends_early_is_told_how_to_go_on(service: Service) -> None:
    found = await refused(upload(service, parts(CONTENT)[:2]))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["chunk"])
    assert "GetUploadOffset" in found.message
    assert await offset(service, reference(CONTENT)) == CHUNK
    await upload(service, parts(CONTENT, CHUNK))


@pytest.mark.parametrize("wrong", [0, CHUNK - 1, CHUNK + 1, -1, 2**62])
async def test_an_upload_cannot_leave_a_gap_or_overwrite(service: Service, wrong: int) -> None:
    await refused(upload(service, parts(CONTENT)[:2]))
    found = await refused(upload(service, [header(reference(CONTENT), wrong)]))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["header.offset_bytes"])
    assert str(CHUNK) in found.message


async def test_two_uploads_of_one_digest_do_not_mix(service: Service) -> None:
    first = await begun(service, CONTENT, CHUNK)
    found = await refused(upload(service, parts(CONTENT)))
    assert (found.code, found.reason) == (grpc.StatusCode.ABORTED, "UPLOAD_BUSY")
    assert found.retry_ms is not None
    for part in parts(CONTENT, CHUNK)[1:]:
        await first.write(part)
    await first.done_writing()
    await first
    await upload(service, parts(CONTENT))  # as the refused one is told to: it is here now
    assert b"".join(await download(service, reference(CONTENT))) == CONTENT


async def test_many_uploads_of_one_digest_at_once_leave_one_right_artifact(service: Service) -> None:
    contents = [str(number).encode() + CONTENT[:CHUNK] for number in range(5)]
    for content in contents:
        calls = [upload(service, parts(content)) for _ in range(8)]
        outcomes = [await call.code() for call in calls]
        assert set(outcomes) <= {grpc.StatusCode.OK, grpc.StatusCode.ABORTED}
        assert grpc.StatusCode.OK in outcomes
        assert b"".join(await download(service, reference(content))) == content


class Held:
    """Keeps a step of an upload in its thread until the test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        self.entered = asyncio.Event()
        self._released = threading.Event()
        loop, step = asyncio.get_running_loop(), getattr(owner, name)

        def held(*arguments: Any) -> Any:
            if self._released.is_set():
                return step(*arguments)
            loop.call_soon_threadsafe(self.entered.set)
            self._released.wait(60)
            return step(*arguments)

        monkeypatch.setattr(owner, name, held)

    def release(self) -> None:
        self._released.set()


async def test_two_uploads_that_begin_in_one_moment_do_not_mix(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    beginning = Held(monkeypatch, store.ArtifactFolder, "begin")
    first = upload(service, parts(CONTENT))
    await beginning.entered.wait()
    async with asyncio.timeout(50):
        assert (await refused(upload(service, parts(CONTENT)))).reason == "UPLOAD_BUSY"
    beginning.release()
    await first


@pytest.mark.parametrize(("owner", "step"), [(store.ArtifactFolder, "begin"), (store.Upload, "write")])
async def test_a_caller_that_leaves_within_a_step_keeps_nobody_out(
    service: Service, monkeypatch: pytest.MonkeyPatch, owner: type, step: str
) -> None:
    held = Held(monkeypatch, owner, step)
    call = artifacts(service).UploadArtifact()
    await call.write(header(reference(CONTENT)))
    await call.write(chunk(CONTENT[:CHUNK]))
    await held.entered.wait()
    call.cancel()
    # Its thread works on the file still, so the next upload must wait.
    assert (await refused(upload(service, parts(CONTENT)))).reason == "UPLOAD_BUSY"
    held.release()
    async with asyncio.timeout(10):
        while True:
            here = await offset(service, reference(CONTENT))
            again = upload(service, parts(CONTENT, here))
            if await again.code() is not grpc.StatusCode.ABORTED:
                break
    assert await again.code() is grpc.StatusCode.OK
    assert b"".join(await download(service, reference(CONTENT))) == CONTENT


async def test_what_is_here_is_answered_before_it_is_sent(service: Service) -> None:
    await upload(service, parts(CONTENT))
    call = artifacts(service).UploadArtifact()
    await call.write(header(reference(CONTENT)))
    assert (await call).artifact == reference(CONTENT)  # no chunk was written, and the stream is open


@pytest.mark.parametrize("lie", ["content", "short", "long"])
async def test_a_content_that_is_not_its_digest_is_dropped(service: Service, lie: str) -> None:
    of = reference(CONTENT)
    sent = {"content": CONTENT[:-1] + b"\0", "short": CONTENT[:-1], "long": CONTENT + b"x"}[lie]
    if lie == "short":
        of.size_bytes -= 1
    found = await refused(upload(service, [header(of), *parts(sent)[1:]]))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "DIGEST_MISMATCH")
    assert await offset(service, of) == 0
    assert await is_missing(service, of) == [of.sha256]
    await upload(service, parts(CONTENT))
    assert b"".join(await download(service, reference(CONTENT))) == CONTENT


async def test_an_artifact_over_the_limit_is_refused_before_it_is_sent(service: Service) -> None:
    of = result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=(8 << 20) + 1)
    call = artifacts(service).UploadArtifact()
    await call.write(header(of))
    found = await refused(call)
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_TOO_LARGE")
    assert str(8 << 20) in found.message


async def test_an_artifact_that_the_folder_has_no_room_for_is_refused(service: Service) -> None:
    for number in range(2):
        await upload(service, parts(bytes([number]) * (8 << 20)))
    found = await refused(upload(service, parts(b"z")))
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_QUOTA")
    await upload(service, parts(bytes(8 << 20)))  # it is here: it needs no room


async def test_a_chunk_over_1_mib_is_refused(service: Service) -> None:
    await upload(service, [header(reference(b"y" * CHUNK)), chunk(b"y" * CHUNK)])
    content = b"x" * (CHUNK + 1)
    found = await refused(upload(service, [header(reference(content)), chunk(content)]))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["chunk"])
    assert str(CHUNK) in found.message


async def test_a_message_over_the_limit_of_requests_is_refused_within_the_stream(service: Service) -> None:
    content = b"x" * (5 << 20)
    found = await refused(upload(service, [header(reference(content)), chunk(content)]))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_TOO_LARGE")
    await upload(service, parts(content))


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([], "header"),
        ([chunk(b"x")], "header"),
        ([artifact_pb2.UploadArtifactRequest()], "header"),
        ([header(reference(b"x")), header(reference(b"x"))], "chunk"),
        ([header(reference(b"x")), artifact_pb2.UploadArtifactRequest()], "chunk"),
        ([header(result_pb2.ArtifactReference(sha256="../x", size_bytes=1))], "header.artifact"),
        ([header(result_pb2.ArtifactReference(sha256="A" * 64, size_bytes=1))], "header.artifact"),
        ([header(result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=-1))], "header.artifact"),
        ([header(result_pb2.ArtifactReference(sha256="0" * 64 + "\n"))], "header.artifact"),
        ([artifact_pb2.UploadArtifactRequest(header=artifact_pb2.UploadHeader())], "header.artifact"),
    ],
)
async def test_a_stream_must_have_a_header_and_then_chunks(
    service: Service, messages: list[artifact_pb2.UploadArtifactRequest], field: str
) -> None:
    found = await refused(upload(service, messages))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_missing_artifacts_come_in_the_order_of_the_request(service: Service) -> None:
    await upload(service, parts(b"here"))
    asked = [reference(content) for content in (b"3", b"here", b"1", b"2")]
    assert await is_missing(service, *asked) == [asked[0].sha256, asked[2].sha256, asked[3].sha256]
    asked = [reference(str(number).encode()) for number in range(1000)]
    assert len(await is_missing(service, *asked)) == 1000
    found = await refused(is_missing(service, *asked, reference(b"one more")))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["artifacts"])


async def test_a_malformed_reference_is_named_by_its_place(service: Service) -> None:
    found = await refused(is_missing(service, reference(b"x"), result_pb2.ArtifactReference(sha256="x")))
    assert list(found.fields) == ["artifacts[1]"]


async def test_a_submission_may_refer_to_an_artifact(service: Service) -> None:
    service.environment.released.set()
    source = b"fn main() {}" + b" " * CHUNK
    linked = result_pb2.SourceFile(artifact=reference(source))
    submission = messages.ScoreRustCodecontestsRequest(
        programs=[messages.RustProgram(problem_id="b", source=linked)]
    )
    stub: Any = scoring_pb2_grpc.ScoringServiceStub(service.channel)
    assert list((await refused(stub.ScoreRustCodecontests(submission))).fields) == [
        "programs[0].source.artifact"
    ]
    await upload(service, parts(source))
    answer = await stub.ScoreRustCodecontests(submission)
    assert answer.result.verdict == result_pb2.VERDICT_SCORED
    submission.programs[0].source.artifact.size_bytes += 1
    found = await refused(stub.ScoreRustCodecontests(submission))
    assert list(found.fields) == ["programs[0].source.artifact"]


async def test_a_client_that_leaves_a_download_leaves_nothing_behind(service: Service) -> None:
    content = bytes(8 << 20)
    await upload(service, parts(content))
    asked = artifact_pb2.DownloadArtifactRequest(artifact=reference(content))
    calls = [artifacts(service).DownloadArtifact(asked) for _ in range(4)]
    for call in calls:
        await call.read()
        call.cancel()
    await until(lambda: not open_files("artifacts/sha256"))


def open_files(part: str) -> list[str]:
    targets = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            targets.append(str(descriptor.readlink()))
        except FileNotFoundError:  # the folder itself, as it was listed
            continue
    return [target for target in targets if part in target]
