"""Runs a submitted script within a budget, follows what it prints, and takes the files that it leaves."""

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import scorer_launcher

from scorer_service.sandbox.warm import SubmissionRun
from scorer_service.worker.device_access import DeviceAccess

log = logging.getLogger(__name__)

TAIL_LIMIT_BYTES = 16 << 10
"""Of what a script printed, as the contract has it for diagnostics."""

_CHUNK_BYTES = 16 << 10
_CHUNK_PAUSE_S = 0.01
"""After each chunk: a flood is read at 1.6 MB a second at most, and then it is the script that waits."""
_DRAIN_LIMIT_S = 10.0
_LINES_A_CHUNK = 8
_LINE_LIMIT_BYTES = 400

_PROGRESS = re.compile(r"\s*(\d{1,12})\s*/\s*(\d{1,12})\b[ :]*([A-Za-z][\w ]{0,30})?")


@dataclass(frozen=True)
class ScriptBudget:
    """What a script may use."""

    wall_limit_s: float
    """Time in which it is frozen, because somebody measures, does not count."""
    place_count: int
    """Cores, as far as there are so many."""
    memory_limit_bytes: int
    scratch_limit_bytes: int
    """Of /work, /tmp and /dev/shm together."""
    process_limit: int = 64

    def limits(self) -> scorer_launcher.Limits:
        """For the sandbox."""
        return scorer_launcher.Limits(
            # More than its cores can give in that time, so that it is the wall limit that is named.
            cpu_limit_s=2 * self.place_count * self.wall_limit_s + 60,
            wall_limit_s=self.wall_limit_s,
            memory_limit_bytes=self.memory_limit_bytes,
            process_limit=self.process_limit,
            file_size_limit_bytes=self.scratch_limit_bytes,
            scratch_limit_bytes=self.scratch_limit_bytes,
            open_files_limit=1024,
        )


@dataclass(frozen=True)
class ScriptResult:
    """How a script ended, and what it left."""

    termination: scorer_launcher.Termination
    exit_code: int | None
    signal: int | None
    output_tail: str
    """The end of standard output and standard error, as they came; TAIL_LIMIT_BYTES at most."""
    files: Mapping[str, bytes]
    """Those asked for that exist, are regular, and are within their limit; also where it was killed."""
    refused_files: Mapping[str, str]
    """Those that exist but were refused, with the reason."""
    wall_s: float
    """Without the time in which it was frozen."""
    cpu_s: float
    peak_memory_bytes: int

    @property
    def succeeded(self) -> bool:
        """Whether it came to its own end, with exit code 0."""
        return self.termination is scorer_launcher.Termination.EXITED and self.exit_code == 0

    @property
    def ending(self) -> str:
        """How it ended, as the rest of a sentence about it."""
        match self.termination:
            case scorer_launcher.Termination.EXITED:
                return f"ended with exit code {self.exit_code}"
            case scorer_launcher.Termination.SIGNALED:
                return f"ended by signal {self.signal}"
            case scorer_launcher.Termination.MEMORY_LIMIT:
                return f"passed the memory limit (it had {self.peak_memory_bytes >> 20} MiB)"
            case scorer_launcher.Termination.WALL_TIME_LIMIT | scorer_launcher.Termination.CPU_TIME_LIMIT:
                return f"used up its time budget ({self.wall_s:.0f} s)"
            case scorer_launcher.Termination.PROCESS_LIMIT:
                return "started too many processes or threads"
            case scorer_launcher.Termination.OUTPUT_LIMIT:
                return "wrote a file that is too large"
            case _:
                return "was stopped"


async def run_script(
    device: DeviceAccess,
    *,
    argv: Sequence[str],
    files: Mapping[str, bytes],
    budget: ScriptBudget,
    collect: Mapping[str, int],
    on_line: Callable[[str], None] = lambda line: None,
) -> ScriptResult:
    """Run `argv` of the runner with `files` in its /work, and wait for its end.

    `collect` maps paths below /work to size limits. `on_line` is called with lines of its output, of a
    flood with some of them. Whatever happens, nothing of the script runs any more afterwards. Raises
    scorer_launcher.SandboxError.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setblocking(False)
    with ours, theirs:
        async with device.gate.background(budget.place_count) as work:
            starting = asyncio.ensure_future(
                device.runner.start_run(
                    argv,
                    limits=budget.limits(),
                    places=work.places,
                    files=files,
                    channel=theirs.fileno(),
                    collect=collect,
                )
            )
            output = _Output(ours, on_line)
            following = None
            try:
                # Cancelling would not call off the thread that starts it, and leave a run that nobody knows.
                run = await asyncio.shield(starting)
                theirs.close()
                following = asyncio.create_task(output.follow(), name="output of a script")
                await work.attach(run)
                result = await run.wait()
                # Nothing of it runs any more, so what is left is what lies in the socket.
                await asyncio.wait([following], timeout=_DRAIN_LIMIT_S)
            finally:
                if following is not None:
                    following.cancel()
                await asyncio.shield(_kill(starting))
    return ScriptResult(
        termination=result.termination,
        exit_code=result.exit_code,
        signal=result.signal,
        output_tail=_text(output.tail),
        files=result.files,
        refused_files=result.refused_files,
        wall_s=result.wall_s,
        cpu_s=result.cpu_s,
        peak_memory_bytes=result.peak_memory_bytes,
    )


def progress_of(line: str) -> tuple[int, int, str] | None:
    """Done, total and unit of a line as "120/600 steps, loss 4.2"; None for any other line."""
    match = _PROGRESS.match(line)
    if match is None or int(match[1]) > int(match[2]):
        return None
    return int(match[1]), int(match[2]), (match[3] or "steps").strip()


class _Output:
    """What comes over a socket: its end is kept."""

    def __init__(self, connection: socket.socket, on_line: Callable[[str], None]) -> None:
        self._connection = connection
        self._on_line = on_line
        self.tail = b""

    async def follow(self) -> None:
        """Read until every other end is closed."""
        loop = asyncio.get_running_loop()
        line = b""
        while True:
            try:
                chunk = await loop.sock_recv(self._connection, _CHUNK_BYTES)
            except ConnectionError:
                return
            if not chunk:
                return
            self.tail = (self.tail + chunk)[-TAIL_LIMIT_BYTES:]
            *lines, line = re.split(rb"[\r\n]+", line + chunk)
            line = line[:_LINE_LIMIT_BYTES]
            for complete in lines[-_LINES_A_CHUNK:]:
                self._on_line(complete[:_LINE_LIMIT_BYTES].decode(errors="replace"))
            await asyncio.sleep(_CHUNK_PAUSE_S)


async def _kill(starting: asyncio.Future[SubmissionRun]) -> None:
    try:
        run = await starting
        await run.kill()
    except scorer_launcher.SandboxError as error:
        log.debug("a script was not killed, its sandbox failed: %s", error)


def _text(content: bytes) -> str:
    # A replaced byte takes three bytes.
    text = content.decode(errors="replace").encode()[-TAIL_LIMIT_BYTES:]
    return text.decode(errors="ignore")
