"""The self-test: the sandbox must judge a known program rightly before any submission is judged."""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.interface import JudgingFailed, NotServing
from scorer_service.environments.rust_codecontests import (
    compilation,
    problem,
    program_cache,
    program_judge,
    verdicts,
)
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.interface import SandboxBackend

_PROGRAM = """
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    if text.trim() == "spin" {
        let mut x = 1u64;
        loop {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
    }
    let total: i64 = text.split_whitespace().map(|word| word.parse::<i64>().unwrap()).sum();
    println!("{total}");
}
"""
_CPU_LIMIT_S = 0.2

# What the program above is given and should answer, and the verdict it must get.
_CASES: Sequence[tuple[str, str, "verdicts.ProblemVerdict.ValueType"]] = (
    ("2 3\n", "5\n", rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED),
    ("2 3\n", "6\n", rust_codecontests_pb2.PROBLEM_VERDICT_WRONG_ANSWER),
    ("two\n", "2\n", rust_codecontests_pb2.PROBLEM_VERDICT_RUNTIME_ERROR),
    ("spin\n", "5\n", rust_codecontests_pb2.PROBLEM_VERDICT_CPU_TIME_LIMIT),
)


async def run(
    backend: SandboxBackend, language: toolchain.Toolchain, profile_name: str, executor: Executor
) -> None:
    """Compile a program anew and judge it. Raises NotServing where a verdict is not the right one."""
    # A cache of its own: a program that was compiled once says nothing of the compiler today.
    with tempfile.TemporaryDirectory(prefix="scorer-selftest-") as folder:
        cache = program_cache.ProgramCache(Path(folder))
        compiler = compilation.Compiler(backend, language, cache, executor)
        judge = program_judge.ProgramJudge(backend, language, compiler, compiler, executor)
        for stdin, expected, verdict in _CASES:
            test = problem.Test(stdin.encode(), expected.encode())
            try:
                outcome = await judge.judge(_PROGRAM.encode(), profile_name, _problem(), _reader(test))
            except JudgingFailed as error:
                raise NotServing(f"the sandbox does not work: {error}") from error
            if outcome.result.verdict != verdict:
                raise NotServing(
                    f"the sandbox judges wrongly: the self-test with input {stdin.strip()!r} and expected"
                    f" output {expected.strip()!r} must be {verdicts.short_name(verdict)}, but is"
                    f" {verdicts.short_name(outcome.result.verdict)}"
                    f" {outcome.result.compiler_output or outcome.details.get('failing_test', '')}"
                )


def _problem() -> problem.Problem:
    return problem.Problem(
        problem_id="selftest",
        name="Self-test",
        time_limit_s=_CPU_LIMIT_S,
        memory_limit_bytes=64 << 20,
        checker=problem.CheckerSpec("tokens"),
        public_count=0,
        hidden_count=1,
        largest_expected_bytes=2,
        input_file="",
        output_file="",
    )


def _reader(test: problem.Test) -> Callable[[], problem.ProblemContent]:
    content = problem.ProblemContent("", (), (test,), "", {})
    return lambda: content
