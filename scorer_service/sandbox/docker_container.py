"""A container with a sandbox's supervisor in it: what it may, and how it is met."""

import contextlib
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import scorer_launcher

from scorer_service.sandbox.docker_engine import SERVER_LABEL, Engine, definition, this_process

MEETING_PREFIX = "meeting-"
"""What folders of sockets to containers are called."""
START_LIMIT_S = 60.0
_BETWEEN_LOOKS_S = 0.5
_MEETING_FOLDER = "/meeting"
_SOCKET = "control"
# Programs are counted by the group of their run. This is more than all runs of a sandbox may have together,
# and less than would hurt the machine.
_PROCESSES = 8192
# What the supervisor makes a sandbox with: mounts and namespaces, and ids of the sandbox's own. It drops them
# before a program is started.
_CAPABILITIES = ("SYS_ADMIN", "SETUID", "SETGID")
# To give the cgroup to a server that is not root.
_FOR_ANOTHER_USER = ("CHOWN",)


def sources(count: int) -> Sequence[str]:
    """Where a container sees what is shown to it."""
    return [f"/sources/{number}" for number in range(count)]


@contextlib.contextmanager
def started(
    engine: Engine, image: str, shown: Sequence[str], folder: Path, cores: Sequence[int], *, gpu: bool = False
) -> Iterator[socket.socket]:
    """A container that sees the paths `shown` of this machine as `sources`; the socket to its supervisor.

    `folder` is one that the engine sees under the same path. Where what is done meanwhile fails, the
    container is removed; else it ends with its sandbox, or when the last descriptor of the socket is closed.
    Raises scorer_launcher.SandboxError.
    """
    place = Path(tempfile.mkdtemp(prefix=MEETING_PREFIX, dir=folder))
    try:
        # The outer folder is for this user alone. The inner one is for the container's root.
        meeting = place / "inner"
        meeting.mkdir()
        meeting.chmod(0o755)
        with _listening(meeting) as listener:
            configuration = _configuration(engine, image, shown, meeting, cores, gpu=gpu)
            container = engine.start(configuration)
            try:
                with _met(engine, container, listener) as control:
                    yield control
            except scorer_launcher.SandboxError as error:
                engine.remove(container)
                raise type(error)(_as_outside(str(error), shown)) from error
            except BaseException:
                engine.remove(container)
                raise
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _as_outside(text: str, shown: Sequence[str]) -> str:
    """A message about what a container sees, in paths of this machine."""
    # The last first: one is the beginning of another.
    for inside, outside in reversed(list(zip(sources(len(shown)), shown, strict=True))):
        text = text.replace(inside, outside)
    return text


@contextlib.contextmanager
def _listening(meeting: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        # By a short name: that of a socket has at most 107 bytes, and folders of state lie deep.
        descriptor = os.open(meeting, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            listener.bind(f"/proc/self/fd/{descriptor}/{_SOCKET}")
        finally:
            os.close(descriptor)
        (meeting / _SOCKET).chmod(0o666)
        listener.listen(1)
        yield listener


def _met(engine: Engine, container: str, listener: socket.socket) -> socket.socket:
    """Wait for the supervisor."""
    deadline = time.monotonic() + START_LIMIT_S
    listener.settimeout(_BETWEEN_LOOKS_S)
    while True:
        # What is accepted has no timeout of its own.
        with contextlib.suppress(TimeoutError):
            return listener.accept()[0]
        end = engine.end_of(container)
        if end is not None:
            raise scorer_launcher.SandboxError(
                f"a container ended before its sandbox was made ({end}): does the engine run containers on "
                "this machine, and not in a virtual one?"
            )
        if time.monotonic() > deadline:
            raise scorer_launcher.SandboxError(f"a container was not ready within {START_LIMIT_S:g} s")


def _configuration(
    engine: Engine, image: str, shown: Sequence[str], meeting: Path, cores: Sequence[int], *, gpu: bool
) -> Mapping[str, Any]:
    """The body of the engine's call that makes a container."""
    capabilities = [*_CAPABILITIES, *(_FOR_ANOTHER_USER if os.geteuid() != 0 else ())]
    # Room for the server and the engine.
    memory_bytes = engine.memory_bytes - engine.memory_bytes // 8
    binds = [(str(meeting), _MEETING_FOLDER), *zip(shown, sources(len(shown)), strict=True)]
    host: dict[str, Any] = {
        "NetworkMode": "none",
        "IpcMode": "none",
        "CgroupnsMode": "private",
        # Ids of sandboxes' own are mapped by the supervisor, which takes those of the machine.
        "UsernsMode": "host",
        "CapDrop": ["ALL"],
        "CapAdd": capabilities,
        "SecurityOpt": [
            "no-new-privileges:true",
            f"seccomp={definition('seccomp.json').decode()}",
            # Both rule out mounts and foreign files by name, with which a sandbox is made.
            "apparmor=unconfined",
            "label=disable",
        ],
        "ReadonlyRootfs": True,
        # The kernel lets the processes of a run be shown to it only where none are hidden from who asks.
        "MaskedPaths": [],
        "ReadonlyPaths": [],
        "PidsLimit": _PROCESSES,
        "Memory": memory_bytes,
        "MemorySwap": memory_bytes,
        # Whole cores, and no share of time: a quota would stop a program in the midst of a measurement.
        "CpusetCpus": ",".join(map(str, sorted(cores))),
        "LogConfig": {"Type": "none"},
        "AutoRemove": True,
        "Mounts": [
            {"Type": "bind", "Source": source, "Target": target, "ReadOnly": True} for source, target in binds
        ],
    }
    environment = []
    if gpu:
        host["DeviceRequests"] = [{"Count": -1, "Capabilities": [["gpu"]]}]
        # Every node of the driver, as on the host.
        environment = ["NVIDIA_DRIVER_CAPABILITIES=all"]
    return {
        "Image": image,
        "Cmd": [f"{_MEETING_FOLDER}/{_SOCKET}"],
        "User": "0:0",
        "Env": environment,
        "Labels": {SERVER_LABEL: this_process()},
        "NetworkDisabled": True,
        "HostConfig": host,
    }
