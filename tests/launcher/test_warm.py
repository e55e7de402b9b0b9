"""Copies of a warm interpreter: they have what it loaded, and nothing else beyond an executed program."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
import scorer_launcher
from scorer_launcher import Mount, Places, Run, RunResult, Sandbox, SandboxError, Slots, Termination, probe

from .conftest import MIB, limits  # noqa: TID252 -- test files have no absolute name
from .test_service import alive, children_of, descendants, groups_of, wait_until  # noqa: TID252

SCRIPT = Path(__file__).with_name("warm_interpreter.py")
PYTHON = f"{sys.base_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
#: The libraries of the interpreter, and it.
FOLDERS = (sys.base_prefix, "/lib", "/lib64", "/usr/lib")
FILTERS_OF_PROGRAMS = 2
SYSTEM = dict.fromkeys(path for path in FOLDERS if Path(path).exists())


def make_warm(slots: Slots, *arguments: str, python: str = PYTHON, **options: Any) -> Sandbox:
    package = Path(scorer_launcher.__file__).parent
    mounts = [Mount(path, path) for path in SYSTEM]
    mounts += [Mount(str(package), "/launcher/scorer_launcher"), Mount(str(SCRIPT), "/warm.py")]
    command = [python, "-I", "-B", "/warm.py", *arguments]
    environment = {"HOME": "/work", "GIVEN": "1"}
    return Sandbox(mounts=mounts, slots=slots, environment=environment, warm=command, **options)


@pytest.fixture(scope="module")
def warm(slots: Slots) -> Iterator[Sandbox]:
    with make_warm(slots) as sandbox:
        yield sandbox


@pytest.fixture(scope="module", params=["auto", "none"])
def any_warm(request: pytest.FixtureRequest, slots: Slots) -> Iterator[Sandbox]:
    """With a cgroup, where this machine has any, and without."""
    with make_warm(slots, cgroup=request.param) as sandbox:
        yield sandbox


@pytest.fixture
def places(slots: Slots) -> Iterator[Places]:
    with slots.take() as places:
        yield places


def said(result: RunResult) -> Any:
    assert result.termination is Termination.EXITED, (result, result.stderr)
    return json.loads(result.stdout)


class Talk:
    """A run with a channel, and the end of it that is not the run's."""

    def __init__(self, sandbox: Sandbox, places: Places, *argv: str, **changes: float) -> None:
        self.end, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.end.settimeout(60)
        with other:
            self.run: Run = sandbox.start(
                argv, limits=limits(**{"cpu_limit_s": 60.0} | changes), places=places, channel=other.fileno()
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end.close()

    def ask(self, message: bytes) -> bytes:
        self.end.send(message)
        return self.end.recv(65536)


def test_a_program_is_the_interpreter_with_what_it_loaded(warm: Sandbox) -> None:
    assert said(warm.run(["look"], limits=limits()))["loaded"] == "the interpreter"
    result = warm.run(["echo", "one", "two words", "\u00e4"], limits=limits())
    assert (result.exit_code, result.stdout.decode()) == (0, "one two words \u00e4\n")


def test_nothing_of_a_run_is_there_for_the_next(warm: Sandbox) -> None:
    first = said(warm.run(["look"], limits=limits()))
    assert first["notes"] == []
    assert first["environment"] == ["GIVEN", "HOME"] or "LC_CTYPE" in first["environment"]
    assert first["files"] == []
    for _ in range(3):
        assert said(warm.run(["look"], limits=limits())) == first


def test_a_program_has_its_files_and_hands_files_out(warm: Sandbox) -> None:
    result = warm.run(["look"], limits=limits(), files={"given": b"x"}, collect={"note": 100, "given": 100})
    assert said(result)["files"] == ["given"]
    assert result.files == {"note": b"note", "given": b"x"}


def test_a_program_has_no_rights_and_sees_itself_alone(warm: Sandbox) -> None:
    found = said(warm.run(["identity"], limits=limits()))
    status = found["status"]
    assert "0" not in status["Uid"].split()
    assert "0" not in status["Gid"].split()
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    assert status["Threads"].strip() == "1"
    assert int(status["SigBlk"], 16) == 0
    assert found["processes"] == ["2"]
    assert (found["cwd"], found["host"]) == ("/work", "sandbox")


def test_two_programs_share_neither_user_nor_namespace(warm: Sandbox, slots: Slots) -> None:
    # Both live until both were looked at: numbers of namespaces are used again.
    with (
        slots.take() as places,
        Talk(warm, places, "identity", "wait") as first,
        Talk(warm, places, "identity", "wait") as second,
    ):
        talks = (first, second)
        assert [talk.end.recv(10) for talk in talks] == [b"up"] * 2
        for talk in talks:
            talk.end.close()
        one, two = (said(talk.run.wait()) for talk in talks)
    for kind, identity in one["namespaces"].items():
        assert two["namespaces"][kind] != identity, kind
        assert str(Path(f"/proc/self/ns/{kind}").readlink()) != identity, kind
    if os.geteuid() == 0:
        assert one["status"]["Uid"] != two["status"]["Uid"]


def test_a_program_can_do_nothing_that_an_executed_one_cannot(warm: Sandbox) -> None:
    found = said(warm.run(["attack"], limits=limits()))
    # Where the server is not root, no other id has a meaning.
    assert found.pop("setuid") == ("EPERM" if os.geteuid() == 0 else "EINVAL")
    assert found == {
        "socket": "EPERM",
        "unix": "EPERM",
        "affinity": "EPERM",
        "write": "EROFS",
        "init": "ENOENT",
        "continue": "EPERM",
        "continue_all": "EPERM",
        "continue_at_end": "EPERM",
        "continue_on_input": "EPERM",
        "limits": "EROFS",
    }


def test_the_channel_is_descriptor_3_and_nothing_else_is_open(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "descriptors") as talk:
        assert said(talk.run.wait()) == [0, 1, 2, 3]
        assert said(warm.run(["descriptors"], limits=limits())) == [0, 1, 2]


def test_messages_pass_through_the_channel(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "answer") as talk:
        assert [talk.ask(text) for text in (b"one", b"two")] == [b"ONE", b"TWO"]
        talk.end.close()
        assert talk.run.wait().exit_code == 0


def test_the_end_of_a_program_is_told_by_the_channel(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "answer") as talk:
        talk.run.kill()
        assert talk.end.recv(1) == b""
        assert talk.run.wait().termination is Termination.STOPPED


def test_an_error_is_the_programs_end(warm: Sandbox) -> None:
    result = warm.run(["raise"], limits=limits())
    assert (result.termination, result.exit_code) == (Termination.EXITED, 1)
    assert b"ValueError: on purpose" in result.stderr
    assert warm.run(["exit", "7"], limits=limits()).exit_code == 7


def test_a_program_cannot_serve(warm: Sandbox) -> None:
    result = warm.run(["serve_again"], limits=limits())
    assert b"can be called once" in result.stderr


def test_serving_is_for_the_interpreter_of_a_sandbox() -> None:
    with pytest.raises(SandboxError, match=r"serve_warm\(\) is for the interpreter of a warm sandbox"):
        scorer_launcher.serve_warm()


@pytest.mark.parametrize(
    ("argv", "changes", "expected"),
    [
        (["touch_mib", "100"], {"memory_limit_bytes": 64 * MIB}, Termination.MEMORY_LIMIT),
        (["touch_mib", "40"], {"memory_limit_bytes": 64 * MIB}, Termination.EXITED),
        (["burn"], {"cpu_limit_s": 0.3}, Termination.CPU_TIME_LIMIT),
        (["sleep"], {"wall_limit_s": 0.3}, Termination.WALL_TIME_LIMIT),
        (["file_size"], {"file_size_limit_bytes": MIB}, Termination.OUTPUT_LIMIT),
        (["echo", "x" * 5000], {"output_limit_bytes": 1000}, Termination.OUTPUT_LIMIT),
    ],
)
def test_limits_are_named(
    any_warm: Sandbox, argv: list[str], changes: dict[str, float], expected: Termination
) -> None:
    assert any_warm.run(argv, limits=limits(**changes)).termination is expected


def test_memory_of_the_interpreter_is_not_the_programs(any_warm: Sandbox) -> None:
    result = any_warm.run(["touch_mib", "20"], limits=limits())
    assert result.peak_memory_bytes < 32 * MIB


def test_memory_that_a_program_takes_is_counted(warm: Sandbox) -> None:
    if probe().memory_accounting == "rlimit":
        pytest.skip("without a cgroup, a peak may pass unseen")
    result = warm.run(["touch_mib", "20"], limits=limits())
    assert result.peak_memory_bytes >= 20 * MIB


def test_a_fork_bomb_dies_with_its_run(any_warm: Sandbox, places: Places, accounted_processes: bool) -> None:
    run = any_warm.start(["fork_bomb"], limits=limits(), places=places)
    before = descendants(os.getpid())
    run.kill()
    assert run.wait().termination in (Termination.STOPPED, Termination.PROCESS_LIMIT)
    assert not any_warm.run(["echo"], limits=limits()).stderr
    assert len(alive(descendants(os.getpid()))) <= len(before)
    if accounted_processes:
        bomb = limits(process_limit=8, cpu_limit_s=0.2)
        assert any_warm.run(["fork_bomb"], limits=bomb).termination in (
            Termination.CPU_TIME_LIMIT,
            Termination.PROCESS_LIMIT,
        )


def test_a_daemon_dies_with_its_run(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "daemon") as talk:
        assert talk.end.recv(10) == b"up"
        run = descendants(os.getpid())
        talk.run.kill()
        assert talk.run.wait().termination is Termination.STOPPED
        # What is left is the sandbox, and the place of the next run.
        assert len(alive(run)) < len(run) - 2


def fields_of(pid: int) -> list[str]:
    """What `/proc` tells of a process, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_ticks(processes: set[tuple[int, str]]) -> int:
    """CPU time of processes so far."""
    total = 0
    for pid, _ in processes:
        fields = fields_of(pid)
        total += int(fields[11]) + int(fields[12])
    return total


def programs_of(sandbox_processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that live, of a run: all that are held to the second filter, which only programs are."""
    found = set()
    for pid, started in sandbox_processes:
        try:
            text = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        filters = text.partition("Seccomp_filters:")[2].split()
        if filters and int(filters[0]) == FILTERS_OF_PROGRAMS and "zombie" not in text:
            found.add((pid, started))
    return found


def test_a_frozen_run_uses_no_time_and_goes_on_elsewhere(warm: Sandbox, slots: Slots) -> None:
    # Wall time for what it does when it is not frozen, less than it is frozen for.
    one, other = slots.take(), slots.take()
    with one, other, Talk(warm, one, "busy", wall_limit_s=5.0) as talk:
        assert talk.end.recv(10) == b"up"
        assert set(map(tuple, json.loads(talk.ask(b"?")))) == {tuple(one.cores)}
        program = programs_of(descendants(os.getpid()))
        assert len(program) == 2
        talk.run.freeze()
        before = cpu_ticks(program)
        for _ in range(9):
            # Time passes meanwhile, on both cores.
            for places in (one, other):
                nap = warm.start(["burn", "0.3"], limits=limits(), places=places)
                assert nap.wait().termination is Termination.EXITED
        talk.run.freeze()
        assert cpu_ticks(program) == before
        talk.run.thaw(other)
        assert set(map(tuple, json.loads(talk.ask(b"?")))) == {tuple(other.cores)}
        talk.run.kill()
        result = talk.run.wait()
    assert result.termination is Termination.STOPPED
    assert result.wall_s < 5.0
    assert result.cpu_s > 0


def test_all_of_it_stands_when_freeze_returns(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "populate") as talk:
        assert talk.end.recv(10) == b"up"
        ((pid, _),) = programs_of(descendants(os.getpid()))
        for _ in range(30):
            talk.run.freeze()
            assert fields_of(pid)[0] == "T"
            talk.run.thaw(places)


def test_a_program_cannot_undo_that_it_is_frozen(warm: Sandbox, slots: Slots) -> None:
    with slots.take(2) as places, Talk(warm, places, "rebels") as talk:
        assert talk.end.recv(10) == b"up"
        for _ in range(20):
            talk.run.freeze()
            program = programs_of(descendants(os.getpid()))
            assert len(program) >= 4
            before = cpu_ticks(program)
            assert warm.start(["burn", "0.05"], limits=limits(), places=places).wait().exit_code == 0
            assert cpu_ticks(program) == before
            assert {fields_of(pid)[0] for pid, _ in program} == {"T"}
            talk.run.thaw(places)
        talk.run.kill()
        assert talk.run.wait().termination is Termination.STOPPED


def test_a_frozen_run_can_be_killed_and_a_run_that_ended_cannot_be_frozen(
    warm: Sandbox, places: Places
) -> None:
    with Talk(warm, places, "answer", wall_limit_s=0.5) as talk:
        talk.run.freeze()
        assert warm.run(["nap"], limits=limits()).exit_code == 0
        talk.run.kill()
        result = talk.run.wait()
        assert (result.termination, result.wall_s < 0.5) == (Termination.STOPPED, True)
        talk.run.kill()
        for call in (talk.run.freeze, lambda: talk.run.thaw(places)):
            with pytest.raises(SandboxError, match="has ended"):
                call()


def test_a_run_that_ended_by_itself_was_not_stopped(warm: Sandbox, places: Places) -> None:
    run = warm.start(["exit", "3"], limits=limits(), places=places)
    assert run.wait().exit_code == 3
    run.kill()
    assert run.wait().termination is Termination.EXITED


def test_nothing_is_left_after_many_runs(slots: Slots) -> None:
    def state() -> tuple[int, int, set[tuple[int, str]], set[Path]]:
        threads = len(list(Path("/proc/self/task").iterdir()))
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        return descriptors, threads, descendants(os.getpid()), groups_of(os.getpid())

    def at_rest() -> bool:
        names = [(thread / "comm").read_text().strip() for thread in Path("/proc/self/task").iterdir()]
        return not {"sandbox-spare", "sandbox-watch"} & set(names)

    make_warm(slots).close()
    # Other sandboxes of these tests may still be making a place.
    wait_until(at_rest)
    before = state()
    with make_warm(slots) as sandbox:
        for index in range(200):
            program = ("sleep", "fork_bomb")[index // 20 % 2] if index % 20 == 0 else "echo"
            end, other = socket.socketpair()
            with slots.take() as places, end, other:
                run = sandbox.start([program], limits=limits(), places=places, channel=other.fileno())
                if program != "echo":
                    run.kill()
                run.wait()
        made = descendants(os.getpid()) - before[2]
    # Each holds a descriptor itself.
    del run, sandbox
    assert made
    assert alive(made) == set()
    wait_until(at_rest)
    assert state() == before


def test_a_run_that_is_forgotten_is_killed(warm: Sandbox, places: Places) -> None:
    with Talk(warm, places, "answer", wall_limit_s=600.0) as talk:
        program = programs_of(descendants(os.getpid()))
        assert program
        del talk.run
        assert talk.end.recv(1) == b""
    warm.run(["echo"], limits=limits())
    assert not alive(program)


def test_an_interpreter_that_was_killed_is_the_services_failure(slots: Slots) -> None:
    children = children_of(os.getpid())
    with make_warm(slots) as sandbox, slots.take() as places:
        (supervisor,) = children_of(os.getpid()) - children
        run = sandbox.start(["sleep"], limits=limits(wall_limit_s=60), places=places)
        (zygote,) = children_of(supervisor)
        os.kill(zygote, signal.SIGKILL)
        with pytest.raises(SandboxError, match="first process ended"):
            run.wait()
        with pytest.raises(SandboxError, match=r"first process ended .* make another"):
            sandbox.start(["echo"], limits=limits(), places=places)


def test_an_interpreter_that_fails_to_load_is_told_with_what_it_wrote(slots: Slots) -> None:
    with pytest.raises(SandboxError, match=r"ended before it called serve_warm.*what it needs") as caught:
        make_warm(slots, "fails")
    assert 1000 < len(str(caught.value)) < 2500


def test_an_interpreter_that_is_missing_is_named(slots: Slots) -> None:
    with pytest.raises(SandboxError, match="cannot execute /none: No such file"):
        make_warm(slots, python="/none")


def test_an_interpreter_with_threads_is_told_what_to_set(slots: Slots) -> None:
    with pytest.raises(SandboxError, match=r"has 2 threads .*OPENBLAS_NUM_THREADS=1"):
        make_warm(slots, "threads")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes nodes of devices")
def test_a_device_is_there_for_any_request_and_in_its_sandbox_alone(slots: Slots) -> None:
    folder = Path("/dev/scorer-launcher-test")
    folder.mkdir()
    node = folder / "node"
    try:
        os.mknod(node, 0o666 | 0o020000, os.makedev(1, 5))
        node.chmod(0o666)
        with make_warm(slots, devices=[str(node)]) as sandbox:
            assert said(sandbox.run(["device", str(node)], limits=limits())) == "ENOTTY"
            assert said(sandbox.run(["device", "/dev/zero"], limits=limits())) in ("ENOTTY", "EACCES")
    finally:
        node.unlink(missing_ok=True)
        folder.rmdir()


def test_requests_to_devices_are_refused_elsewhere(warm: Sandbox) -> None:
    assert said(warm.run(["device", "/dev/zero"], limits=limits())) == "ENOSYS"


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev", "/dev/../etc/passwd", "null"])
def test_devices_are_below_dev(slots: Slots, path: str) -> None:
    with pytest.raises(ValueError, match="below /dev"):
        make_warm(slots, devices=[path])


def test_a_device_is_a_node(slots: Slots) -> None:
    with pytest.raises(SandboxError, match="/dev/shm is not the node of a character device"):
        make_warm(slots, devices=["/dev/shm"])


def test_runs_at_once_do_not_mix(warm: Sandbox, slots: Slots) -> None:
    outcomes: list[bytes] = []

    def many(name: str) -> None:
        for index in range(15):
            outcomes.append(warm.run(["echo", f"{name}{index}"], limits=limits()).stdout)

    threads = [threading.Thread(target=many, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == sorted(f"{name}{index}\n".encode() for name in "abc" for index in range(15))
