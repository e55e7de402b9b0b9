"""Building the embedded set: the same everywhere, no more work than needed, loud when it is wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer_service.environments.rust_codecontests import build, problem_set
from scorer_service.sandbox.native import NativeBackend

GENERATOR = """
import random
from collections.abc import Iterator

def public() -> list[str]:
    return ["1\\n"]

def hidden(rng: random.Random) -> Iterator[str]:
    for _ in range(20):
        yield f"{rng.randrange(1000)}\\n"

def validate(text: str) -> None:
    if not 0 <= int(text) < LIMIT:
        raise ValueError(f"{text.strip()} is not below LIMIT")
""".replace("LIMIT", "1000")
REFERENCE = """
fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    println!("{}", line.trim().parse::<u64>().unwrap() * 2);
}
"""
FACTS = """
name = "Double"
difficulty = "easy"
rating = 800
tags = ["math"]
time_limit_s = 1.5
memory_limit_mib = 64
"""
VALIDATOR = """
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    std::process::exit(if text.trim().len() < LENGTH { 42 } else { 43 });
}
"""


class Sources:
    """A folder of problems, and what is built of it."""

    def __init__(self, folder: Path, backend: NativeBackend) -> None:
        self.folder = folder / "problems"
        self.output = folder / "problem_set"
        self.backend = backend
        for name in ("double", "again"):
            self.write(name)

    def write(self, name: str, **files: str) -> None:
        files = {
            "problem.toml": FACTS,
            "statement.md": "Print twice the number.\n",
            "generate.py": GENERATOR,
            "reference.rs": REFERENCE,
        } | {key.replace("_", "."): text for key, text in files.items()}
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text)

    def build(self, output: Path | None = None, *, update_digests: bool = False) -> build.BuildSummary:
        return build.build_embedded_set(
            output or self.output, self.backend, update_digests=update_digests, problems_dir=self.folder
        )


@pytest.fixture
def sources(tmp_path: Path, backend: NativeBackend) -> Sources:
    return Sources(tmp_path, backend)


def test_a_built_set_is_one_that_is_served(sources: Sources) -> None:
    summary = sources.build(update_digests=True)
    assert "2 problems" in str(summary)
    checked = problem_set.check_problem_set(summary.problems_file)
    assert (checked.ok, checked.problem_count, checked.test_count) == (True, 2, 42)
    problems = problem_set.ProblemSet.open(summary.problems_file, sources.output / "index")
    double = problems.problems["double"]
    assert (double.time_limit_s, double.memory_limit_bytes, double.name) == (1.5, 64 << 20, "Double")
    content = problems.read("double")
    assert content.public_tests[0].expected == b"2\n"
    assert all(int(test.expected) == 2 * int(test.stdin) for test in content.hidden_tests)
    assert content.facts["cf_rating"] == 800


def test_the_reference_submission_holds_every_reference(sources: Sources) -> None:
    sources.build(update_digests=True)
    lines = (sources.output / "reference_submission.jsonl").read_text().splitlines()
    programs = {entry["problem_id"]: entry["source"] for entry in map(json.loads, lines)}
    assert programs == {"again": REFERENCE, "double": REFERENCE}


def test_two_builds_are_the_same_to_the_byte(sources: Sources, tmp_path: Path) -> None:
    first = sources.build(update_digests=True).problems_file.read_bytes()
    assert sources.build(tmp_path / "other").problems_file.read_bytes() == first
    seeded = [json.loads(line)["private_tests"]["input"] for line in first.splitlines()]
    assert seeded[0] != seeded[1]  # each problem has a seed of its own


def test_only_what_changed_is_built_again(sources: Sources) -> None:
    assert sources.build(update_digests=True).built == ["again", "double"]
    assert sources.build().built == []
    sources.write("double", statement_md="Print the number twice.\n")
    summary = sources.build(update_digests=True)
    assert (summary.built, summary.reused) == (["double"], ["again"])
    rows = [json.loads(line) for line in summary.problems_file.read_text().splitlines()]
    assert [row["description"] for row in rows] == ["Print twice the number.\n", "Print the number twice.\n"]


def test_a_row_that_was_damaged_is_built_again(sources: Sources) -> None:
    built = sources.build(update_digests=True).problems_file
    whole = built.read_bytes()
    built.write_bytes(whole.replace(b"Double", b"Treble", 1))
    assert sources.build().built == ["again"]
    assert built.read_bytes() == whole


def test_a_problem_that_was_removed_leaves_the_set(sources: Sources) -> None:
    sources.build(update_digests=True)
    for path in (sources.folder / "again").iterdir():
        path.unlink()
    built = sources.build(update_digests=True).problems_file
    assert list(problem_set.ProblemSet.open(built, sources.output / "index").problems) == ["double"]
    assert "again" not in (sources.output / "reference_submission.jsonl").read_text()


def test_a_row_other_than_the_pinned_one_fails_the_build(sources: Sources) -> None:
    with pytest.raises(build.BuildFailed, match="double: its row is not pinned"):
        sources.build()
    sources.build(update_digests=True)
    sources.write("double", generate_py=GENERATOR.replace('"1\\n"', '"2\\n"'))
    with pytest.raises(build.BuildFailed, match=r"double: its row is not the pinned one\n.*--update"):
        sources.build()


def too_few(sources: Sources) -> None:
    sources.write("double", generate_py=GENERATOR.replace("range(20)", "range(19)"))


def invalid(sources: Sources) -> None:
    sources.write("double", generate_py=GENERATOR.replace("randrange(1000)", "randrange(1000, 2000)"))


def broken_reference(sources: Sources) -> None:
    sources.write("double", reference_rs="fn main() { x }")


def panicking_reference(sources: Sources) -> None:
    sources.write(
        "double", reference_rs=REFERENCE.replace("* 2", "* 2 / 0u64.max(std::env::args().count() as u64 - 1)")
    )


def unknown_checker(sources: Sources) -> None:
    sources.write("double", problem_toml=FACTS + '[checker]\nkind = "magic"\n')


def strict_validator(sources: Sources) -> None:
    checker = FACTS + '[checker]\nkind = "special"\n'
    sources.write("double", problem_toml=checker, checker_rs=VALIDATOR.replace("LENGTH", "1"))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (too_few, "19 inputs, at least 20 are needed"),
        (invalid, "breaks a constraint of the statement: 1"),
        (broken_reference, "the reference does not compile"),
        (panicking_reference, "the reference fails on test 1"),
        (unknown_checker, "checker is"),
        (strict_validator, "the validator rejects the reference on test 1"),
    ],
)
def test_a_problem_at_fault_fails_the_build_by_name(
    sources: Sources, spoil: Callable[[Sources], None], told: str
) -> None:
    spoil(sources)
    with pytest.raises(build.BuildFailed) as failed:
        sources.build(update_digests=True)
    (line,) = str(failed.value).splitlines()[:1]
    assert line.startswith("double: ")
    assert told in str(failed.value)
    assert not (sources.output / "problems.jsonl").exists()


def test_a_validator_comes_with_the_row(sources: Sources) -> None:
    checker = FACTS + '[checker]\nkind = "special"\n'
    sources.write("double", problem_toml=checker, checker_rs=VALIDATOR.replace("LENGTH", "100"))
    built = sources.build(update_digests=True).problems_file
    problems = problem_set.ProblemSet.open(built, sources.output / "index")
    assert "process::exit" in problems.read("double").validator_source
