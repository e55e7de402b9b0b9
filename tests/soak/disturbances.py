"""What is done to the service at random moments: processes are killed, or stopped for a moment."""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.soak import stored_jobs
from tests.soak.soaked_server import SoakedServer
from tests.soak.stored_jobs import StoredJob

SERVER_KILL_EVERY_S = 100.0
WORKER_KILL_EVERY_S = 60.0
SANDBOX_KILL_EVERY_S = 25.0
STOP_EVERY_S = 45.0
SERVER_KILLS_UNTIL, WORKER_KILLS_UNTIL = 0.55, 0.8
"""Share of the time. After it, the process lives to the end, and has to stay as large as it is."""
FIRST_S = 5.0

STOPPED_S = (0.05, 0.4)
"""A program that runs meanwhile has a second of wall time beyond its limit of CPU time."""
PATIENCE_S = 20.0
"""For a moment in which the next one may be done; then it is left out."""
DELIVERIES_LIMIT = 8
"""A job that was delivered so often must not be hit by the death of a server again: it is set aside after
twelve."""

DEVICE_ENVIRONMENTS = frozenset({"triton_cumsum", "restricted_mlm", "fix_embedding"})


@dataclass(frozen=True)
class Planned:
    """A disturbance, and its moment after the start in seconds."""

    at_s: float
    kind: str
    """server, worker, sandbox or stop."""


@dataclass(frozen=True)
class Done:
    """A disturbance that was done. Seconds since the epoch."""

    at: float
    kind: str
    what: str
    exposed: tuple[str, ...]
    """Jobs that it may have hit."""


def drawn(seed: int, duration_s: float) -> list[Planned]:
    """All of a soak of that length, the same ones for a seed."""
    moments = random.Random(f"{seed} disturbances")

    def every(kind: str, mean_s: float, until_s: float) -> Iterator[Planned]:
        at_s = FIRST_S + moments.expovariate(1 / mean_s)
        while at_s < until_s:
            yield Planned(at_s, kind)
            at_s += moments.expovariate(1 / mean_s)

    return sorted(
        [
            *every("server", SERVER_KILL_EVERY_S, SERVER_KILLS_UNTIL * duration_s),
            *every("worker", WORKER_KILL_EVERY_S, WORKER_KILLS_UNTIL * duration_s),
            *every("sandbox", SANDBOX_KILL_EVERY_S, duration_s),
            *every("stop", STOP_EVERY_S, duration_s),
        ],
        key=lambda planned: planned.at_s,
    )


@dataclass
class Disturber:
    """Does what was planned. No job is exposed twice to a death that may be blamed on it."""

    server: SoakedServer
    planned: Sequence[Planned]
    seed: int
    done: list[Done] = field(default_factory=list)
    left_out: list[Planned] = field(default_factory=list)
    exposures: Counter[str] = field(default_factory=Counter)
    """How often a worker or a sandbox was killed while a job was under way."""

    def run(self, over: threading.Event) -> None:
        """Until all is done or `over`."""
        choice = random.Random(f"{self.seed} targets")
        began = time.monotonic()
        for planned in self.planned:
            if over.wait(max(0.0, began + planned.at_s - time.monotonic())):
                return
            deadline = time.monotonic() + PATIENCE_S
            while not self._do(planned.kind, choice):
                if over.wait(0.05) or time.monotonic() > deadline:
                    self.left_out.append(planned)
                    break

    def _do(self, kind: str, choice: random.Random) -> bool:
        running = stored_jobs.running(self.server.state_dir)
        if kind in ("worker", "sandbox") and not self.server.serves_all():
            # While a server starts it tries both, and says to whoever started it that one failed.
            return False
        match kind:
            case "server":
                return self._kill_server(running)
            case "worker":
                return self._kill_worker(running)
            case "sandbox":
                return self._kill_sandbox(running, choice)
            case _:
                return self._stop(choice)

    def _kill_server(self, running: Sequence[StoredJob]) -> bool:
        if not running or any(job.delivery_count > DELIVERIES_LIMIT for job in running):
            return False
        self._note("server", f"server {self.server.pid}", running)
        self.server.kill_and_start()
        return True

    def _kill_worker(self, running: Sequence[StoredJob]) -> bool:
        exposed = [job for job in running if job.environment in DEVICE_ENVIRONMENTS]
        pid = self.server.worker_pid
        if pid is None or not exposed or not self._may_expose(exposed):
            return False
        return self._kill("worker", f"worker {pid}", pid, exposed)

    def _kill_sandbox(self, running: Sequence[StoredJob], choice: random.Random) -> bool:
        found = self.server.sandbox_processes()
        if not found:
            return False
        kinds = sorted({(role, is_warm) for role, is_warm, _ in found})
        role, is_warm = choice.choice(kinds)
        pid = choice.choice([pid for one, warm, pid in found if (one, warm) == (role, is_warm)])
        exposed = [job for job in running if (job.environment in DEVICE_ENVIRONMENTS) == is_warm]
        if not exposed or not self._may_expose(exposed):
            return False
        return self._kill("sandbox", f"{'warm ' if is_warm else ''}{role} {pid}", pid, exposed)

    def _may_expose(self, jobs: Sequence[StoredJob]) -> bool:
        return not any(self.exposures[job.job_id] for job in jobs)

    def _kill(self, kind: str, what: str, pid: int, exposed: Sequence[StoredJob]) -> bool:
        # Counted before: whoever is told of the death early must find the reason.
        for job in exposed:
            self.exposures[job.job_id] += 1
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            for job in exposed:
                self.exposures[job.job_id] -= 1
            return False
        self._note(kind, what, exposed)
        return True

    def _stop(self, choice: random.Random) -> bool:
        targets = [("server", self.server.pid)]
        if (worker := self.server.worker_pid) is not None:
            targets.append(("worker", worker))
        targets += [(role, pid) for role, _, pid in self.server.sandbox_processes() if role == "supervisor"]
        name, pid = choice.choice(targets)
        stopped_s = choice.uniform(*STOPPED_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(stopped_s)
            os.kill(pid, signal.SIGCONT)
        self._note("stop", f"{name} {pid} for {stopped_s:.2f} s", ())
        return True

    def _note(self, kind: str, what: str, exposed: Sequence[StoredJob]) -> None:
        self.done.append(Done(time.time(), kind, what, tuple(job.job_id for job in exposed)))
