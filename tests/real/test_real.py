"""Real contest problems: right programs are accepted, wrong ones are not, in two languages.

The problems are 150 of DeepMind's CodeContests (CC BY 4.0, Li et al. 2022, arXiv:2203.07814), train split.
They are not part of this repository; the tests skip where they are not beside it. A folder here is named by
its problem and holds a right Rust program (`solution.rs`) and a plausible wrong one (`mutant.rs`).

A share of them is judged in CI, all with SCORER_REAL=all (`make real`).
"""

import asyncio
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.rust_codecontests import (
    compilation,
    problem,
    problem_set,
    program_cache,
    program_judge,
    verdicts,
)
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.native import NativeBackend

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY.parent / "shared" / "data" / "codecontests" / "problems.jsonl"
ALL = os.environ.get("SCORER_REAL") == "all"
FOLDERS = sorted(path for path in Path(__file__).parent.iterdir() if (path / "solution.rs").is_file())
PYTHON_TIME_LIMIT_S = 20.0
"""The data set does not know the limits; those of the contests were not made for Python."""
SLOW_IN_PYTHON = {"1238_e_keyboard_purchase_2831", "1503_e_2coloring_8359"}
"""Their solutions take 13 s for each large test: one hidden test of each input length is run."""
BATCHES = 15
"""Of the Python solutions, so that parallel test workers share them."""
CHOSEN_BATCHES = range(BATCHES) if ALL else range(1)
CHOSEN_FOLDERS = FOLDERS if ALL else FOLDERS[::3]

pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason=f"the data set is not here: {DATA.relative_to(REPOSITORY.parent)} is missing"
)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> problem_set.ProblemSet:
    return problem_set.ProblemSet.open(DATA, tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as executor:
        yield executor


def read(problems: problem_set.ProblemSet, problem_id: str) -> problem.ProblemContent:
    content = problems.read(problem_id)
    if problem_id not in SLOW_IN_PYTHON:
        return content
    by_length = {len(test.stdin): test for test in content.hidden_tests}
    return replace(content, hidden_tests=list(by_length.values()))


async def judge_all(
    programs: dict[str, bytes],
    language: toolchain.Toolchain,
    problems: problem_set.ProblemSet,
    cache_dir: Path,
    threads: ThreadPoolExecutor,
    time_limit_s: float = problem.DEFAULT_TIME_LIMIT_S,
) -> dict[str, program_judge.ProgramOutcome]:
    backend = NativeBackend()
    cache = program_cache.ProgramCache(cache_dir)
    compiler = compilation.Compiler(backend, language, cache, threads)
    judge = program_judge.ProgramJudge(backend, language, compiler, compiler, threads)
    places = asyncio.Semaphore(backend.slot_count + 1)

    async def one(problem_id: str, source: bytes) -> program_judge.ProgramOutcome:
        async with places:
            judged = replace(problems.problems[problem_id], time_limit_s=time_limit_s)
            return await judge.judge(source, "embedded", judged, lambda: read(problems, problem_id))

    outcomes = await asyncio.gather(*(one(*program) for program in programs.items()))
    return dict(zip(programs, outcomes, strict=True))


def test_there_are_programs_to_judge() -> None:
    assert len(FOLDERS) >= 10
    assert all((folder / "mutant.rs").is_file() for folder in FOLDERS)


@pytest.mark.parametrize("folder", CHOSEN_FOLDERS, ids=lambda folder: folder.name)
def test_a_right_program_is_accepted_and_a_wrong_one_is_not(
    folder: Path, problems: problem_set.ProblemSet, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    rust = toolchain.load(toolchain.builtin("rust"))
    for name, accepted in (("solution.rs", True), ("mutant.rs", False)):
        programs = {folder.name: (folder / name).read_bytes()}
        (outcome,) = asyncio.run(judge_all(programs, rust, problems, tmp_path, threads)).values()
        assert outcome.built, outcome.result.compiler_output
        assert outcome.solved is accepted, (name, outcome.details)


def stored_solutions() -> dict[str, bytes]:
    with DATA.open() as file:
        rows = map(json.loads, file)
        return {row["problem_id"]: row["solutions"]["solution"][0].encode() for row in rows}


@pytest.mark.parametrize("batch", CHOSEN_BATCHES)
def test_the_stored_python_solutions_are_accepted(
    batch: int, problems: problem_set.ProblemSet, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    python = toolchain.load(REPOSITORY / "tests" / "fixtures" / "python.toml")
    programs = dict(list(stored_solutions().items())[batch::BATCHES])
    assert len(programs) == 150 // BATCHES
    outcomes = asyncio.run(judge_all(programs, python, problems, tmp_path, threads, PYTHON_TIME_LIMIT_S))
    failed = {
        problem_id: (verdicts.short_name(outcome.result.verdict), outcome.details.get("failing_test"))
        for problem_id, outcome in outcomes.items()
        if outcome.result.verdict != rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED
    }
    assert not failed
