"""Uploads through both clients, against a server that breaks, refuses and contradicts itself on demand."""

import hashlib
import os
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from scorer_client import (
    ArtifactReference,
    FileChanged,
    InvalidRequest,
    Overloaded,
    Retry,
    RetryPolicy,
    UploadProgress,
    UploadStage,
)

from tests.client.conftest import QUICK, Colour
from tests.client.scripted_answers import (
    refuse,
)
from tests.client.scripted_server import ScriptedServer

MIB = 1024 * 1024
CONTENT = b"".join(bytes([number]) * MIB for number in range(5)) + b"the rest"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(CONTENT)
    return path


def refusing(code: grpc.StatusCode, reason: str, **details: Any) -> Callable[[grpc.ServicerContext], None]:
    def step(context: grpc.ServicerContext) -> None:
        refuse(context, code, "scripted", reason=reason, **details)

    return step


BUSY = refusing(grpc.StatusCode.ABORTED, "UPLOAD_BUSY", retry_after=timedelta(milliseconds=10))


@pytest.mark.parametrize("given", [str, Path, lambda path: path.read_bytes()])
def test_a_file_is_uploaded_once(
    server: ScriptedServer, colour: Colour, file: Path, given: Callable[[Path], Any]
) -> None:
    reference = colour.call(server, "upload", given(file))
    assert reference == ArtifactReference(SHA256, len(CONTENT))
    assert server.artifacts == {SHA256: CONTENT}
    assert server.largest_chunk_bytes == MIB
    assert colour.call(server, "upload", file) == reference
    assert server.upload_offsets == [0], "what the server has is not sent again"


def test_an_empty_file_is_uploaded_too(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    reference = colour.call(server, "upload", tmp_path / "empty")
    assert server.artifacts == {reference.sha256: b""}


def test_progress_tells_of_hashing_and_of_every_piece_sent(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    told: list[UploadProgress] = []
    colour.call(server, "upload", file, on_progress=told.append)
    assert {(progress.name, progress.total_bytes) for progress in told} == {(str(file), len(CONTENT))}
    assert [(p.stage, p.done_bytes) for p in told] == [
        (UploadStage.HASHING, len(CONTENT)),
        *((UploadStage.SENDING, number * MIB) for number in range(1, 6)),
        (UploadStage.SENDING, len(CONTENT)),
    ]


def test_a_failing_callback_costs_no_upload(
    server: ScriptedServer, colour: Colour, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def on_progress(progress: UploadProgress) -> None:
        raise RuntimeError("broken bar")

    colour.call(server, "upload", file, on_progress=on_progress)
    assert server.artifacts == {SHA256: CONTENT}
    assert caplog.text.count("RuntimeError: broken bar") == 1


def test_a_broken_upload_goes_on_where_it_stopped(server: ScriptedServer, colour: Colour, file: Path) -> None:
    server.break_upload_after.extend([2, 1])
    retries: list[Retry] = []
    colour.call(server, "upload", file, client={"on_retry": retries.append})
    assert server.upload_offsets == [0, 2 * MIB, 3 * MIB]
    assert server.artifacts == {SHA256: CONTENT}
    assert [retry.failure_count for retry in retries] == [1, 1], "an upload that moves is not a failing one"


def test_a_server_that_stopped_after_the_last_byte_is_asked_to_finish(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    server.partial[SHA256] = CONTENT
    colour.call(server, "upload", file)
    assert server.upload_offsets == [len(CONTENT)]
    assert server.artifacts == {SHA256: CONTENT}


def test_what_an_earlier_upload_left_wrong_is_begun_anew(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    server.partial[SHA256] = b"wrong" + CONTENT[5 : 2 * MIB]
    colour.call(server, "upload", file)
    assert server.upload_offsets == [2 * MIB, 0]
    assert server.artifacts == {SHA256: CONTENT}


def test_another_clients_upload_is_waited_for(server: ScriptedServer, colour: Colour, file: Path) -> None:
    server.partial[SHA256] = CONTENT[:MIB]

    def other_moves(context: grpc.ServicerContext) -> None:
        server.partial[SHA256] = CONTENT[: 3 * MIB]
        BUSY(context)

    def other_ends(context: grpc.ServicerContext) -> None:
        server.partial[SHA256] = CONTENT
        server.artifacts[SHA256] = CONTENT
        BUSY(context)

    server.upload_failures.extend([other_moves, BUSY, other_ends])
    told: list[UploadProgress] = []
    colour.call(server, "upload", file, on_progress=told.append)
    assert server.upload_offsets == [MIB, 3 * MIB, 3 * MIB, len(CONTENT)]
    waits = [progress.done_bytes for progress in told if progress.stage is UploadStage.WAITING]
    assert waits == [MIB, 3 * MIB, 3 * MIB]


def test_another_clients_upload_that_stands_still_is_given_up(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    server.upload_failures.append(
        refusing(grpc.StatusCode.ABORTED, "UPLOAD_BUSY", retry_after=timedelta(seconds=30))
    )
    with pytest.raises(Exception, match="UPLOAD_BUSY"):
        colour.call(server, "upload", file, client={"retry_policy": RetryPolicy(overload_limit_s=10)})


def test_an_offset_that_another_client_moved_is_asked_for_again(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    server.upload_failures.append(
        refusing(
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            violations={"header.offset_bytes": "the upload must go on at byte 5, not at 0"},
        )
    )
    colour.call(server, "upload", file)
    assert server.artifacts == {SHA256: CONTENT}


def lose_status(context: grpc.ServicerContext) -> None:
    """As grpc.aio words it where the server ends a call that is written to: grpc#36066."""
    context.abort(grpc.StatusCode.INTERNAL, "Internal error from Core")


def test_a_status_that_grpc_lost_is_asked_for(server: ScriptedServer, colour: Colour, file: Path) -> None:
    server.upload_failures.extend(
        [lose_status, refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_QUOTA")]
    )
    with pytest.raises(Overloaded, match="ARTIFACT_QUOTA"):
        colour.call(server, "upload", file)
    server.upload_failures.append(lose_status)
    told: list[UploadProgress] = []
    colour.call(server, "upload", file, on_progress=told.append)
    assert server.artifacts == {SHA256: CONTENT}
    assert server.upload_offsets == [0, 0, 0, 0, 0], "told, asked without a chunk, and sent"


@pytest.mark.parametrize(
    ("reason", "error_class", "words"),
    [
        ("ARTIFACT_TOO_LARGE", InvalidRequest, "float16 or bfloat16.*artifact_limit_mib"),
        ("ARTIFACT_QUOTA", Overloaded, "operator to raise artifact_quota_mib"),
    ],
)
def test_a_server_without_room_is_told_with_the_way_out(
    server: ScriptedServer,
    colour: Colour,
    file: Path,
    reason: str,
    error_class: type[Exception],
    words: str,
) -> None:
    server.upload_failures.append(refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, reason))
    with pytest.raises(error_class, match=words):
        colour.call(server, "upload", file)
    assert server.upload_offsets == [0], "it is not tried again"


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def overwrite(path: Path) -> None:
    """In place, with the same size."""
    with path.open("r+b") as file:
        file.seek(4 * MIB)
        file.write(b"other")
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("change", [grow, overwrite, lambda path: os.truncate(path, 2 * MIB)])
def test_a_file_that_changes_while_it_is_sent_is_an_error(
    server: ScriptedServer, colour: Colour, file: Path, change: Callable[[Path], object]
) -> None:
    changed: list[UploadProgress] = []

    def change_once(progress: UploadProgress) -> None:
        if progress.stage is UploadStage.SENDING and not changed:
            changed.append(progress)
            change(file)

    with pytest.raises(FileChanged, match=r"weights\.safetensors changed while it was sent"):
        colour.call(server, "upload", file, on_progress=change_once)
    assert changed[0].done_bytes < len(CONTENT)
    assert server.artifacts == {}


def test_nothing_is_sent_of_a_file_that_changed_since_it_was_hashed(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    chunks: list[int] = []
    server.after_chunk = chunks.append

    def change(progress: UploadProgress) -> None:
        if progress.stage is UploadStage.HASHING:
            overwrite(file)

    with pytest.raises(FileChanged):
        colour.call(server, "upload", file, on_progress=change)
    assert chunks == []


def test_a_change_that_leaves_no_trace_is_found_by_the_digest(
    server: ScriptedServer, colour: Colour, file: Path
) -> None:
    before = file.stat()

    def change(progress: UploadProgress) -> None:
        if progress.stage is UploadStage.HASHING:
            with file.open("r+b") as opened:
                opened.write(b"other")
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(FileChanged):
        colour.call(server, "upload", file, on_progress=change)
    assert server.artifacts == {}


def test_what_is_no_regular_file_is_refused(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        # By a relative name: a socket's path has a length limit, which a test's folder may pass.
        directory = Path.cwd()
        os.chdir(tmp_path)
        try:
            listening.bind("socket")
        finally:
            os.chdir(directory)
        for path, kind in (
            (tmp_path, "a folder"),
            (tmp_path / "pipe", "a pipe"),
            (tmp_path / "socket", "a socket"),
            (Path("/dev/zero"), "a device"),
        ):
            with pytest.raises(InvalidRequest, match=f"is {kind}: give a regular file"):
                colour.call(server, "upload", path)
    with pytest.raises(FileNotFoundError):
        colour.call(server, "upload", tmp_path / "missing")


def test_the_file_is_closed_whatever_happens(server: ScriptedServer, colour: Colour, file: Path) -> None:
    def is_open() -> bool:
        return any(is_the_file(link) for link in Path("/proc/self/fd").iterdir())

    def is_the_file(link: Path) -> bool:
        try:
            return link.readlink() == file
        except FileNotFoundError:  # the folder's own descriptor
            return False

    server.upload_failures.append(refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_QUOTA"))
    with pytest.raises(Overloaded):
        colour.call(server, "upload", file)
    assert not is_open()
    colour.call(server, "upload", file)
    assert not is_open()


def test_the_retry_policy_holds_for_uploads(server: ScriptedServer, colour: Colour, file: Path) -> None:
    draining = refusing(grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING")
    server.upload_failures.extend([draining] * 3)
    colour.call(server, "upload", file, client={"retry_policy": QUICK})
    assert server.artifacts == {SHA256: CONTENT}
