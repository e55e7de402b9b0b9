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
    if validator is None:
        checker = judged.checker.to_launcher()
    else:
        checking = scope.open({VALIDATOR_PROGRAM: str(validator)}, {})
        checker = scope.backend.special_checker(checking, [VALIDATOR_PROGRAM], _VALIDATOR_LIMITS)
    run = _open(scope, language, program, judged, checker)
    tests = run.until_failure(content.public_tests, first_number=1, keep_output=True)
    if all(test.accepted for test in tests):
        first_number = len(tests) + 1
        tests += run.until_failure(content.hidden_tests, first_number=first_number, keep_output=False)
    return tests


def run_public_test(
    scope: blocking.SandboxScope,
    language: toolchain.Toolchain,
    program: Path,
    judged: problem.Problem,
    test: problem.Test,
    number: int,
) -> JudgedTest:
    """Run one public test for its output; whether it is accepted is not asked. Raises SandboxError."""
    run = _open(scope, language, program, judged, scorer_launcher.Checker.exact())
    (shown,) = run.batch([test], number, keep_output=True)
    return shown


def _open(
    scope: blocking.SandboxScope,
    language: toolchain.Toolchain,
    program: Path,
    judged: problem.Problem,
    checker: scorer_launcher.Checker,
) -> "_Run":
    mounts = {**language.run.mounts, language.program: str(program)}
    sandbox = scope.open(mounts, language.run.environment, [language.program])
    return _Run(sandbox, language.run, judged, checker, scope.backend.slot_count)


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
        done: list[JudgedTest] = []
        while len(done) < len(tests):
            number = first_number + len(done)
            found = self.batch(tests[len(done) :], number, keep_output)
            if not found or found[0].number != number:
                raise scorer_launcher.SandboxError(f"test {number} was not run, though none had failed")
            for position, test in enumerate(found):
                if test.number != number + position:
                    break
                if _waited_for_a_core(test.result, self.judged):
                    index = test.number - first_number
                    (test,) = self.batch(tests[index : index + 1], test.number, keep_output, patient=True)
                done.append(test)
                if not test.accepted:
                    return done
        return done

    def batch(
        self, tests: Sequence[problem.Test], first_number: int, keep_output: bool, *, patient: bool = False
    ) -> list[JudgedTest]:
        """Tests in parallel, as many as ran before one failed."""
        command = self.command
        limits = self.judged.limits(command.process_limit, command.scratch_limit_bytes, patient=patient)
        if self.judged.input_file or self.judged.output_file:
            return self._with_files(tests, first_number, limits)
        return self._with_streams(tests, first_number, keep_output, limits)

    def _with_streams(
        self,
        tests: Sequence[problem.Test],
        first_number: int,
        keep_output: bool,
        limits: scorer_launcher.Limits,
    ) -> list[JudgedTest]:
        outcomes = self.sandbox.run_tests(
            self.command.argv,
            [scorer_launcher.TestCase(test.stdin, test.expected) for test in tests],
            limits=limits,
            checker=self.checker,
            stop_at_first_failure=True,
            keep_output=keep_output,
        )
        return [
            JudgedTest(first_number + outcome.index, outcome.result, outcome.accepted, outcome.result.stdout)
            for outcome in outcomes
        ]

    def _with_files(
        self, tests: Sequence[problem.Test], first_number: int, limits: scorer_launcher.Limits
    ) -> list[JudgedTest]:
        """Problems that read and write files: few, so that whole batches are run and the rest is left out."""
        done: list[JudgedTest] = []
        with concurrent.futures.ThreadPoolExecutor(self.slot_count) as threads:
            for start in range(0, len(tests), self.slot_count):
                batch = tests[start : start + self.slot_count]
                numbers = range(first_number + start, first_number + start + len(batch))
                done += threads.map(
                    lambda test, number: self._one_with_files(test, number, limits), batch, numbers
                )
                if not all(test.accepted for test in done):
                    break
        return done

    def _one_with_files(self, test: problem.Test, number: int, limits: scorer_launcher.Limits) -> JudgedTest:
        read, written = self.judged.input_file, self.judged.output_file
        result = self.sandbox.run(
            self.command.argv,
            limits=limits,
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


def _waited_for_a_core(result: scorer_launcher.RunResult, judged: problem.Problem) -> bool:
    """Whether a program that met its wall limit may have done so for want of a core, not by sleeping.

    On a machine with other work a program that computes can meet its wall limit before its CPU limit. One
    that computed for a good part of it is tried again, with a wall limit that it meets only by waiting.
    """
    ended = result.termination
    return ended is scorer_launcher.Termination.WALL_TIME_LIMIT and result.cpu_s > judged.time_limit_s / 5
