"""Every embedded problem: judged rightly, by tests that catch what they should.

That every reference is accepted on every test is measured in test_anchors.py.
"""

import hashlib
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import scorer_launcher

from scorer_service.environments.rust_codecontests import generation, problem_set, program_judge, verdicts
from scorer_service.environments.rust_codecontests.source import PROBLEMS_DIR, ProblemSource
from scorer_service.sandbox.toolchain import Toolchain
from tests.environments.rust_codecontests.conftest import Judging
from tests.environments.rust_codecontests.embedded import SOURCES, brute_answers, open_set

SMALL_COUNT = 100
WRONG = [(source, path) for source in SOURCES for path in sorted((source.folder / "wrong").glob("*.rs"))]

each_problem = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.problem_id)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> problem_set.ProblemSet:
    return open_set(tmp_path_factory.mktemp("index"))


def test_the_set_is_not_empty() -> None:
    assert len(SOURCES) >= 20


def test_the_set_was_built_from_these_sources_and_is_the_pinned_one(problems: problem_set.ProblemSet) -> None:
    assert list(problems.problems) == [source.problem_id for source in SOURCES]
    pinned = tomllib.loads((PROBLEMS_DIR / "digests.toml").read_text())
    with problems.path.open("rb") as file:
        found = {
            problem_id: hashlib.sha256(line).hexdigest()
            for problem_id, line in zip(problems.problems, file, strict=True)
        }
    assert found == pinned


def test_the_set_is_sound(problems: problem_set.ProblemSet) -> None:
    checked = problem_set.check_problem_set(problems.path)
    assert checked.ok, str(checked)
    assert not checked.warnings, str(checked)


@each_problem
def test_there_are_enough_hidden_tests_and_wrong_programs(
    source: ProblemSource, problems: problem_set.ProblemSet
) -> None:
    content = problems.read(source.problem_id)
    assert len(content.hidden_tests) >= 20
    assert not {test.stdin for test in content.hidden_tests} <= {test.stdin for test in content.public_tests}
    assert len(list((source.folder / "wrong").glob("*.rs"))) >= 3


@each_problem
def test_the_statement_shows_the_public_tests(
    source: ProblemSource, problems: problem_set.ProblemSet
) -> None:
    content = problems.read(source.problem_id)
    assert 1 <= len(content.public_tests) <= 3
    for test in content.public_tests:
        assert test.stdin.decode() in content.statement
        assert test.expected.decode().strip() in content.statement


@each_problem
def test_reference_and_brute_force_agree_on_small_inputs(
    source: ProblemSource, problems: problem_set.ProblemSet, judging: Judging, rust: Toolchain
) -> None:
    generator = generation.load_generator(source.folder)
    rng = random.Random(f"{source.problem_id}/small")
    inputs = [generator.small(rng) for _ in range(SMALL_COUNT)]
    for text in inputs:
        generator.validate(text)
    answers = brute_answers(source.folder, inputs)
    judged = problems.problems[source.problem_id]
    content = problems.read(source.problem_id)

    async def work(judge: program_judge.ProgramJudge) -> None:
        compiler = judge._compiler
        async with compiler.compiled(source.reference.encode(), "embedded") as compiled:
            assert compiled.program is not None, compiled.messages
            mounts = {rust.program: str(compiled.program)}
            sandbox = judging.backend.open(mounts, {})
            if judged.checker.kind == "special":
                async with compiler.compiled(content.validator_source.encode(), "embedded") as validator:
                    checking = judging.backend.open({"/validator": str(validator.program)}, {})
                limits = scorer_launcher.Limits(
                    cpu_limit_s=10.0, wall_limit_s=30.0, memory_limit_bytes=1 << 30
                )
                checker = judging.backend.special_checker(checking, ["/validator"], limits)
            else:
                checker = judged.checker.to_launcher()
            tests = [
                scorer_launcher.TestCase(text.encode(), answer.encode())
                for text, answer in zip(inputs, answers, strict=True)
            ]
            outcomes = sandbox.run_tests(
                rust.run.argv,
                tests,
                limits=judged.limits(32, 1 << 20),
                checker=checker,
                stop_at_first_failure=False,
                keep_output=True,
            )
        for text, answer, outcome in zip(inputs, answers, outcomes, strict=True):
            printed = outcome.result.stdout
            assert outcome.accepted, (
                f"input {text!r}: the reference printed {printed!r}, the brute {answer!r}"
            )
            # The other way round too: a validator must take any right answer, and find both equally good.
            assert checker.accepts(stdin=text.encode(), expected=printed, output=answer.encode()), text

    judging.run(work)


@pytest.mark.parametrize(
    ("source", "path"),
    WRONG,
    ids=[f"{source.problem_id}-{Path(path).stem}" for source, path in WRONG],
)
def test_a_wrong_program_gets_the_verdict_in_its_name(
    source: ProblemSource, path: Path, problems: problem_set.ProblemSet, judging: Judging
) -> None:
    judged = problems.problems[source.problem_id]
    wanted, _, reason = path.stem.partition("__")
    if wanted != "cpu_time_limit":
        # On a busy machine the same work takes more CPU time; the cause that is meant must still come first.
        judged = replace(judged, time_limit_s=4 * judged.time_limit_s)
    outcome = judging.run(
        lambda judge: judge.judge(
            path.read_bytes(), "embedded", judged, lambda: problems.read(source.problem_id)
        )
    )
    assert verdicts.short_name(outcome.result.verdict) == wanted, outcome.details
    assert reason
    assert path.read_text().startswith("//")
