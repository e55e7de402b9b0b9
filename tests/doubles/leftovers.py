"""What a judged run could leave behind on this machine, counted."""

import contextlib
import os
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

_ENGINES = ("/docker", "/containerd", "/containers/", "/overlay2/", "/netns/")
"""Parts of the places where container engines mount something, which comes and goes by itself."""


@dataclass(frozen=True)
class Leftovers:
    """Processes, cgroups and mounts, and files in temporary folders, that were not there before."""

    processes: frozenset[str]
    cgroups: frozenset[str]
    mounts: frozenset[str]
    files: frozenset[str]

    @classmethod
    def now(cls) -> Self:
        """What is there now of everything that a sandbox makes."""
        return cls(
            frozenset(_supervisors()),
            frozenset(cgroups()),
            mounts(),
            frozenset(str(path) for folder in ("/tmp", "/dev/shm") for path in Path(folder).glob("scorer*")),
        )

    def since(self, before: "Leftovers") -> "Leftovers":
        """What came since."""
        return Leftovers(
            self.processes - before.processes,
            self.cgroups - before.cgroups,
            self.mounts - before.mounts,
            self.files - before.files,
        )

    @property
    def nothing(self) -> bool:
        """Whether there is nothing of it."""
        return not (self.processes or self.cgroups or self.mounts or self.files)

    @classmethod
    def wait_until_gone(
        cls, before: "Leftovers", *, but_cgroups: bool = False, limit_s: float = 10.0
    ) -> None:
        """Wait until what came since has gone; the kernel takes a moment to bury a killed tree."""
        deadline = time.monotonic() + limit_s
        while True:
            found = cls.now().since(before)
            if but_cgroups:
                found = replace(found, cgroups=frozenset())
            if found.nothing:
                return
            assert time.monotonic() < deadline, f"left behind: {found}"
            time.sleep(0.02)


def descriptor_count(pid: int) -> int:
    """Open file descriptors of a process. Raises OSError where it has gone."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident_bytes(pid: int) -> int:
    """Memory of a process that is in RAM. Raises OSError where it has gone."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """Of all threads of a process. Empty for one that has gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found


def mounts() -> frozenset[str]:
    """As this process sees them, each as a line of fstab."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return frozenset(line for line in lines if not any(word in line.split()[1] for word in _ENGINES))


def cgroups(owners: Collection[int] | None = None) -> list[str]:
    """Of the sandboxes of servers with these pids; of every server on this machine where none is named."""
    # os.walk goes on where a group is removed meanwhile.
    walk = os.walk("/sys/fs/cgroup")
    found = [(folder, name) for folder, names, _ in walk for name in names if name.startswith("scorer")]
    return [str(Path(*place)) for place in found if owners is None or _owner(place[1]) in owners]


def _supervisors() -> list[str]:
    """Processes in PID namespaces that are not this one: sandboxes of any server on this machine."""
    own = Path("/proc/self/ns/user").readlink()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "ns" / "user").readlink() != own:
                found.append(f"{entry.name} {(entry / 'comm').read_text().strip()}")
        except OSError:
            continue
    return found


def _owner(cgroup: str) -> int | None:
    """The server's pid in scorer-PIDNAMESPACE-PID-STARTTIME-NUMBER."""
    fields = cgroup.split("-")
    return int(fields[2]) if len(fields) == 5 and fields[2].isdigit() else None
