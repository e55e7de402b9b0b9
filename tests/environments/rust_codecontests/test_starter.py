"""The starter: complete, without a hidden test, and with a local checker that agrees with the server."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import scorer_launcher
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer_service.environments.interface import StarterFile
from scorer_service.environments.rust_codecontests import environment, problem_set, starter
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox.native import NativeBackend
from scorer_service.sandbox.toolchain import Toolchain
from tests.environments.rust_codecontests.conftest import make_row, write_set
from tests.environments.rust_codecontests.test_program_judge import RIGHT, SPECIAL

CHECK_PATH = Path(starter.__file__).parent / "starter_files" / "check.py"


def load_check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("starter_check", CHECK_PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECK = load_check()


def make(backend: NativeBackend, rust: Toolchain, folder: Path, rows: list[Any]) -> Sequence[StarterFile]:
    problems = problem_set.ProblemSet.open(write_set(folder / "set.jsonl", rows), folder / "index")
    described = environment.create(EnvironmentSettings("embedded", folder, backend)).describe()
    return starter.files(problems, rust.profile("embedded"), described)


def unpack(files: Sequence[StarterFile], folder: Path) -> Path:
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    return folder


def check(folder: Path, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-I", "-B", str(folder / "check.py"), *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False).stdout


def test_every_problem_has_statement_tests_and_stub(
    backend: NativeBackend, rust: Toolchain, tmp_path: Path
) -> None:
    rows = [make_row(), make_row("pair", name="A | B", checker=SPECIAL, input_file="pair.in")]
    files = {file.path: file for file in make(backend, rust, tmp_path, rows)}
    assert set(files) == {
        *("INSTRUCTIONS.md", "check.py", "problems.json"),
        *("problems/sum/statement.md", "problems/sum/1.in", "problems/sum/1.out", "solutions/sum.rs"),
        *("problems/pair/statement.md", "problems/pair/1.in", "problems/pair/1.out", "solutions/pair.rs"),
        "problems/pair/validator.rs",
    }
    assert files["check.py"].executable
    assert files["problems/sum/1.in"].content == b"1 2\n"
    assert "CPU time limit: 1 s" in files["problems/sum/statement.md"].content.decode()
    assert "the file `pair.in`" in files["problems/pair/statement.md"].content.decode()
    instructions = files["INSTRUCTIONS.md"].content.decode()
    assert "rustc --edition 2021 -O --crate-type bin" in instructions
    assert "| `sum` | Sum | 800 | 1 s | 64 MiB |" in instructions
    assert "A \\| B" in instructions
    assert "$" not in instructions


def test_no_hidden_test_is_handed_out(backend: NativeBackend, rust: Toolchain, tmp_path: Path) -> None:
    secret = {"input": ["271828\n"], "output": ["314159\n"]}
    rows = [make_row(private_tests=secret, generated_tests=secret, solutions={"solution": ["161803"]})]
    everything = b"".join(file.content for file in make(backend, rust, tmp_path, rows))
    assert not [number for number in (b"271828", b"314159", b"161803") if number in everything]


def test_the_local_checker_judges_as_the_server_does(
    backend: NativeBackend, rust: Toolchain, tmp_path: Path
) -> None:
    names = ["right", "stub", "broken", "loops", "crashes", "absent", "special", "files"]
    rows: list[Any] = [make_row(name, time_limit=0.5) for name in names[:6]]
    rows += [make_row("special", checker=SPECIAL), make_row("files", input_file="f.in", output_file="f.out")]
    folder = unpack(make(backend, rust, tmp_path, rows), tmp_path / "starter")
    solutions = folder / "solutions"
    (solutions / "right.rs").write_text(RIGHT)
    (solutions / "broken.rs").write_text("fn main() { x }")
    (solutions / "loops.rs").write_text("fn main() { loop { std::hint::black_box(1); } }")
    (solutions / "crashes.rs").write_text("fn main() { panic!(); }")
    (solutions / "absent.rs").unlink()
    (solutions / "special.rs").write_text(RIGHT.replace('"{}"', '"{} 0"'))
    (solutions / "files.rs").write_text(
        'fn main() { assert_eq!(std::fs::read_to_string("f.in").unwrap(), "1 2\\n");'
        ' std::fs::write("f.out", "3").unwrap(); }'
    )
    said = check(folder)
    assert "right: passes 1 public tests" in said
    assert "stub: test 1: wrong answer" in said
    assert "broken: compile error" in said
    assert "loops: test 1: CPU time limit" in said
    assert "crashes: test 1: exit code 101" in said
    assert "absent: no program" in said
    assert "special: passes 1 public tests" in said
    assert "files: passes 1 public tests" in said
    assert check(folder, "right").splitlines() == [
        "right: passes 1 public tests",
        "1 of 1 programs pass their public tests",
    ]


CHECKERS: dict[str, tuple[dict[str, Any], scorer_launcher.Checker]] = {
    "exact": ({"kind": "exact"}, scorer_launcher.Checker.exact()),
    "tokens": ({"kind": "tokens", "decimals": False}, scorer_launcher.Checker.tokens(decimals=False)),
    "decimals": ({"kind": "tokens", "decimals": True}, scorer_launcher.Checker.tokens(decimals=True)),
    "floats": (
        {"kind": "floats", "absolute": 1e-3, "relative": 1e-2},
        scorer_launcher.Checker.floats(absolute=1e-3, relative=1e-2),
    ),
    "unordered_lines": (
        {"kind": "unordered_lines", "decimals": False},
        scorer_launcher.Checker.unordered_lines(decimals=False),
    ),
}
PAIRS = [
    (b"a b", b"ab"),
    (b"1 2 3", b"1\n2\n3\n"),
    (b"5\n", b"\n5 \r\n\n"),
    (b"YES", b"yes"),
    (b"9007199254740993", b"9007199254740992"),
    (b"123", b"123.000001"),
    (b"123", b"123.0"),
    (b"0011", b"11"),
    (b"5", b"4.9999999"),
    (b"0.333333", b"0.3333334"),
    (b"1000000000.5", b"1000000001.0"),
    (b"1e5", b"100000"),
    (b"1.0", b"nan"),
    (b"1.0", b"inf"),
    (b"1.0", b"1_0"),
    (b"1.0", b"0x1p0"),
    (b"nan", b"nan"),
    (b"-0.0", b"0"),
    (b"1 2", b"1 2 3"),
    (b"5", b"5\0junk"),
    (b"\xff", b"\xff"),
    (b"", b""),
    (b"", b"x"),
    (b"1 2\n3\n", b"3\n1 2\n"),
    (b"1 2\n3\n", b"2 1\n3\n"),
    (b"1.\n", b"1\n"),
    (b".5\n", b"0.5\n"),
    (b"+1\n", b"1\n"),
    (b"1e400\n", b"1e401\n"),
]


@pytest.mark.parametrize("kind", list(CHECKERS))
@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_the_local_checker_compares_as_the_server_does(kind: str, pair: tuple[bytes, bytes]) -> None:
    local, server = CHECKERS[kind]
    for expected, output in (pair, pair[::-1]):
        wanted = server.accepts(stdin=b"", expected=expected, output=output)
        assert CHECK.accepts(local, expected, output) is wanted


TOKENS = st.sampled_from(
    [b"0", b"-0", b"1", b"1.0", b"1.001", b"01", b"1e0", b"yes", b"YES", b".", b"-", b"1e-3"]
)
TEXTS = st.lists(st.tuples(TOKENS, st.sampled_from([b" ", b"\n", b"\n\n"])), max_size=4).map(
    lambda pieces: b"".join(token + space for token, space in pieces)
)


@settings(deadline=None, max_examples=300)
@given(kind=st.sampled_from(list(CHECKERS)), expected=TEXTS, output=TEXTS)
def test_the_local_checker_compares_anything_as_the_server_does(
    kind: str, expected: bytes, output: bytes
) -> None:
    local, server = CHECKERS[kind]
    wanted = server.accepts(stdin=b"", expected=expected, output=output)
    assert CHECK.accepts(local, expected, output) is wanted
