"""What is known of running jobs beyond the store, and waking those who watch."""

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass

QUEUE_EVERY_S = 0.2
"""Between two wakings for the sake of places in a queue: each watcher asks the store for its own, and a
queue may move hundreds of times a second."""
WATCHERS_LIMIT = 64
"""Of one job. The jobs are bounded, so with this those who wait for them are."""


class TooManyWatchers(Exception):
    """So many watch one job already."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"{WATCHERS_LIMIT} calls wait for {job_id} or watch it, and more may not")


@dataclass(frozen=True)
class Progress:
    """How far a running job is."""

    stage: str = ""
    done: int = 0
    total: int = 0
    unit: str = ""


class ProgressBoard:
    """Progress of running jobs, in memory. Belongs to the event loop."""

    def __init__(self) -> None:
        self._progress: dict[str, Progress] = {}
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._followers: set[asyncio.Event] = set()
        """Those who follow a job, its progress and its place in the queue. The others wait for its end."""
        self._told_queue_at = 0.0
        self._telling_queue: asyncio.TimerHandle | None = None

    def get(self, job_id: str) -> Progress:
        """The last progress that was told; empty where none was."""
        return self._progress.get(job_id, Progress())

    def set(self, job_id: str, progress: Progress) -> None:
        """Tell the progress of a running job."""
        self._progress[job_id] = progress
        for event in self._watchers.get(job_id, set()) & self._followers:
            event.set()

    def forget(self, job_id: str) -> None:
        """The job is not running any more."""
        self._progress.pop(job_id, None)
        self.wake(job_id)

    def watch(self, job_id: str, *, follow: bool = True) -> asyncio.Event:
        """An event that is set after each change of the job; for who does not `follow` it, only where it may
        have ended. Give it back by `unwatch`. Raises TooManyWatchers."""
        if len(self._watchers.get(job_id, ())) >= WATCHERS_LIMIT:
            raise TooManyWatchers(job_id)
        event = asyncio.Event()
        if follow:
            self._followers.add(event)
        self._watchers[job_id].add(event)
        return event

    def unwatch(self, job_id: str, event: asyncio.Event) -> None:
        """Nobody waits for `event` any more."""
        watchers = self._watchers[job_id]
        watchers.discard(event)
        self._followers.discard(event)
        if not watchers:
            del self._watchers[job_id]

    def wake(self, job_id: str) -> None:
        """The job changed, and may have ended."""
        for event in self._watchers.get(job_id, ()):
            event.set()

    def wake_queue(self) -> None:
        """Positions in a queue changed. Thousands may wait for results, whom it does not concern; the others
        are told at once or, after a change that has just been told, a little later."""
        if self._telling_queue is not None:
            return
        pause_s = self._told_queue_at + QUEUE_EVERY_S - time.monotonic()
        if pause_s <= 0:
            self._tell_queue()
        else:
            self._telling_queue = asyncio.get_running_loop().call_later(pause_s, self._tell_queue)

    def wake_all(self) -> None:
        """Something changed that concerns every watcher."""
        for watchers in self._watchers.values():
            for event in watchers:
                event.set()

    def _tell_queue(self) -> None:
        self._telling_queue = None
        self._told_queue_at = time.monotonic()
        for event in self._followers:
            event.set()
