"""Starts and stops real servers: `scorer serve` in a process, on ports and a folder of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scorer_client import JobState, ScorerClient, ScorerError

START_LIMIT_S = 60.0
BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def server_environment(**changes: str) -> dict[str, str]:
    """The environment of a server: this one's, without settings that would reach it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCORER_")}
    return kept | changes


class ServerProcess:
    """One server, which may be killed and started again on the same folder."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        environments: str = "rust_codecontests",
        wrap: Callable[[Sequence[str | Path]], Sequence[str | Path]] = lambda command: command,
    ) -> None:
        """`wrap` makes of the server's command another one that runs it.

        An environment with torch takes seconds of each core to start, so only tests of it ask for one.
        """
        self.folder = folder
        self.state_dir = folder / "state"
        self.log = folder / "server.log"
        self.port = free_port()
        self.metrics_port = free_port()
        self._options = ("--environments", environments, *options)
        self._wrap = wrap
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def command(self) -> Sequence[str | Path]:
        return [
            sys.executable,
            "-m",
            "scorer_service.main",
            "serve",
            "--listen",
            self.address,
            "--metrics-listen",
            f"127.0.0.1:{self.metrics_port}",
            "--state-dir",
            self.state_dir,
            *self._options,
        ]

    def start(self, *, serving: bool = True) -> "ServerProcess":
        self.folder.mkdir(exist_ok=True, parents=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._wrap(self.command()),
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=server_environment(),
            )
        if serving:
            self.wait_until_serving()
        return self

    def wait_until_serving(self) -> None:
        self.wait_until(self.is_healthy)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for a server that is starting; nothing but asking tells when it listens."""
        deadline = time.monotonic() + START_LIMIT_S
        while not condition():
            assert self.process is not None
            assert self.process.poll() is None, f"the server ended:\n{self.log.read_text()}"
            assert time.monotonic() < deadline, f"not in time:\n{self.log.read_text()}"
            time.sleep(0.02)

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/healthz") as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def metrics(self) -> dict[str, float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics") as response:
            lines = response.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def client(self, evaluator_key: str | None = None) -> ScorerClient:
        return ScorerClient(self.address, evaluator_key=evaluator_key)

    def kill(self) -> None:
        """SIGKILL: nothing is told to anybody."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM; answers with the exit status."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def wait_for_job(server: ServerProcess, request_id: str, state: JobState) -> None:
    """Follow a job from before its acceptance until it is in a state."""
    deadline = time.monotonic() + 30
    with server.client() as client:
        while time.monotonic() < deadline:
            try:
                for job in client.watch(request_id):
                    if job.state is state:
                        return
            except ScorerError as error:
                if error.reason != "JOB_NOT_FOUND":
                    raise
    raise AssertionError(f"{request_id} was never {state}")


def write_problem_set(path: Path, problems: Mapping[str, Mapping[str, object]]) -> Path:
    """A problem set in the schema of CodeContests; each problem says what differs from an echo of numbers."""
    with path.open("w") as file:
        for problem_id, changes in problems.items():
            row = {
                "problem_id": problem_id,
                "name": problem_id,
                "description": "Print the number that is read.",
                "public_tests": {"input": ["1\n"], "output": ["1\n"]},
                "private_tests": {
                    "input": [f"{number}\n" for number in range(100, 120)],
                    "output": [f"{number}\n" for number in range(100, 120)],
                },
                "generated_tests": {"input": [], "output": []},
                "time_limit": {"seconds": 2, "nanos": 0},
                "memory_limit_bytes": 256 << 20,
                "input_file": "",
                "output_file": "",
                "cf_rating": 800,
                "difficulty": 1,
                "source": 0,
                **changes,
            }
            file.write(json.dumps(row) + "\n")
    return path


ECHO = """
fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    println!("{}", line.trim());
}
"""

SLOW_ECHO = """
fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(250));
    println!("{}", line.trim());
}
"""
