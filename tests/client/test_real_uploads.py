"""Uploads to a real server: killed in the middle, raced by another client, out of room; and their memory."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from scorer_client import (
    ArtifactReference,
    InvalidRequest,
    Overloaded,
    Retry,
    ScorerClient,
    UploadProgress,
    UploadStage,
)
from server_process import ServerProcess

from tests.client.conftest import QUICK, Colour

MIB = 1024 * 1024


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[ServerProcess]:
    running = ServerProcess(
        tmp_path / "server", "--artifact-limit-mib", "256", "--artifact-quota-mib", "300"
    ).start()
    yield running
    assert running.stop() == 0, running.log.read_text()


def make_file(path: Path, size_bytes: int) -> Path:
    """Every MiB is another one, so that one too many or too few is another digest."""
    with path.open("wb") as file:
        for number in range(-(-size_bytes // MIB)):
            file.write(number.to_bytes(4, "big") * (MIB // 4))
        file.truncate(size_bytes)
    return path


def digest(path: Path) -> ArtifactReference:
    with path.open("rb") as file:
        return ArtifactReference(hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)


def stored(server: ServerProcess) -> list[Path]:
    return list((server.state_dir / "artifacts" / "sha256").iterdir())


def test_an_upload_goes_on_after_the_server_was_killed(
    real_server: ServerProcess, colour: Colour, tmp_path: Path
) -> None:
    file = make_file(tmp_path / "weights", 60 * MIB + 7)
    told: list[UploadProgress] = []
    killed: list[UploadProgress] = []
    retries: list[Retry] = []

    def on_progress(progress: UploadProgress) -> None:
        told.append(progress)
        if progress.stage is UploadStage.SENDING and progress.done_bytes == 30 * MIB and not killed:
            real_server.kill()
            killed.append(progress)

    def on_retry(retry: Retry) -> None:
        retries.append(retry)
        if len(retries) == 1:
            real_server.start()

    reference = colour.call(
        real_server.address, "upload", file, on_progress=on_progress, client={"on_retry": on_retry}
    )
    assert retries
    assert reference == digest(file)
    (artifact,) = stored(real_server)
    assert (artifact.name, digest(artifact)) == (reference.sha256, reference)
    sent_after = [p.done_bytes for p in told[told.index(killed[0]) + 1 :] if p.stage is UploadStage.SENDING]
    assert sent_after[0] > MIB, "it did not begin anew"
    assert sent_after[-1] == file.stat().st_size


def test_two_clients_that_race_upload_one_artifact(real_server: ServerProcess, tmp_path: Path) -> None:
    file = make_file(tmp_path / "weights", 40 * MIB)
    first_sends, second_waits = threading.Event(), threading.Event()
    references: list[ArtifactReference] = []
    sent_by_second: list[int] = []

    def first(progress: UploadProgress) -> None:
        if progress.stage is UploadStage.SENDING and progress.done_bytes == 10 * MIB:
            first_sends.set()
            assert second_waits.wait(60)

    def second(progress: UploadProgress) -> None:
        if progress.stage is UploadStage.WAITING:
            second_waits.set()
        elif progress.stage is UploadStage.SENDING:
            sent_by_second.append(progress.done_bytes)

    def upload_first() -> None:
        with ScorerClient(real_server.address, retry_policy=QUICK) as client:
            references.append(client.upload(file, on_progress=first))

    thread = threading.Thread(target=upload_first)
    thread.start()
    assert first_sends.wait(60)
    with ScorerClient(real_server.address, retry_policy=QUICK) as client:
        references.append(client.upload(file, on_progress=second))
    thread.join()
    assert references == [digest(file)] * 2
    assert [digest(path) for path in stored(real_server)] == [digest(file)]
    assert sum(sent_by_second) < file.stat().st_size, "the second did not send it all again"


def test_limits_of_the_server_are_told_with_the_way_out(
    real_server: ServerProcess, colour: Colour, tmp_path: Path
) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(257 * MIB)
    with pytest.raises(InvalidRequest, match=rf"has {257 * MIB} bytes, the limit is .*artifact_limit_mib"):
        colour.call(real_server.address, "upload", large)
    assert stored(real_server) == []
    with large.open("wb") as file:
        file.truncate(200 * MIB)
    colour.call(real_server.address, "upload", large)
    with large.open("wb") as file:
        file.truncate(101 * MIB)
    with pytest.raises(Overloaded, match=rf"{100 * MIB} of {300 * MIB} are free.*artifact_quota_mib"):
        colour.call(real_server.address, "upload", large)


MEASURED_UPLOAD = """
import asyncio, re, sys
from pathlib import Path
from scorer_client import AsyncScorerClient, ScorerClient

def peak_kib():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

async def in_async(target, *paths):
    async with AsyncScorerClient(target) as client:
        for path in paths:
            await client.upload(path)
            print(peak_kib())

def in_sync(target, *paths):
    with ScorerClient(target) as client:
        for path in paths:
            client.upload(path)
            print(peak_kib())

colour, *arguments = sys.argv[1:]
asyncio.run(in_async(*arguments)) if colour == "async" else in_sync(*arguments)
"""


def test_memory_does_not_grow_with_the_file(
    real_server: ServerProcess, colour: Colour, tmp_path: Path
) -> None:
    small = make_file(tmp_path / "small", 8 * MIB)
    large = make_file(tmp_path / "large", 200 * MIB)
    run = subprocess.run(
        [sys.executable, "-c", MEASURED_UPLOAD, colour.name, real_server.address, small, large],
        capture_output=True,
        text=True,
        check=True,
    )
    after_small_kib, after_large_kib = (int(line) for line in run.stdout.split())
    assert {digest(path) for path in stored(real_server)} == {digest(small), digest(large)}
    assert after_large_kib - after_small_kib < 24 * 1024
