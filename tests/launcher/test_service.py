"""What the service relies on: cancelling, dying, cleaning up, telling its own failures from a program's."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scorer_launcher import Sandbox, SandboxClosed, SandboxError, Slots, Termination, write_executable

from .conftest import MIB, PROGRAM, limits, make_sandbox  # noqa: TID252 -- test files have no absolute name

RUNS = int(os.environ.get("SCORER_LAUNCHER_LEAK_RUNS", "400"))


def wait_until(condition: Callable[[], bool]) -> None:
    """Polls without a fixed sleep to be tuned; fails after a time in which anything would have happened."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        os.sched_yield()


def processes() -> dict[int, tuple[int, str]]:
    """Parent and start time of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(entry.name)] = (int(fields[1]), fields[19])
    return found


def descendants(ancestor: int) -> set[tuple[int, str]]:
    """Processes below one, each with its start time, by which it is known when its number is used again."""
    everyone = processes()
    found: set[tuple[int, str]] = set()
    level = {ancestor}
    while level:
        level = {pid for pid, (parent, _) in everyone.items() if parent in level}
        found |= {(pid, everyone[pid][1]) for pid in level}
    return found


def children_of(parent: int) -> set[int]:
    return {pid for pid, (its_parent, _) in processes().items() if its_parent == parent}


def alive(some: set[tuple[int, str]]) -> set[tuple[int, str]]:
    return some & {(pid, started) for pid, (_, started) in processes().items()}


def groups_of(pid: int) -> set[Path]:
    return set(Path("/sys/fs/cgroup").glob(f"**/scorer-*-{pid}-*-*"))


def test_closing_ends_calls_that_run_and_calls_that_wait(program: Path) -> None:
    slots = Slots(1)
    sandbox = make_sandbox(program, slots)
    outcomes: list[str] = []

    def call() -> None:
        try:
            sandbox.run([PROGRAM, "sleep"], limits=limits(wall_limit_s=60))
        except SandboxClosed:
            outcomes.append("closed")

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: (slots.busy, slots.waiting) == (1, 2))
    begin = time.monotonic()
    sandbox.close()
    for thread in threads:
        thread.join(timeout=10)
    assert outcomes == ["closed"] * 3
    assert time.monotonic() - begin < 5
    assert (slots.busy, slots.waiting) == (0, 0)
    sandbox.close()
    with pytest.raises(SandboxClosed):
        sandbox.run([PROGRAM, "nothing"], limits=limits())


def test_a_place_is_free_again_after_each_run(program: Path) -> None:
    slots = Slots(1)
    with make_sandbox(program, slots) as one, make_sandbox(program, slots) as two:
        for sandbox in (one, two, one):
            assert sandbox.run([PROGRAM, "exit", "3"], limits=limits()).exit_code == 3
        with pytest.raises(SandboxError):
            two.run(["/missing"], limits=limits())
        assert slots.busy == 0
        assert one.run([PROGRAM, "nothing"], limits=limits()).exit_code == 0


def test_a_daemon_is_gone_when_the_verdict_is_given(program: Path, slots: Slots) -> None:
    with make_sandbox(program, slots) as sandbox:
        sandbox.run([PROGRAM, "nothing"], limits=limits())
        before = len(descendants(os.getpid()))
        result = sandbox.run([PROGRAM, "daemon", "60000"], limits=limits())
        assert result.termination is Termination.EXITED
        # The place of the next run may be in the making, but no program is left.
        names = [Path(f"/proc/{pid}/exe").readlink().name for pid, _ in alive(descendants(os.getpid()))]
        assert PROGRAM.strip("/") not in names
        assert len(names) <= before + 1


def test_nothing_is_left_after_many_runs(program: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    def mounts() -> str:
        return Path("/proc/self/mountinfo").read_text()

    slots = Slots(2)
    make_sandbox(program, slots).close()
    before = (descriptors(), descendants(os.getpid()), groups_of(os.getpid()), mounts())
    with make_sandbox(program, slots) as sandbox:
        for index in range(RUNS):
            way = ("exit", "0") if index % 10 else ("daemon", "60000")
            sandbox.run([PROGRAM, *way], limits=limits(), files={"a": b"x"}, collect={"a": 10})
        made = descendants(os.getpid()) - before[1]
    assert made
    assert alive(made) == set()
    assert (descriptors(), descendants(os.getpid()), groups_of(os.getpid()), mounts()) == before


SERVER = """
import sys, threading
from scorer_launcher import Limits, Mount, Sandbox, Slots
sandbox = Sandbox(mounts=[Mount(sys.argv[1], "/program")], slots=Slots(2))
limits = Limits(cpu_limit_s=600, wall_limit_s=600, memory_limit_bytes=1 << 28)
for way in ("sleep", "burn_on_threads"):
    threading.Thread(target=sandbox.run, args=(["/program", way],), kwargs={"limits": limits}).start()
print("started", flush=True)
"""


def test_a_killed_server_takes_everything_with_it(program: Path, slots: Slots) -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(program)], stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == b"started\n"

    def programs() -> int:
        names = []
        for pid, _ in descendants(server.pid):
            try:
                names.append(Path(f"/proc/{pid}/exe").readlink().name)
            except OSError:
                continue
        return names.count(PROGRAM.strip("/"))

    wait_until(lambda: programs() == 2)
    made = descendants(server.pid)
    server.send_signal(signal.SIGKILL)
    server.wait()
    server.stdout.close()
    wait_until(lambda: not alive(made))

    # The cgroups that it could not remove go when the next server looks for a place for its own.
    again = "from scorer_launcher import probe; probe()"
    subprocess.run([sys.executable, "-c", again], check=True)
    assert groups_of(server.pid) == set()


def test_a_supervisor_that_was_killed_is_the_services_failure(program: Path, slots: Slots) -> None:
    before, children = descendants(os.getpid()), children_of(os.getpid())
    sandbox = make_sandbox(program, slots)
    (supervisor,) = children_of(os.getpid()) - children
    failures: list[BaseException] = []

    def call() -> None:
        try:
            sandbox.run([PROGRAM, "sleep"], limits=limits(wall_limit_s=60))
        except SandboxError as error:
            failures.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    wait_until(lambda: slots.busy == 1)
    os.kill(supervisor, signal.SIGKILL)
    thread.join(timeout=20)
    assert len(failures) == 1
    assert not isinstance(failures[0], SandboxClosed)
    sandbox.close()
    assert descendants(os.getpid()) == before


def test_an_executable_can_be_run_at_once_while_others_are_started(
    program: Path, slots: Slots, tmp_path: Path
) -> None:
    stop = threading.Event()

    def start_others() -> None:
        while not stop.is_set():
            subprocess.run(["/bin/true"], check=True)

    thread = threading.Thread(target=start_others)
    thread.start()
    try:
        content = program.read_bytes()
        for index in range(20):
            target = tmp_path / f"{index}"
            write_executable(str(target), content)
            subprocess.run([target, "exit", "0"], check=True)
    finally:
        stop.set()
        thread.join()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(str(index) for index in range(20))
    assert (tmp_path / "0").read_bytes() == content


def test_an_executable_that_cannot_be_written_is_the_services_failure(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="No such file"):
        write_executable(str(tmp_path / "missing" / "file"), b"x")


def test_a_full_disk_is_the_services_failure_and_leaves_nothing(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], check=True)
    try:
        with pytest.raises(SandboxError, match="No space left on device"):
            write_executable(str(tmp_path / "file"), b"x" * (4 * MIB))
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_sandbox_outlives_the_thread_that_made_it(program: Path, slots: Slots) -> None:
    made: list[Sandbox] = []
    thread = threading.Thread(target=lambda: made.append(make_sandbox(program, slots)))
    thread.start()
    thread.join()
    with made[0] as sandbox:
        assert sandbox.run([PROGRAM, "nothing"], limits=limits()).exit_code == 0


def test_the_memory_of_the_server_stays_flat_under_endless_output(program: Path, slots: Slots) -> None:
    def resident_bytes() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    with make_sandbox(program, slots) as sandbox:
        few = limits(output_limit_bytes=MIB)
        sandbox.run([PROGRAM, "output_forever"], limits=few)
        before = resident_bytes()
        for _ in range(20):
            sandbox.run([PROGRAM, "output_forever"], limits=few)
        assert resident_bytes() - before < 8 * MIB


def test_a_forked_copy_of_the_server_is_refused_with_a_reason(program: Path, slots: Slots) -> None:
    code = """
import os, sys
from scorer_launcher import Mount, Sandbox, SandboxError, Slots
make = lambda: Sandbox(mounts=[Mount(sys.argv[1], "/program")], slots=Slots(1)).close()
make()
if os.fork() == 0:
    try:
        make()
    except SandboxError as error:
        os._exit(7 if "forked" in str(error) else 8)
    os._exit(9)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-c", code, str(program)], check=False).returncode == 7
