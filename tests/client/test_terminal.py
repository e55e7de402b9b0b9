"""The progress bar under a real terminal (a pty), and Ctrl-C."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scorer.v1 import job_pb2
from scorer_client import Job, JobState, Progress, UploadProgress, UploadStage
from scorer_client._cli.progress_bar import bar_line, upload_line

from tests.client.scripted_server import ScriptedServer

ERASE_LINE = "\r\x1b[2K"


class Terminal:
    """A command whose output goes to a terminal of a known width."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process = process
        self.shown = ""
        self._master = master

    def read_until(self, pattern: str) -> None:
        """Reads until it is shown; what comes too late is a failure, not a wait for ever."""
        while not re.search(pattern, self.shown):
            assert self._read(), f"{pattern!r} was never shown: {self.shown!r}"

    def read_to_end(self) -> int:
        while self._read():
            pass
        return self.process.wait()

    def _read(self) -> bool:
        try:
            chunk = os.read(self._master, 65536)
        except OSError:  # Linux: EIO once the other end is closed
            return False
        self.shown += chunk.decode()
        return bool(chunk)


@contextmanager
def terminal(
    server: ScriptedServer, *arguments: str, columns: int = 60, **environ: str
) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        # Whoever runs the tests in the background has them ignore Ctrl-C, which children inherit.
        ["env", "--default-signal=INT", sys.executable, "-m", "scorer_client.main", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**inherited, "TERM": "xterm", "SCORER_SERVER": server.target, **environ},
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        process.kill()
        process.wait()
        os.close(master)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "a.rs"
    path.write_text("fn main() {}")
    return str(path)


def visible(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_the_bar_is_drawn_over_itself_and_leaves_nothing(server: ScriptedServer, program: str) -> None:
    server.judged.clear()
    with terminal(server, "score", "rust_codecontests", program, "--problem", "a") as screen:
        screen.read_until(r"judge \[.*1/2 problems")
        server.judged.set()
        assert screen.read_to_end() == 0
    *bars, rest = screen.shown.split(ERASE_LINE)
    assert all("\n" not in bar for bar in bars), "a bar never scrolls"
    assert max(len(visible(bar)) for bar in bars) == 59, "as wide as the terminal, but its last column"
    assert "\x1b[32m###" in screen.shown
    assert rest.startswith("problem  verdict"), "the bar was erased before the result"


def test_no_color_and_a_narrow_terminal_are_honoured(server: ScriptedServer, program: str) -> None:
    server.judged.clear()
    with terminal(
        server, "score", "rust_codecontests", program, "--problem", "a", columns=24, NO_COLOR="1"
    ) as screen:
        screen.read_until("judge 1/2 problems")
        server.judged.set()
        assert screen.read_to_end() == 0
    assert "\x1b[3" not in screen.shown
    assert max(len(bar) for bar in screen.shown.split(ERASE_LINE)[:-1]) <= 23


def test_an_upload_has_a_bar_too_and_is_left_by_ctrl_c(server: ScriptedServer, tmp_path: Path) -> None:
    server.model_environments = ("fix_embedding",)
    weights = tmp_path / "w.safetensors"
    weights.write_bytes(b"w" * (40 << 20))
    reached, go_on = threading.Event(), threading.Event()

    def hold(number: int) -> None:
        if number == 20:
            reached.set()
            go_on.wait()

    server.after_chunk = hold
    try:
        with terminal(server, "score", "fix_embedding", str(weights)) as screen:
            screen.read_until(r"sending w\.safetensors \[.*\d+/40 MiB")
            assert reached.wait(60)
            screen.process.send_signal(signal.SIGINT)
            assert screen.read_to_end() == 130
    finally:
        go_on.set()
    assert re.search(r"hashing w\.safetensors \[.*40/40 MiB", screen.shown)
    assert "Traceback" not in screen.shown
    assert screen.shown.split(ERASE_LINE)[-1].startswith("scorer-client: left"), "the bar was erased"
    assert not server.embedding_requests


def test_a_dumb_terminal_gets_lines(server: ScriptedServer, program: str) -> None:
    with terminal(server, "score", "rust_codecontests", program, "--problem", "a", TERM="dumb") as screen:
        assert screen.read_to_end() == 0
    assert "\x1b" not in screen.shown
    assert "job-1: succeeded 2/2 problems\r\n" in screen.shown


def test_ctrl_c_detaches_and_tells_how_to_go_on(server: ScriptedServer, program: str) -> None:
    server.judged.clear()
    with terminal(server, "score", "rust_codecontests", program, "--problem", "a") as screen:
        screen.read_until(r"1/2 problems")
        screen.process.send_signal(signal.SIGINT)
        assert screen.read_to_end() == 130
    request_id = server.score_requests[0].context.request_id
    for command in ("watch", "cancel"):
        assert f"scorer-client {command} {request_id}" in screen.shown
    assert f"--request-id {request_id}" in screen.shown
    assert "Traceback" not in screen.shown
    assert screen.shown.split(ERASE_LINE)[-1].startswith("scorer-client: left"), "the bar was erased"
    job = server.set_job(request_id)
    assert job.state == job_pb2.JOB_STATE_RUNNING, "nothing was cancelled"


def test_ctrl_c_while_watching_leaves_the_job(server: ScriptedServer) -> None:
    server.set_job("6d8f6c1e-4f3b-4a43-9f57-0b9a3a0e9d11", state=job_pb2.JOB_STATE_RUNNING, stage="build")
    with terminal(server, "watch", "job-1") as screen:
        screen.read_until("build")
        screen.process.send_signal(signal.SIGINT)
        assert screen.read_to_end() == 130
    assert "the job goes on" in screen.shown
    assert "Traceback" not in screen.shown


def job(state: JobState = JobState.RUNNING, done: int = 0, total: int = 0, stage: str = "judge") -> Job:
    return Job(
        "job-1",
        "rust_codecontests",
        state,
        stage,
        3,
        Progress(done, total, "tests"),
        None,
        None,
        None,
        1,
        "",
        "",
    )


@pytest.mark.parametrize(
    ("shown", "width", "line"),
    [
        (job(done=5, total=10), 29, "judge [#####-----] 5/10 tests"),
        (job(done=12, total=10), 30, "judge [##########] 12/10 tests"),
        (job(done=5, total=10), 20, "judge 5/10 tests"),
        (job(done=5, total=10), 8, "judge 5/"),
        (job(), 80, "judge"),
        (job(JobState.QUEUED), 80, "queued, 3 before it"),
        (job(stage="\x1b[2J"), 80, "\\x1b[2J"),
    ],
)
def test_the_bar_fits_its_width(shown: Job, width: int, line: str) -> None:
    assert bar_line(shown, width, colour=False) == line


@pytest.mark.parametrize(
    ("done", "total", "line"),
    [
        (512 << 20, 1 << 30, "sending w [#######--------] 512/1024 MiB"),
        (4096, 5001, "sending w [################----] 4/5 KiB"),
        (0, 0, "sending w [####################] 0/0 KiB"),
    ],
)
def test_an_upload_is_counted_in_a_unit_that_suits_it(done: int, total: int, line: str) -> None:
    shown = UploadProgress("/a/folder/w", UploadStage.SENDING, done, total)
    assert upload_line(shown, 40, colour=False) == line
