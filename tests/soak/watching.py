"""What is looked at all the time: how large the processes are, and results, which must not change."""

import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leftovers import descriptor_count, resident_bytes

from tests.soak import stored_jobs
from tests.soak.soaked_server import SoakedServer
from tests.soak.stored_jobs import StoredJob

EVERY_S = 1.0
SETTLED_S = 30.0
"""Of the life of a process, in which it fills its caches."""


@dataclass(frozen=True)
class Sample:
    """A process at one moment; seconds of the monotonic clock."""

    at_s: float
    pid: int
    resident_bytes: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Growth:
    """How the memory of one process went, from the time when it had settled."""

    pid: int
    lived_s: float
    sample_count: int
    first_mib: float
    """Median of the first third."""
    last_mib: float
    """Median of the last third."""
    mib_an_hour: float
    """Slope of the least squares."""

    @property
    def grown_mib(self) -> float:
        """From the first third to the last."""
        return self.last_mib - self.first_mib


def growth(samples: Sequence[Sample]) -> Growth | None:
    """Of the last process in a series; None where it did not live for long enough to tell."""
    if not samples:
        return None
    mine = [sample for sample in samples if sample.pid == samples[-1].pid]
    settled = [sample for sample in mine if sample.at_s >= mine[0].at_s + SETTLED_S]
    # The second half of its life, as what comes before may be caches still.
    late = settled[len(settled) // 2 :]
    if len(late) < 30:
        return None
    sizes = [sample.resident_bytes / (1 << 20) for sample in late]
    third = len(sizes) // 3
    return Growth(
        pid=mine[0].pid,
        lived_s=mine[-1].at_s - mine[0].at_s,
        sample_count=len(late),
        first_mib=statistics.median(sizes[:third]),
        last_mib=statistics.median(sizes[-third:]),
        mib_an_hour=statistics.linear_regression([sample.at_s / 3600 for sample in late], sizes).slope,
    )


@dataclass
class Watch:
    """The series, and the results as they were first seen."""

    server: SoakedServer
    series: dict[str, list[Sample]] = field(default_factory=lambda: {"server": [], "worker": []})
    results: dict[str, StoredJob] = field(default_factory=dict)
    """Jobs that have ended, as they were when that was first seen."""
    changed: dict[str, tuple[StoredJob, StoredJob]] = field(default_factory=dict)
    """Jobs of which that was seen to change: scored twice."""

    def run(self, over: threading.Event) -> None:
        """Look until `over`, and once more then."""
        while True:
            self._look()
            if over.wait(EVERY_S):
                self._look()
                return

    def _look(self) -> None:
        for name, pid in (("server", self.server.pid), ("worker", self.server.worker_pid)):
            if pid is not None and (sample := sample_of(pid)) is not None:
                self.series[name].append(sample)
        for job in stored_jobs.ended(self.server.state_dir):
            if self.results.setdefault(job.job_id, job) != job:
                self.changed.setdefault(job.job_id, (self.results[job.job_id], job))


def sample_of(pid: int) -> Sample | None:
    """A process now; None where it has gone."""
    try:
        threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
        return Sample(time.monotonic(), pid, resident_bytes(pid), descriptor_count(pid), threads)
    except OSError:
        return None
