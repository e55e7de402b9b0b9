"""The programs that the tests run, and sandboxes to run them in, for each way of accounting."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from scorer_launcher import Limits, Mount, RunResult, Sandbox, SandboxError, Slots, probe

MIB = 1 << 20
PROGRAM = "/program"


class Run(Protocol):
    """Runs one of the programs of `programs.rs` by its name and arguments."""

    def __call__(self, *arguments: str, stdin: bytes = b"", **options: object) -> RunResult: ...


def limits(**changes: float) -> Limits:
    """Limits that a quiet program stays far below, with changes."""
    values: dict[str, float] = {"cpu_limit_s": 5.0, "wall_limit_s": 20.0, "memory_limit_bytes": 256 * MIB}
    return Limits(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executable of `programs.rs`, below a folder that only its owner may enter."""
    if ready := os.environ.get("SCORER_LAUNCHER_PROGRAM"):
        return Path(ready)
    folder = tmp_path_factory.mktemp("programs")
    folder.chmod(0o700)
    target = folder / "program"
    source = Path(__file__).with_name("programs.rs")
    flags = ["--edition", "2024", "-O", "-C", "target-feature=+crt-static"]
    subprocess.run(["rustc", *flags, "-o", str(target), str(source)], check=True, capture_output=True)
    return target


@pytest.fixture(scope="session")
def slots() -> Slots:
    return Slots(2)


def make_sandbox(program: Path, slots: Slots, cgroup: str = "auto", **environment: str) -> Sandbox:
    try:
        return Sandbox(
            mounts=[Mount(str(program), PROGRAM)], slots=slots, environment=environment, cgroup=cgroup
        )
    except SandboxError as error:
        if cgroup == "auto" or "cgroup" not in str(error):
            raise
        pytest.skip(f"this machine cannot: {error}")


@pytest.fixture(scope="session", params=["v2", "v1", "none"])
def any_sandbox(request: pytest.FixtureRequest, program: Path, slots: Slots) -> Iterator[Sandbox]:
    """A sandbox for each way of accounting that this machine has."""
    with make_sandbox(program, slots, request.param) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def sandbox(program: Path, slots: Slots) -> Iterator[Sandbox]:
    """A sandbox as the service makes it."""
    with make_sandbox(program, slots) as sandbox:
        yield sandbox


def runner(sandbox: Sandbox) -> Run:
    def run(*arguments: str, stdin: bytes = b"", **options: object) -> RunResult:
        given = options.pop("limits", None)
        assert given is None or isinstance(given, Limits)
        chosen = given or limits()
        return sandbox.run([PROGRAM, *arguments], limits=chosen, stdin=stdin, **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    return runner(sandbox)


@pytest.fixture
def run_any(any_sandbox: Sandbox) -> Run:
    """Runs a program under each way of accounting."""
    return runner(any_sandbox)


@pytest.fixture(scope="session")
def accounted_processes() -> bool:
    """Whether the kernel counts the processes of a run, which tells a refused one for certain."""
    return probe().process_accounting != "rlimit"
