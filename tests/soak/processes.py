"""The processes of a server, by what they are to it."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from leftovers import children

WORKER_MARK = b"scorer_service.worker.main"
MEMORY_FILE, CONTAINED_SUPERVISOR = "/memfd:", "/supervisor"
"""How the executable of a sandbox's supervisor is named: run from memory, in a container from its image."""

SANDBOX_ROLES = ("supervisor", "zygote", "keeper", "init")
"""From the outside in. The program inside is not listed: whoever kills it, that is its own end."""


def worker(server_pid: int) -> int | None:
    """The process that measures, where there is one now."""
    for child in children(server_pid):
        with contextlib.suppress(OSError):
            if WORKER_MARK in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
    return None


def sandbox_processes(server_pid: int, in_containers: Iterable[int] = ()) -> Iterator[tuple[str, bool, int]]:
    """Role, whether its programs are copies of an interpreter, and pid; also of supervisors in containers."""
    for root in in_containers:
        yield from _tree(root)
    for root in children(server_pid):
        try:
            if not str(Path(f"/proc/{root}/exe").readlink()).startswith(MEMORY_FILE):
                continue
        except OSError:
            continue
        yield from _tree(root)


def _tree(root: int) -> Iterator[tuple[str, bool, int]]:
    zygotes = children(root)
    is_warm = any(_is_interpreter(zygote) for zygote in zygotes)
    generation = [root]
    for role in SANDBOX_ROLES:
        for pid in generation:
            yield role, is_warm, pid
        generation = [child for pid in generation for child in children(pid)]


def _is_interpreter(pid: int) -> bool:
    try:
        executable = str(Path(f"/proc/{pid}/exe").readlink())
        return not executable.startswith((MEMORY_FILE, CONTAINED_SUPERVISOR))
    except OSError:
        return False
