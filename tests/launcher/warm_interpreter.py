"""The interpreter of the tests' warm sandbox, and what its programs do: the first argument says which."""

import sys

sys.path.append("/launcher")

import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import scorer_launcher

LOADED = {"by": "the interpreter"}
NOTES: list[str] = []
#: More than what its programs are said to use.
BALLAST = b"x" * (48 << 20)
#: Opened before any program was, and so never to be seen in one.
HELD = Path("/warm.py").open()  # noqa: SIM115 -- held on purpose


def names_in(*folders: str) -> list[str]:
    return sorted(path.name for folder in folders for path in Path(folder).iterdir())


def show(value: object) -> None:
    print(json.dumps(value), flush=True)


def channel() -> socket.socket:
    return socket.socket(fileno=3)


def burn(seconds: float = float("inf")) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def look() -> None:
    """At what other runs could have left, then leaves the same."""
    found = {
        "loaded": LOADED["by"],
        "notes": NOTES.copy(),
        "environment": sorted(os.environ),
        "files": names_in("/work", "/tmp", "/dev/shm"),
    }
    LOADED["by"] = "a program"
    NOTES.append("note")
    os.environ["NOTE"] = "note"
    for folder in ("/work", "/tmp", "/dev/shm"):
        Path(folder, "note").write_text("note")
    show(found)


def identity(*wait: str) -> None:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    kinds = ("net", "ipc", "uts", "pid", "mnt")
    show(
        {
            "status": lines,
            "processes": [name for name in names_in("/proc") if name.isdigit()],
            "namespaces": {kind: str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds},
            "cwd": str(Path.cwd()),
            "host": os.uname().nodename,
        }
    )

    if wait:
        with channel() as other:
            other.send(b"up")
            other.recv(1)


def refused(call: Callable[[], object]) -> str | None:
    try:
        call()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return None


def attack() -> None:
    """What a copy of the interpreter may try that an executed program may not do either."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)

    def prctl(option: int, value: int) -> None:
        if library.prctl(option, value, 0, 0, 0) == -1:
            raise OSError(ctypes.get_errno(), "prctl")

    show(
        {
            "socket": refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
            "unix": refused(lambda: socket.socket(socket.AF_UNIX)),
            "setuid": refused(lambda: os.setresuid(0, 0, 0)),
            "affinity": refused(lambda: os.sched_setaffinity(0, {0, 1})),
            "write": refused(lambda: Path("/note").write_text("x")),
            "init": refused(lambda: Path("/proc/1/mem").read_bytes()),
            "continue": refused(lambda: os.kill(os.getpid(), signal.SIGCONT)),
            "continue_all": refused(lambda: os.kill(-1, signal.SIGCONT)),
            "continue_at_end": refused(lambda: prctl(1, signal.SIGCONT)),
            "continue_on_input": refused(lambda: fcntl.fcntl(0, 10, signal.SIGCONT)),
            "limits": refused(lambda: Path("/proc/self/oom_score_adj").write_text("0")),
        }
    )


def descriptors() -> None:
    def is_open(number: int) -> bool:
        return refused(lambda: os.fstat(number)) is None

    numbers = sorted(int(name) for name in names_in("/proc/self/fd"))
    # The folder itself was open while it was listed.
    show([number for number in numbers if is_open(number)])


def answer() -> None:
    """Answers on the channel until it is closed."""
    with channel() as other:
        while asked := other.recv(100):
            other.send(asked.upper())


def touch_mib(count: str) -> None:
    memory = mmap.mmap(-1, int(count) << 20)
    memory[:: mmap.PAGESIZE] = b"x" * (len(memory) // mmap.PAGESIZE)
    show(len(memory))


def fork_bomb() -> None:
    while True:
        try:
            os.fork()
        except OSError:
            continue


def daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
            burn()
        os._exit(0)
    with channel() as other:
        other.send(b"up")
        burn()


def busy() -> None:
    """Threads and children that all want the processor, and a main thread that answers."""
    threading.Thread(target=burn, daemon=True).start()
    if os.fork() == 0:
        threading.Thread(target=burn, daemon=True).start()
        burn()
    with channel() as other:
        other.send(b"up")
        while other.recv(100):
            everyone = [name for name in names_in("/proc") if name.isdigit() and name != "1"]
            threads = [int(thread) for name in everyone for thread in names_in(f"/proc/{name}/task")]
            other.send(json.dumps([sorted(os.sched_getaffinity(thread)) for thread in threads]).encode())


def populate() -> None:
    """Long system calls that no signal interrupts but one that kills."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    with channel() as other:
        other.send(b"up")
        while True:
            mmap.mmap(-1, 96 << 20, flags=flags).close()


def rebels() -> None:
    """Processes that tell each other to go on, and that keep dying, which makes the kernel do that."""
    parent = os.getpid()
    for _ in range(3):
        if os.fork() == 0:
            os.setpgid(0, 0)
            while True:
                refused(lambda: os.kill(-1, signal.SIGCONT))
                refused(lambda: os.kill(parent, signal.SIGCONT))
                child = os.fork()
                if child == 0:
                    if os.fork() == 0:
                        burn(0.001)
                    os._exit(0)
                os.waitpid(child, 0)
    with channel() as other:
        other.send(b"up")
        while True:
            refused(lambda: os.kill(-1, signal.SIGCONT))


def raise_error() -> None:
    raise ValueError("on purpose")


def serve_again() -> None:
    scorer_launcher.serve_warm()


def file_size() -> None:
    Path("/work/big").write_bytes(b"x" * (2 << 20))


def device(path: str) -> None:
    with Path(path).open("rb") as node:
        show(refused(lambda: fcntl.ioctl(node, 0x1234)))


PROGRAMS: dict[str, Callable[..., None]] = {
    "look": look,
    "identity": identity,
    "attack": attack,
    "descriptors": descriptors,
    "answer": answer,
    "touch_mib": touch_mib,
    "burn": lambda seconds="inf": burn(float(seconds)),
    "sleep": lambda: time.sleep(3600),
    "nap": lambda: time.sleep(0.6),
    "fork_bomb": fork_bomb,
    "daemon": daemon,
    "busy": busy,
    "populate": populate,
    "rebels": rebels,
    "raise": raise_error,
    "exit": lambda code: os._exit(int(code)),
    "serve_again": serve_again,
    "file_size": file_size,
    "device": device,
    "echo": lambda *words: print(*words),
}

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fails"]:
            raise RuntimeError("cannot load " + "x" * 5000 + " what it needs")
        case ["threads"]:
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    name, *arguments = scorer_launcher.serve_warm()
    PROGRAMS[name](*arguments)
