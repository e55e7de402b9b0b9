"""A real server for measurements."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

START_LIMIT_S = 60.0
LOG_LINES = 15


@dataclass(frozen=True)
class RunningServer:
    """A server that serves."""

    address: str
    metrics: str
    """Address of /metrics."""
    process: subprocess.Popen[bytes]
    start_s: float

    @property
    def pid(self) -> int:
        """Of its process."""
        return self.process.pid


@contextmanager
def running_server(folder: Path, environments: str, *options: str) -> Iterator[RunningServer]:
    """A server in a folder of its own, once it serves the (one) environment."""
    address, metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
    command: list[str | Path] = [Path(sys.executable).parent / "scorer", "serve", "--listen", address]
    command += ["--metrics-listen", metrics, "--state-dir", folder / "state", "--environments", environments]
    command += options
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCORER_")}
    with (folder / "server.log").open("a") as log:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
        try:
            _wait_until_serving(address, process, environments, folder / "server.log")
            yield RunningServer(address, metrics, process, time.perf_counter() - began)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def _wait_until_serving(address: str, process: subprocess.Popen[bytes], environment: str, log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    options: Mapping[str, int] = {
        "grpc.initial_reconnect_backoff_ms": 20,
        "grpc.max_reconnect_backoff_ms": 20,
    }
    with grpc.insecure_channel(address, list(options.items())) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        while time.monotonic() < deadline and process.poll() is None:
            try:
                request = health_pb2.HealthCheckRequest(service=environment)
                if stub.Check(request).status == health_pb2.HealthCheckResponse.SERVING:
                    return
            except grpc.RpcError:
                pass
            time.sleep(0.01)
    lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
    raise RuntimeError(
        "\n".join(["the server is not serving; see `scorer doctor`. The end of its log:", *lines])
    )


def resident_bytes(pid: int) -> int:
    """Memory of a process that is in RAM."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"no VmRSS of {pid}")


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
