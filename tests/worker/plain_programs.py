"""Programs that run the runner without a sandbox, forked from a warm process."""

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import textwrap
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.worker.client import Worker

TRIALS = "scorer_service.environments.triton_cumsum.trials"
REPOSITORY = Path(__file__).parents[2]

RIGHT = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(torch.where(before % 2 == 1, x, 0), 0, dtype=torch.int32)
"""
"""The sum, as torch does it."""

_START = (
    "import runpy, sys; sys.path.append(sys.argv[1]); warm = sys.argv[2]; sys.argv = [warm]; "
    "runpy.run_path(warm, run_name='__main__')"
)


class WarmProcess:
    """The runner's warm process, with a launcher that only forks."""

    def __init__(self, python: Path, *, interpreted: bool = True) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        warm = str(REPOSITORY / "sandboxes/python/runner/warm.py")
        double = str(REPOSITORY / "tests/worker/forking_launcher")
        one_thread = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        moved = f"exec 4>&{theirs.fileno()}"
        self._process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                f'{moved}; exec "$@"',
                "bash",
                python,
                "-I",
                "-B",
                "-c",
                _START,
                double,
                warm,
            ],
            pass_fds=[theirs.fileno()],
            env={"PATH": os.environ["PATH"]}
            | ({"TRITON_INTERPRET": "1"} if interpreted else {})
            | dict.fromkeys(one_thread, "1"),
        )
        theirs.close()

    def start(
        self,
        folder: Path,
        channel: socket.socket,
        *,
        cores: Sequence[int] = (),
        environment: dict[str, str] | None = None,
    ) -> int:
        """The pid of a program that runs `folder`/solution.py; its end of the channel is closed here."""
        order = {
            "argv": ["function", str(folder / "solution.py"), "prefix_sum"],
            "folder": str(folder),
            "cores": list(cores),
            "environment": {"TRITON_CACHE_DIR": str(folder / ".triton")} | (environment or {}),
        }
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [channel.fileno()]))]
        self._control.sendmsg([json.dumps(order).encode()], rights)
        channel.close()
        return int(json.loads(self._control.recv(100)))

    def close(self) -> None:
        self._control.close()
        assert self._process.wait(60) == 0


@dataclass
class Program:
    """A submission in a plain process, and the worker's session with it."""

    worker: Worker
    session: str
    pid: int

    async def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        wall_limit_s = arguments.pop("wall_limit_s", 120)
        answer = await self.worker.call(
            f"{TRIALS}:{operation}",
            {"session": self.session, "wall_limit_s": wall_limit_s, **arguments},
        )
        assert isinstance(answer, dict)
        return answer

    async def measure(self, trial_count: int = 3, calls_per_window: int = 1, **more: Any) -> dict[str, Any]:
        return await self.ask("measure", trial_count=trial_count, calls_per_window=calls_per_window, **more)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


async def open_program(
    worker: Worker,
    warm: WarmProcess,
    folder: Path,
    source: str,
    *,
    element_count: int = 10_000,
    cores: Sequence[int] = (),
) -> Program:
    """Start a program with this source, and a session with it."""
    (folder / "solution.py").write_text(textwrap.dedent(source))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = warm.start(folder, theirs, cores=cores)
    session = f"{folder.name}-{pid}"
    with ours:
        await worker.call(
            f"{TRIALS}:open_session",
            {"session": session, "element_count": element_count},
            descriptors=[ours.fileno()],
        )
    return Program(worker, session, pid)


Open = Callable[..., Awaitable[Program]]
"""Opens a program from its source."""
