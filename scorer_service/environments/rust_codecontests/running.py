"""Running the tests of a problem with a compiled program. Everything here blocks."""

import concurrent.futures
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import scorer_launcher

from scorer_service.environments.rust_codecontests import blocking, problem
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.interface import Sandbox

VALIDATOR_PROGRAM = "/validator"
_VALIDATOR_LIMITS = scorer_launcher.Limits(cpu_limit_s=10.0, wall_limit_s=30.0, memory_limit_bytes=1 << 30)


@dataclass(frozen=True)
class JudgedTest:
    """One test that was run."""

    __test__ = False  # not a test case of pytest

    number: int
    """Counted from 1, public tests first."""
    result: scorer_launcher.RunResult
    accepted: bool
    output: bytes
    """What was judged; kept of public tests only."""


def run_tests(
    scope: blocking.SandboxScope,
    language: toolchain.Toolchain,
    program: Path,
    judged: problem.Problem,
    content: problem.ProblemContent,
    validator: Path | None,
) -> list[JudgedTest]:
    """Run public tests, then hidden ones, until one fails; in the order of the tests.

    The last one is the first failure, where there is one; else it is every test. Raises SandboxError.
    """
    mounts = {**language.run.mounts, language.program: str(program)}
    sandbox = scope.open(mounts, language.run.environment)
    if validator is None:
        checker = judged.checker.to_launcher()
    else:
        checking = scope.open({VALIDATOR_PROGRAM: str(validator)}, {})
        checker = scope.backend.special_checker(checking, [VALIDATOR_PROGRAM], _VALIDATOR_LIMITS)
    run = _Run(sandbox, language.run, judged, checker, scope.backend.slot_count)
    tests = run.until_failure(content.public_tests, first_number=1, keep_output=True)
    if all(test.accepted for test in tests):
        first_number = len(tests) + 1
        tests += run.until_failure(content.hidden_tests, first_number=first_number, keep_output=False)
    return tests


@dataclass(frozen=True)
class _Run:
    sandbox: Sandbox
    command: toolchain.RunProfile
    judged: problem.Problem
    checker: scorer_launcher.Checker
    slot_count: int

    def until_failure(
        self, tests: Sequence[problem.Test], *, first_number: int, keep_output: bool
    ) -> list[JudgedTest]:
        """Tests up to the first failure. Raises SandboxError where one that should have run is missing."""
        if not tests:
            return []
        if self.judged.input_file or self.judged.output_file:
            done = self._with_files(tests, first_number)
        else:
            done = self._with_streams(tests, first_number, keep_output)
        passed = 0
        while passed < len(done) and done[passed].accepted and done[passed].number == first_number + passed:
            passed += 1
        if passed == len(tests):
            return done
        if passed == len(done) or done[passed].number != first_number + passed:
            raise scorer_launcher.SandboxError(
                f"test {first_number + passed} was not run, though none had failed"
            )
        return done[: passed + 1]

    def _limits(self) -> scorer_launcher.Limits:
        return self.judged.limits(self.command.process_limit, self.command.scratch_limit_bytes)

    def _with_streams(
        self, tests: Sequence[problem.Test], first_number: int, keep_output: bool
    ) -> list[JudgedTest]:
        outcomes = self.sandbox.run_tests(
            self.command.argv,
            [scorer_launcher.TestCase(test.stdin, test.expected) for test in tests],
            limits=self._limits(),
            checker=self.checker,
            stop_at_first_failure=True,
            keep_output=keep_output,
        )
        return [
            JudgedTest(first_number + outcome.index, outcome.result, outcome.accepted, outcome.result.stdout)
            for outcome in outcomes
        ]

    def _with_files(self, tests: Sequence[problem.Test], first_number: int) -> list[JudgedTest]:
        """Problems that read and write files: few, so that whole batches are run and the rest is left out."""
        done: list[JudgedTest] = []
        with concurrent.futures.ThreadPoolExecutor(self.slot_count) as threads:
            for start in range(0, len(tests), self.slot_count):
                batch = tests[start : start + self.slot_count]
                numbers = range(first_number + start, first_number + start + len(batch))
                done += threads.map(self._one_with_files, batch, numbers)
                if not all(test.accepted for test in done):
                    break
        return done

    def _one_with_files(self, test: problem.Test, number: int) -> JudgedTest:
        read, written = self.judged.input_file, self.judged.output_file
        result = self.sandbox.run(
            self.command.argv,
            limits=self._limits(),
            stdin=b"" if read else test.stdin,
            files={read: test.stdin} if read else {},
            collect={written: self.judged.output_limit_bytes} if written else {},
        )
        output = result.files.get(written) if written else result.stdout
        ended_well = result.termination is scorer_launcher.Termination.EXITED and result.exit_code == 0
        accepted = (
            ended_well
            and output is not None
            and self.checker.accepts(stdin=test.stdin, expected=test.expected, output=output)
        )
        return JudgedTest(number, result, accepted, output or b"")
