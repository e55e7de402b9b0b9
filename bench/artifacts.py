"""Uploads: the speed of a large artifact over loopback, beside a bare socket copy with the same checksum."""

import hashlib
import os
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
from measurement import Measurement
from running_server import RunningServer, resident_bytes, running_server
from scorer.v1 import artifact_pb2, artifact_pb2_grpc, result_pb2

ARTIFACT_BYTES = 500_000_000
CHUNK_BYTES = 1 << 20
ROUNDS = 3


def measure() -> Iterator[Measurement]:
    """Everything about artifacts."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), "rust_codecontests") as server:
        source = Path(folder) / "artifact"
        _fill(source)
        before = resident_bytes(server.pid)
        peak: list[int] = []
        done = threading.Event()
        watcher = threading.Thread(target=_watch, args=(server.pid, peak, done))
        watcher.start()
        pairs = []
        for _ in range(ROUNDS):
            # In turns, since a disk is not always as fast; the file is another one each time.
            _change(source)
            pairs.append((_socket_copy_s(source, Path(folder) / "copy"), _upload_s(server, source)))
        done.set()
        watcher.join()
        size = f"{ARTIFACT_BYTES / 1e6:.0f} MB"
        yield Measurement(
            "upload of an artifact / a socket copy with checksum (speed)",
            statistics.median(bare_s / upload_s for bare_s, upload_s in pairs),
            0.5,
            higher_is_better=True,
            detail=f"{size}: "
            + ", ".join(f"{upload_s:.2f} s against {bare_s:.2f} s" for bare_s, upload_s in pairs),
        )
        yield Measurement(
            "memory that the server grows by in an upload",
            (max(peak, default=before) - before) / 1e6,
            50.0,
            unit="MB",
            detail=size,
        )


def _fill(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(ARTIFACT_BYTES // CHUNK_BYTES + 1):
            file.write(os.urandom(min(CHUNK_BYTES, ARTIFACT_BYTES - file.tell())))


def _change(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(os.urandom(32))


def _socket_copy_s(source: Path, target: Path) -> float:
    """Read, hash, send; receive, hash, write, sync: what an upload does, without RPCs."""

    def receive() -> None:
        connection, _ = listener.accept()
        digest = hashlib.sha256()
        with connection, target.open("wb") as file:
            while chunk := connection.recv(CHUNK_BYTES):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        receiver = threading.Thread(target=receive)
        receiver.start()
        began = time.perf_counter()
        digest = hashlib.sha256()
        with socket.create_connection(listener.getsockname()) as connection, source.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
                connection.sendall(chunk)
        receiver.join()
        return time.perf_counter() - began


def _upload_s(server: RunningServer, source: Path) -> float:
    began = time.perf_counter()
    digest = hashlib.sha256()
    with source.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    reference = result_pb2.ArtifactReference(sha256=digest.hexdigest(), size_bytes=ARTIFACT_BYTES)

    def parts() -> Iterator[artifact_pb2.UploadArtifactRequest]:
        yield artifact_pb2.UploadArtifactRequest(header=artifact_pb2.UploadHeader(artifact=reference))
        with source.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield artifact_pb2.UploadArtifactRequest(chunk=chunk)

    with grpc.insecure_channel(server.address) as channel:
        artifact_pb2_grpc.ArtifactServiceStub(channel).UploadArtifact(parts())
    return time.perf_counter() - began


def _watch(pid: int, peak: list[int], done: threading.Event) -> None:
    while not done.wait(0.02):
        peak.append(resident_bytes(pid))
