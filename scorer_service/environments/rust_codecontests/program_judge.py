"""Judging one program: compile it, run the public tests, then the hidden ones."""

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import scorer_launcher
from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.interface import JudgingFailed, WorkerDied
from scorer_service.environments.rust_codecontests import (
    blocking,
    compilation,
    problem,
    problem_set,
    running,
    verdicts,
)
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.interface import SandboxBackend

SHOWN_BYTES = 4 << 10
"""Of each part of a public test that failed; see PublicTestFailure."""
VALIDATOR_PROFILE = "embedded"
"""Validators are always compiled optimised, whatever the profile of the submissions."""


@dataclass(frozen=True)
class ProgramOutcome:
    """A judged program."""

    result: rust_codecontests_pb2.ProblemResult
    """As the agent may see it."""
    details: dict[str, Any] = field(default_factory=dict)
    """As the evaluator may see it; JSON types."""

    failed_public_test: int = 0
    """Number of the public test that failed, counted from 1; 0 where none did."""

    @property
    def solved(self) -> bool:
        """Whether every test passed."""
        return self.result.verdict == rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED

    @property
    def built(self) -> bool:
        """Whether it compiled."""
        return self.result.verdict != rust_codecontests_pb2.PROBLEM_VERDICT_COMPILE_ERROR


class ProgramJudge:
    """Judges programs in one language. Used from one event loop."""

    def __init__(
        self,
        backend: SandboxBackend,
        language: toolchain.Toolchain,
        compiler: compilation.Compiler,
        validator_compiler: compilation.Compiler,
        executor: Executor,
    ) -> None:
        self._backend = backend
        self._language = language
        self._compiler = compiler
        self._validator_compiler = validator_compiler
        self._executor = executor

    async def judge(
        self,
        source: bytes,
        profile_name: str,
        judged: problem.Problem,
        read: Callable[[], problem.ProblemContent],
    ) -> ProgramOutcome:
        """Judge a program; `read` reads the problem's tests, in a thread, when it has compiled.

        Raises JudgingFailed, WorkerDied. Cancelling kills what runs, and waits for it.
        """
        async with self._compiler.compiled(source, profile_name) as compiled:
            if compiled.program is None:
                return _not_compiled(judged, compiled)
            return await self._run(judged, compiled, compiled.program, read)

    async def _run(
        self,
        judged: problem.Problem,
        compiled: compilation.Compiled,
        program: Path,
        read: Callable[[], problem.ProblemContent],
    ) -> ProgramOutcome:
        scope = blocking.SandboxScope(self._backend)
        contents: list[problem.ProblemContent] = []
        async with contextlib.AsyncExitStack() as stack:
            validator = None
            try:
                if judged.checker.kind == "special":
                    reading = blocking.SandboxScope(self._backend)
                    contents.append(await blocking.run(self._executor, reading, read))
                    source = contents[0].validator_source.encode()
                    validator = await stack.enter_async_context(self._validator(source, judged))

                def run() -> list[running.JudgedTest]:
                    content = contents[0] if contents else read()
                    return running.run_tests(scope, self._language, program, judged, content, validator)

                tests = await blocking.run(self._executor, scope, run)
            except scorer_launcher.SandboxError as error:
                raise WorkerDied(f"problem {judged.problem_id}: {error}") from error
            except (OSError, problem_set.ProblemSetChanged) as error:
                raise JudgingFailed(f"problem {judged.problem_id}: {error}") from error
        return _outcome(judged, compiled, tests)

    async def show_public_failure(
        self,
        source: bytes,
        profile_name: str,
        judged: problem.Problem,
        read: Callable[[], problem.ProblemContent],
        number: int,
    ) -> rust_codecontests_pb2.PublicTestFailure:
        """Run a public test that failed once more, for its data to be shown.

        The caller sees to it that no hidden test runs meanwhile. Raises JudgingFailed, WorkerDied. Cancelling
        kills what runs, and waits for it.
        """
        async with self._compiler.compiled(source, profile_name) as compiled:
            if compiled.program is None:
                raise JudgingFailed(f"a program for {judged.problem_id} compiled, and now it does not")
            program, scope = compiled.program, blocking.SandboxScope(self._backend)

            def run() -> tuple[running.JudgedTest, problem.Test]:
                test = read().public_tests[number - 1]
                return running.run_public_test(scope, self._language, program, judged, test, number), test

            try:
                shown, test = await blocking.run(self._executor, scope, run)
            except scorer_launcher.SandboxError as error:
                raise WorkerDied(f"problem {judged.problem_id}: {error}") from error
            except (OSError, problem_set.ProblemSetChanged) as error:
                raise JudgingFailed(f"problem {judged.problem_id}: {error}") from error
        return rust_codecontests_pb2.PublicTestFailure(
            test_number=number,
            input=test.stdin[:SHOWN_BYTES],
            expected=test.expected[:SHOWN_BYTES],
            output=shown.output[:SHOWN_BYTES],
            stderr=shown.result.stderr[:SHOWN_BYTES],
            ending=verdicts.in_words(shown.result, judged),
        )

    @contextlib.asynccontextmanager
    async def _validator(self, source: bytes, judged: problem.Problem) -> Any:
        async with self._validator_compiler.compiled(source, VALIDATOR_PROFILE) as compiled:
            if compiled.program is None:
                raise JudgingFailed(
                    f"the output validator of {judged.problem_id} does not compile: {compiled.messages}"
                )
            yield compiled.program


def _not_compiled(judged: problem.Problem, compiled: compilation.Compiled) -> ProgramOutcome:
    result = rust_codecontests_pb2.ProblemResult(
        problem_id=judged.problem_id,
        verdict=rust_codecontests_pb2.PROBLEM_VERDICT_COMPILE_ERROR,
        compiler_output=compiled.messages,
    )
    return ProgramOutcome(result, _details(judged, compiled, result, []))


def _outcome(
    judged: problem.Problem,
    compiled: compilation.Compiled,
    tests: list[running.JudgedTest],
) -> ProgramOutcome:
    last = tests[-1]
    result = rust_codecontests_pb2.ProblemResult(
        problem_id=judged.problem_id, verdict=verdicts.of_test(last.result, last.accepted)
    )
    failed = last.number if not last.accepted and last.number <= judged.public_count else 0
    return ProgramOutcome(result, _details(judged, compiled, result, tests), failed)


def _details(
    judged: problem.Problem,
    compiled: compilation.Compiled,
    result: rust_codecontests_pb2.ProblemResult,
    tests: list[running.JudgedTest],
) -> dict[str, Any]:
    details: dict[str, Any] = {
        "problem_id": judged.problem_id,
        "verdict": verdicts.short_name(result.verdict),
        "test_count": judged.test_count,
        "public_test_count": judged.public_count,
        "tests_run": len(tests),
        "compile_cached": compiled.cached,
        "compile_cpu_s": round(compiled.compile_cpu_s, 3),
        "compile_wall_s": round(compiled.compile_wall_s, 3),
        "cpu_limit_s": judged.time_limit_s,
        "wall_limit_s": judged.wall_limit_s,
        "memory_limit_bytes": judged.memory_limit_bytes,
        "output_limit_bytes": judged.output_limit_bytes,
    }
    if tests:
        details |= {
            "cpu_s": round(sum(test.result.cpu_s for test in tests), 4),
            "largest_cpu_s": round(max(test.result.cpu_s for test in tests), 4),
            "largest_wall_s": round(max(test.result.wall_s for test in tests), 4),
            "largest_peak_memory_bytes": max(test.result.peak_memory_bytes for test in tests),
        }
        last = tests[-1]
        if not last.accepted:
            details["failing_test"] = {
                "number": last.number,
                "kind": "public" if last.number <= judged.public_count else "hidden",
                "ending": verdicts.in_words(last.result, judged),
                "cpu_s": round(last.result.cpu_s, 4),
                "wall_s": round(last.result.wall_s, 4),
                "peak_memory_bytes": last.result.peak_memory_bytes,
            }
    return details
