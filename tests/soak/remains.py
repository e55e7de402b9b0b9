"""What a service must not leave: processes, cgroups, mounts, files, and more memory or descriptors."""

import contextlib
import ctypes
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import leftovers

from scorer_service.environments.rust_codecontests import program_cache
from tests.exploits import footprint
from tests.soak import containers, stored_jobs
from tests.soak.soaked_server import SoakedServer
from tests.soak.verification import Check
from tests.soak.watching import Sample, Watch, growth, sample_of

GONE_LIMIT_S = 15.0
"""The kernel takes a moment to bury a killed tree."""
SPARE_DESCRIPTORS = 6
SPARE_THREADS = 40
"""Pools have more threads after more work; those of asyncio and of each environment are bounded."""
GROWTH_LIMIT_MIB = {"server": 32.0, "worker": 96.0}
"""From the first third to the last of the second half of its life. The worker's memory is
torch's, which keeps what models of other sizes had."""

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans() -> None:
    """Have everything that outlives its server become a child of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


@dataclass(frozen=True)
class Before:
    """What was there before."""

    mounts: frozenset[str]
    files: frozenset[tuple[str, int]]
    """In the machine's folders. Servers have a folder for temporary files that is theirs alone."""

    @classmethod
    def now(cls) -> "Before":
        """What is there now."""
        return cls(leftovers.mounts(), frozenset(footprint.files()))


def checks_of_idle(server: SoakedServer, idle_at_first: Mapping[str, Sample], watch: Watch) -> list[Check]:
    """Of a server that has nothing to do any more."""
    now = {name: sample_of(pid) for name, pid in _pids(server).items()}
    counts = [
        (name, what, getattr(first, what), getattr(now[name], what, None), spare)
        for name, first in idle_at_first.items()
        for what, spare in (("descriptors", SPARE_DESCRIPTORS), ("threads", SPARE_THREADS))
    ]
    memory = {name: growth(samples) for name, samples in watch.series.items()}
    return [
        Check.of(
            "no more descriptors and threads than at first",
            (
                f"{name}: {last} {what}, at first {first}"
                for name, what, first, last, spare in counts
                if last is None or last > first + spare
            ),
            len(counts),
            "; ".join(f"{name} {what} {first} -> {last}" for name, what, first, last, _ in counts),
        ),
        Check.of(
            "memory is flat",
            (
                f"{name}: {found.first_mib:.0f} to {found.last_mib:.0f} MiB"
                for name, found in memory.items()
                if found is not None and found.grown_mib > GROWTH_LIMIT_MIB[name]
            ),
            sum(found is not None for found in memory.values()),
            "; ".join(
                f"{name} {found.first_mib:.0f} -> {found.last_mib:.0f} MiB in {found.lived_s:.0f} s of life"
                f" ({found.mib_an_hour:+.0f} MiB/h)"
                if found is not None
                else f"{name}: did not live for long enough to tell"
                for name, found in memory.items()
            ),
        ),
    ]


def checks_of_end(server: SoakedServer, before: Before, exit_status: int) -> list[Check]:
    """Of a server that was stopped."""
    state_dir = server.state_dir
    cache = state_dir / "cache" / "rust_codecontests" / "compiled"
    entries = list(cache.iterdir()) if cache.exists() else []
    artifacts = list((state_dir / "artifacts" / "sha256").iterdir())
    complaint = stored_jobs.complaints(state_dir)
    return [
        Check.of("the server stopped well", [f"status {exit_status}"] if exit_status else [], 1),
        Check.of("no process is left", _until_gone(lambda: _orphans(server)), len(server.pids)),
        Check.of("no cgroup is left", _until_gone(lambda: leftovers.cgroups(server.pids)), len(server.pids)),
        Check.of(
            "no container is left",
            _until_gone(lambda: containers.of_servers(server.pids)) if server.in_containers else [],
            len(server.pids) if server.in_containers else 0,
        ),
        Check.of("no mount is left", sorted(leftovers.mounts() - before.mounts), 1),
        Check.of(
            "no temporary file is left",
            [
                *(str(path) for path in server.temporary.iterdir() if not _is_empty_folder_of_torch(path)),
                *(path for path, _ in sorted(set(footprint.files()) - before.files)),
            ],
            1,
        ),
        Check.of(
            "the cache of programs is whole and within bounds",
            _cache(entries, len(server.pids) - 1),
            len(entries),
        ),
        Check.of("artifacts are whole", _artifacts(state_dir, artifacts), len(artifacts)),
        Check.of("the database is sound", [complaint] if complaint else [], 1),
    ]


def idle(server: SoakedServer) -> Mapping[str, Sample]:
    """Server and worker, as they are."""
    found = {name: sample_of(pid) for name, pid in _pids(server).items()}
    return {name: sample for name, sample in found.items() if sample is not None}


def _pids(server: SoakedServer) -> Mapping[str, int]:
    worker = server.worker_pid
    return {"server": server.pid} | ({"worker": worker} if worker is not None else {})


def _until_gone(find: Callable[[], list[str]]) -> list[str]:
    deadline = time.monotonic() + GONE_LIMIT_S
    while (found := find()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _orphans(server: SoakedServer) -> list[str]:
    """Processes of servers that have ended; those that are dead already are buried."""
    found = []
    for pid in leftovers.children(os.getpid()):
        if pid == server.pid:
            continue
        with contextlib.suppress(OSError):
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append(f"{pid} {command[:120]}")
    return found


def _is_empty_folder_of_torch(path: Path) -> bool:
    """Which its compiler makes once, also where it compiles nothing, as in the worker."""
    return path.name.startswith("torchinductor_") and not any(path.iterdir())


def _cache(entries: list[Path], killed_servers: int) -> Iterator[str]:
    """A server that is killed while it writes leaves what it wrote, which a start an hour later sweeps."""
    unfinished = [entry for entry in entries if entry.name.startswith(".")]
    if len(unfinished) > killed_servers:
        yield f"{len(unfinished)} entries were never finished, and {killed_servers} servers were killed"
    size_bytes = 0
    for entry in entries:
        if entry in unfinished:
            continue
        size_bytes += sum(file.stat().st_size for file in entry.iterdir())
        digest = json.loads((entry / "record.json").read_bytes())["program_sha256"]
        if digest is not None and digest != _digest(entry / "program"):
            yield f"{entry.name} is not what was stored"
    if size_bytes > program_cache.DEFAULT_SIZE_LIMIT_BYTES:
        yield f"{size_bytes} bytes, the limit is {program_cache.DEFAULT_SIZE_LIMIT_BYTES}"


def _artifacts(state_dir: Path, whole: list[Path]) -> Iterator[str]:
    for path in (state_dir / "artifacts" / "partial").iterdir():
        yield f"an upload was never finished: {path.name}"
    for path in whole:
        if path.name != _digest(path):
            yield f"{path.name} is another content"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
