"""Both backends, through the interface that environments know: the same ends, files and isolation."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from scorer_launcher import Checker, Limits, SandboxClosed, SandboxError, Termination, TestCase

from scorer_service.sandbox.choice import ProbedBackend
from scorer_service.sandbox.interface import Sandbox

PROGRAM = "/program"
MIB = 1 << 20


def limits(**changes: float) -> Limits:
    values: dict[str, float] = {"cpu_limit_s": 5.0, "wall_limit_s": 20.0, "memory_limit_bytes": 128 * MIB}
    return Limits(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def sandbox(backend: ProbedBackend, program: Path) -> Iterator[Sandbox]:
    opened = backend.open({PROGRAM: str(program)}, {"NAME": "value"}, [PROGRAM])
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("argv", "changes", "expected"),
    [
        (["exit", "3"], {}, Termination.EXITED),
        (["raise", "6"], {}, Termination.SIGNALED),
        (["burn_ms", "10000"], {"cpu_limit_s": 0.2}, Termination.CPU_TIME_LIMIT),
        (["sleep"], {"wall_limit_s": 0.2}, Termination.WALL_TIME_LIMIT),
        (["touch_mib", "300"], {}, Termination.MEMORY_LIMIT),
        (["child_touches_mib", "300"], {}, Termination.MEMORY_LIMIT),
        (["processes", "40"], {"process_limit": 8}, Termination.PROCESS_LIMIT),
        (["output", "200000"], {"output_limit_bytes": 1000}, Termination.OUTPUT_LIMIT),
        (["fill", "big", "8"], {"file_size_limit_bytes": MIB}, Termination.OUTPUT_LIMIT),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_ends_are_named_alike(
    sandbox: Sandbox, argv: list[str], changes: dict[str, float], expected: Termination
) -> None:
    assert sandbox.run([PROGRAM, *argv], limits=limits(**changes)).termination is expected


def test_what_was_used_is_told(sandbox: Sandbox) -> None:
    result = sandbox.run([PROGRAM, "burn_ms", "200"], limits=limits())
    assert 0.2 <= result.cpu_s < 0.4
    assert result.wall_s >= 0.2
    grown = sandbox.run([PROGRAM, "touch_mib", "64"], limits=limits())
    assert 64 * MIB <= grown.peak_memory_bytes < 72 * MIB


def test_files_come_and_go(sandbox: Sandbox) -> None:
    listed = sandbox.run([PROGRAM, "list", "/", "/work", "/tmp"], limits=limits(), files={"a/b": b"x"})
    assert listed.stdout == b"/: dev proc program run tmp work\n/work: a\n/tmp: \n"
    left = sandbox.run([PROGRAM, "leave"], limits=limits(), collect={"alone": 100, "link": 100, "fifo": 100})
    assert left.files == {"alone": b"once"}
    assert left.refused_files == {"link": "symlink", "fifo": "not regular"}
    assert sandbox.run([PROGRAM, "list", "/work"], limits=limits()).stdout == b"/work: \n"


def test_a_program_has_no_rights_no_network_and_no_disk(sandbox: Sandbox) -> None:
    identity = sandbox.run([PROGRAM, "identity"], limits=limits()).stdout.decode()
    held = dict(line.split(":", 1) for line in identity.splitlines())
    assert {int(held[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert (held["NoNewPrivs"].strip(), held["Seccomp"].strip()) == ("1", "2")
    for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_NETLINK):
        result = sandbox.run([PROGRAM, "syscall", "41", str(int(family)), "1"], limits=limits())
        assert result.stdout == b"-1\n"
    for path in ("/file", "/program", "/dev/file", "/run/file"):
        assert sandbox.run([PROGRAM, "write", path, "x"], limits=limits()).stdout != b"ok\n"
    for path in ("/sources", "/meeting/control", "/supervisor", "/etc/hostname", "/.dockerenv"):
        assert sandbox.run([PROGRAM, "read", path], limits=limits()).stdout == b"NotFound\n"
    assert sandbox.run([PROGRAM, "environment"], limits=limits()).stdout == b"NAME=value\n"


def test_a_daemon_is_dead_when_its_run_has_ended(sandbox: Sandbox) -> None:
    for _ in range(3):
        assert sandbox.run([PROGRAM, "daemon", "60000"], limits=limits()).exit_code == 0
    quiet = sandbox.run([PROGRAM, "list", "/proc"], limits=limits())
    assert quiet.stdout == b"/proc: 2 self thread-self\n"


def test_tests_are_judged(backend: ProbedBackend, sandbox: Sandbox) -> None:
    cases = [TestCase(b"1\n", b"1"), TestCase(b"2\n", b"3"), TestCase(b"4\n", b"4")]
    outcomes = sandbox.run_tests(
        [PROGRAM, "cat"], cases, limits=limits(), checker=Checker.exact(), stop_at_first_failure=False
    )
    assert [outcome.accepted for outcome in outcomes] == [True, False, True]
    assert backend.slot_count == 2


def test_a_validator_runs_in_a_sandbox_of_the_backend(
    backend: ProbedBackend, sandbox: Sandbox, program: Path
) -> None:
    validator = backend.open({"/validator": str(program)}, {}, ["/validator"])
    # The program ends with the number that it is given, which a validator means its verdict by.
    for verdict, accepted in ((42, True), (43, False)):
        checker = backend.special_checker(validator, ["/validator", "exit", str(verdict)], limits())
        (outcome,) = sandbox.run_tests(
            [PROGRAM, "nothing"], [TestCase(b"", b"")], limits=limits(), checker=checker
        )
        assert outcome.accepted is accepted
    validator.close()


def test_closing_ends_a_run(sandbox: Sandbox) -> None:
    outcome: list[object] = []
    began = threading.Event()

    def run() -> None:
        began.set()
        try:
            outcome.append(sandbox.run([PROGRAM, "sleep"], limits=limits(wall_limit_s=60)))
        except SandboxClosed as closed:
            outcome.append(closed)

    thread = threading.Thread(target=run)
    thread.start()
    began.wait()
    sandbox.close()
    thread.join()
    assert isinstance(outcome[0], SandboxClosed)


def test_what_is_missing_is_the_services_failure_and_named(backend: ProbedBackend, sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="/no/such/place"):
        backend.open({"/place": "/no/such/place"}, {})
    with pytest.raises(SandboxError, match="cannot execute /nothing"):
        sandbox.run(["/nothing"], limits=limits())
