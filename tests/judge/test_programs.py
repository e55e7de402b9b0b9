"""Programs that judges got wrong: the folder's name is the expected verdict, adding a case is adding a file.

Lines that begin with `//=` are TOML:
  why             what must hold, with the report that taught it
  cpu_limit_s, wall_limit_s, memory_limit_mib, output_limit_mib
  stdin, expected         text; or stdin_bytes, expected_bytes: that many zeros (`0`)
  runs            how often the test is run, one after the other
  cpu_at_most_s   the most CPU time it may have used when it was ended
  or_verdicts     verdicts that are right as well
  ending          what an evaluator is told of the end
"""

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import scorer_launcher
from leftovers import Leftovers

from scorer_service.environments.rust_codecontests import verdicts
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.native import NativeBackend

PROGRAMS = Path(__file__).parent / "programs"
CASES = sorted(PROGRAMS.glob("*/*.rs"))
RUST = toolchain.load(toolchain.builtin("rust"))
# Less than a submission gets, so that compile bombs end soon.
COMPILE = dataclasses.replace(RUST.profile("embedded"), cpu_limit_s=4.0)


@dataclass
class Case:
    """The header of a program."""

    why: str
    cpu_limit_s: float = 1.0
    wall_limit_s: float = 6.0
    memory_limit_mib: int = 256
    output_limit_mib: int = 16
    stdin: str = ""
    stdin_bytes: int = 0
    expected: str = "ok"
    expected_bytes: int = 0
    runs: int = 1
    cpu_at_most_s: float | None = None
    or_verdicts: list[str] = field(default_factory=list)
    ending: str = ""

    def limits(self) -> scorer_launcher.Limits:
        return scorer_launcher.Limits(
            cpu_limit_s=self.cpu_limit_s,
            wall_limit_s=self.wall_limit_s,
            memory_limit_bytes=self.memory_limit_mib << 20,
            output_limit_bytes=self.output_limit_mib << 20,
        )

    def test(self) -> scorer_launcher.TestCase:
        return scorer_launcher.TestCase(
            b"0" * self.stdin_bytes or self.stdin.encode(),
            b"0" * self.expected_bytes or self.expected.encode(),
        )


def read(path: Path) -> Case:
    lines = path.read_text().splitlines()
    header: dict[str, Any] = tomllib.loads(
        "\n".join(line.removeprefix("//=") for line in lines if line.startswith("//="))
    )
    return Case(**header)


@pytest.fixture(scope="module")
def backend() -> NativeBackend:
    return NativeBackend()


def compile_program(backend: NativeBackend, source: bytes) -> scorer_launcher.RunResult:
    sandbox = backend.open(RUST.compile_mounts, RUST.compile_environment)
    try:
        return sandbox.run(
            COMPILE.argv,
            limits=COMPILE.limits(RUST.output_limit_bytes),
            files={RUST.source: source},
            collect={RUST.output: RUST.output_limit_bytes},
        )
    finally:
        sandbox.close()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_program_gets_the_verdict_that_is_right(backend: NativeBackend, tmp_path: Path, path: Path) -> None:
    case, expected = read(path), path.parent.name
    compiled = compile_program(backend, path.read_bytes())
    if expected == "compile_error":
        assert RUST.output not in compiled.files, case.why
        return
    assert RUST.output in compiled.files, compiled.stderr.decode()
    program = tmp_path / "program"
    scorer_launcher.write_executable(str(program), compiled.files[RUST.output])
    sandbox = backend.open({RUST.program: str(program)}, {})
    try:
        for _ in range(case.runs):
            (outcome,) = sandbox.run_tests(
                [RUST.program],
                [case.test()],
                limits=case.limits(),
                checker=scorer_launcher.Checker.tokens(decimals=False),
            )
            verdict = verdicts.short_name(verdicts.of_test(outcome.result, outcome.accepted))
            assert verdict in [expected, *case.or_verdicts], (case.why, outcome.result)
            if case.cpu_at_most_s is not None:
                assert outcome.result.cpu_s <= case.cpu_at_most_s, case.why
            if case.ending:
                assert f"exit code {outcome.result.exit_code}" == case.ending, case.why
    finally:
        sandbox.close()


HOSTILE = ("process_limit/fork_bomb", "cpu_time_limit/busy_child", "accepted/leaves_a_child_that_sleeps")


@pytest.mark.alone
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_program_is_left_when_its_verdict_is_given(
    backend: NativeBackend, tmp_path: Path, name: str
) -> None:
    path = PROGRAMS / f"{name}.rs"
    case = read(path)
    program = tmp_path / "program"
    compiled = compile_program(backend, path.read_bytes())
    scorer_launcher.write_executable(str(program), compiled.files[RUST.output])
    before = Leftovers.now()
    sandbox = backend.open({RUST.program: str(program)}, {})
    try:
        quiet = Leftovers.now()
        sandbox.run([RUST.program], limits=case.limits())
        # The sandbox itself is there still, and may have made itself ready for a next run; of the program
        # there is nothing, so that the next one runs on a machine of its own.
        left = Leftovers.now().since(quiet).processes
        assert not [process for process in left if "program" in process]
    finally:
        sandbox.close()
    Leftovers.wait_until_gone(before)


def test_every_verdict_has_a_case() -> None:
    names = {verdicts.short_name(number) for number in verdicts.ProblemVerdict.values()}
    assert {path.parent.name for path in CASES} == names - {"unspecified"}
