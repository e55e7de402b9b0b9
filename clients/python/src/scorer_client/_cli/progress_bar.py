"""How far a job or an upload is: a bar on a terminal, lines elsewhere; on standard error, no one's input."""

import os
import threading
from collections.abc import Mapping
from pathlib import PurePath
from types import TracebackType
from typing import Protocol, Self, TextIO

from scorer_client._artifacts import UploadProgress
from scorer_client._cli.terminal import coloured, printable, wants_colour
from scorer_client._jobs import Job, JobState
from scorer_client._retry import Retry

_ERASE_LINE = "\r\x1b[2K"
_NARROWEST_BAR = 10


class Progress(Protocol):
    """Shows one job. A context manager that leaves nothing behind."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def show(self, job: Job) -> None:
        """Shows the job as it is now."""

    def show_upload(self, upload: UploadProgress) -> None:
        """Shows how far a file is on its way to the server."""

    def show_retry(self, retry: Retry) -> None:
        """Shows that the server was not reached, or is busy."""


def progress_for(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Progress:
    """A bar where the stream is a terminal that can erase a line; lines elsewhere."""
    if stream.isatty() and environ.get("TERM") != "dumb":
        return ProgressBar(stream, colour=wants_colour(stream, environ))
    return ProgressLines(stream)


def describe(job: Job) -> str:
    """Where the job is, in a few words."""
    if job.state is JobState.QUEUED:
        return f"queued, {job.queue_position} before it" if job.queue_position else "queued"
    if job.state is JobState.RUNNING:
        return job.stage or "running"
    return str(job.state.value)


def counts(job: Job) -> str:
    """How much is done; empty where it is not known."""
    progress = job.progress
    return f"{progress.done}/{progress.total} {progress.unit}".rstrip() if progress.total else ""


def bar_line(job: Job, width: int, *, colour: bool) -> str:
    """The bar, at most `width` columns wide; without the bar itself where there is no room for it."""
    return _bar(describe(job), counts(job), job.progress.done, job.progress.total, width, colour=colour)


def upload_line(upload: UploadProgress, width: int, *, colour: bool) -> str:
    """The same for an upload."""
    return _bar(
        describe_upload(upload),
        count_bytes(upload),
        upload.done_bytes,
        upload.total_bytes,
        width,
        colour=colour,
    )


def describe_upload(upload: UploadProgress) -> str:
    """What is done with which file, in a few words."""
    return f"{upload.stage.value} {PurePath(upload.name).name}"


def count_bytes(upload: UploadProgress) -> str:
    """How many bytes are done, in the unit that suits the whole."""
    unit, size = ("MiB", 1 << 20) if upload.total_bytes >= 10 << 20 else ("KiB", 1 << 10)
    done, total = (-(-count // size) for count in (upload.done_bytes, upload.total_bytes))
    return f"{done}/{total} {unit}"


def _bar(words: str, numbers: str, done: int, total: int, width: int, *, colour: bool) -> str:
    words, numbers = printable(words), printable(numbers)
    bar_width = width - len(words) - len(numbers) - 4
    if not numbers or bar_width < _NARROWEST_BAR:
        return f"{words} {numbers}".rstrip()[:width]
    filled = min(bar_width, bar_width * done // total) if total else bar_width
    bar = coloured("#" * filled, "green", wanted=colour and filled > 0) + "-" * (bar_width - filled)
    return f"{words} [{bar}] {numbers}"


class _Shown:
    """A stream that two threads write to: the reports come on one, the end on the other."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closed = True
            self._clean_up()

    def _clean_up(self) -> None:
        """Removes what must not stay."""

    def _write(self, text: str) -> None:
        with self._lock:
            if not self._closed:
                self._stream.write(text)
                self._stream.flush()


class ProgressBar(_Shown):
    """One line that is written over, and erased at the end."""

    def __init__(self, stream: TextIO, *, colour: bool) -> None:
        super().__init__(stream)
        self._colour = colour

    def show(self, job: Job) -> None:
        """Writes the bar over what was there."""
        self._write(_ERASE_LINE + bar_line(job, self._width(), colour=self._colour))

    def show_upload(self, upload: UploadProgress) -> None:
        """Writes the bar over what was there."""
        self._write(_ERASE_LINE + upload_line(upload, self._width(), colour=self._colour))

    def show_retry(self, retry: Retry) -> None:
        """Writes the reason over what was there: the next state will replace it."""
        line = _retry_line(retry)[: self._width()]
        self._write(_ERASE_LINE + coloured(line, "yellow", wanted=self._colour))

    def _clean_up(self) -> None:
        self._stream.write(_ERASE_LINE)
        self._stream.flush()

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
        except OSError:
            columns = 0
        # A pty that was never told its size says 0. The last column is left free: some terminals wrap after
        # it.
        return (columns or 80) - 1


class ProgressLines(_Shown):
    """A line for every change of state or stage, and for every tenth of the work."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._last: tuple[str, int] | None = None

    def show(self, job: Job) -> None:
        """Writes a line, if it says something new."""
        progress = job.progress
        tenths = 10 * progress.done // progress.total if progress.total else 0
        self._show((describe(job), tenths), f"{job.job_id}: {describe(job)} {counts(job)}".rstrip())

    def show_upload(self, upload: UploadProgress) -> None:
        """Writes a line, if it says something new."""
        tenths = 10 * upload.done_bytes // upload.total_bytes if upload.total_bytes else 0
        words = describe_upload(upload)
        self._show((words, tenths), f"{words} {count_bytes(upload)}")

    def _show(self, current: tuple[str, int], line: str) -> None:
        if current != self._last:
            self._last = current
            self._write(printable(line) + "\n")

    def show_retry(self, retry: Retry) -> None:
        """Writes a line for the first failure in a row, and then for ever fewer."""
        # The next state is news again: it says that there is a connection.
        self._last = None
        if retry.failure_count & (retry.failure_count - 1) == 0:
            self._write(_retry_line(retry) + "\n")


def _retry_line(retry: Retry) -> str:
    return printable(f"{retry.error.message}; trying again in {retry.pause_s:.1f} s")
