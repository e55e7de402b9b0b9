"""The server that is soaked: started with short limits for submissions, killed, started again."""

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from server_process import ServerProcess, server_environment

from tests.soak import catalog, containers, processes

CANARY = "EXPLOIT-CANARY-environment"
"""In the server's environment, which no submission may see."""
SERVING_LIMIT_S = 240.0
CALIBRATION_TRIES = 2

# Little time and memory for whoever uses up all that there is, so that many of them fit in.
SHORT_LIMITS = """
import dataclasses, sys
from scorer_service.environments.fix_embedding import profiles as fix_embedding
from scorer_service.environments.restricted_mlm import profiles as restricted_mlm
from scorer_service.environments.triton_cumsum import profiles as triton_cumsum

memory = dict(memory_limit_bytes=3 << 29)
triton_cumsum.PHASE_LIMITS = triton_cumsum.PhaseLimits(load_s=10, public_s=60, hidden_s=20, measure_s=20)
triton_cumsum.MEMORY_LIMIT_BYTES = 3 << 29
repair = dataclasses.replace(
    fix_embedding.EMBEDDED.repair, wall_limit_s=15.0, scratch_limit_bytes=256 << 20, **memory
)
fix_embedding.PROFILES["embedded"] = dataclasses.replace(fix_embedding.EMBEDDED, repair=repair)
mlm = restricted_mlm.EMBEDDED
restricted_mlm.PROFILES["embedded"] = dataclasses.replace(
    mlm,
    judging_limit_s=60.0,
    training=dataclasses.replace(
        mlm.training, wall_limit_s=15.0, place_count=1, scratch_limit_bytes=512 << 20, **memory
    ),
    export=dataclasses.replace(mlm.export, wall_limit_s=20.0, scratch_limit_bytes=512 << 20, **memory),
)
from scorer_service.main import main
sys.exit(main())
"""


class SoakedServer:
    """One state folder, and the servers that follow each other on it."""

    def __init__(self, folder: Path, environments: Sequence[str], sandbox: str, hidden_windows: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.temporary = folder / "tmp"
        """The servers' folder for temporary files."""
        self.temporary.mkdir()
        self.environments = environments
        self._settings = ["--hidden-windows", str(hidden_windows), "--device", "cpu", "--sandbox", sandbox]
        self.in_containers = sandbox == "docker"
        problems = catalog.write_problems(folder / "problems.jsonl")
        self._server = ServerProcess(
            folder / "server",
            *self._settings,
            *("--problem-set", str(problems)),
            environments=",".join(environments),
            wrap=self._with_short_limits,
        )
        self.places = catalog.Places(self.state_dir, self._server.port, problems)
        self.pids: list[int] = []
        """Of every server so far; the last one is the present one's."""
        self._lock = threading.Lock()

    @property
    def state_dir(self) -> Path:
        """What outlives a server."""
        return self._server.state_dir

    @property
    def address(self) -> str:
        """Of the RPCs, the same for all of them."""
        return self._server.address

    @property
    def log(self) -> Path:
        """Of all of them, one after the other."""
        return self._server.log

    @property
    def pid(self) -> int:
        """Of the present one."""
        return self.pids[-1]

    @property
    def worker_pid(self) -> int | None:
        """Of the process that measures, where there is one now."""
        return processes.worker(self.pid)

    def sandbox_processes(self) -> list[tuple[str, bool, int]]:
        """Of the present one; see `processes.sandbox_processes`."""
        contained = containers.first_processes([self.pid]) if self.in_containers else []
        return list(processes.sandbox_processes(self.pid, contained))

    def calibrate(self) -> list[str]:
        """Measure what 0 and 1 mean, before a server is there. Says what could not be, and why: a machine
        that others use may be too busy to time anything, and scores are raw only then."""
        refused = []
        for name in self.environments:
            if name == "rust_codecontests":
                continue
            command: list[str | Path] = [
                "calibrate",
                name,
                "--state-dir",
                self.state_dir,
                "--log-level",
                "warning",
            ]
            for _ in range(CALIBRATION_TRIES):
                done = subprocess.run(
                    self._wrapped([*command, *self._settings]),
                    env=server_environment(),
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode == 0:
                    break
            else:
                last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
                refused.append(f"{name} has raw scores only: {' '.join(last)}")
        return refused

    def start(self) -> None:
        """Start one, and return when it has begun to start."""
        with self._lock:
            self._server.start(serving=False)
            assert self._server.process is not None
            self.pids.append(self._server.process.pid)

    def kill_and_start(self) -> None:
        """SIGKILL, and at once the next one on the same folder."""
        self._server.kill()
        self.start()

    def kill(self) -> None:
        """SIGKILL; where it has ended, nothing."""
        if self._server.process is not None and self._server.process.poll() is None:
            self._server.kill()

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        return self._server.stop()

    def serves_all(self) -> bool:
        """Whether all environments are served now."""
        try:
            metrics = self._server.metrics() if self._server.is_healthy() else {}
        except OSError:
            return False
        return all(
            metrics.get(f'scorer_environment_serving{{environment="{name}"}}') == 1
            for name in self.environments
        )

    def wait_until_serving(self) -> None:
        """Wait until all environments serve. Raises RuntimeError where one does not in time."""
        deadline = time.monotonic() + SERVING_LIMIT_S
        while not self.serves_all():
            if time.monotonic() > deadline:
                raise RuntimeError(f"the server does not serve everything; its log: {self.log}")
            time.sleep(0.1)

    def _with_short_limits(self, command: Sequence[str | Path]) -> Sequence[str | Path]:
        return self._wrapped(command[command.index("serve") :])

    def _wrapped(self, arguments: Sequence[str | Path]) -> Sequence[str | Path]:
        settings = [f"TMPDIR={self.temporary}", f"EXPLOIT_SECRET={CANARY}"]
        return ["env", *settings, sys.executable, "-c", SHORT_LIMITS, *arguments]
