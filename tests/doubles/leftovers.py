"""What a judged run could leave behind on this machine, counted."""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self


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
            frozenset(_cgroups()),
            frozenset(Path("/proc/self/mounts").read_text().splitlines()),
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
    """Open file descriptors of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident_bytes(pid: int) -> int:
    """Memory of a process that is in RAM."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError(f"no VmRSS of {pid}")


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


def _cgroups() -> list[str]:
    # os.walk goes on where a group is removed meanwhile.
    walk = os.walk("/sys/fs/cgroup")
    return [
        str(Path(folder, name)) for folder, names, _ in walk for name in names if name.startswith("scorer")
    ]
