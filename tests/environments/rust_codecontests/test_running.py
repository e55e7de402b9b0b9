"""The order of the tests, whatever a sandbox answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import scorer_launcher
from scorer_launcher import Termination

from scorer_service.environments.rust_codecontests import blocking, problem, row, running
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.sandbox.toolchain import Toolchain
from tests.environments.rust_codecontests.conftest import make_row

Answer = tuple[Termination, float, bool]
"""How a run ended, its CPU time in seconds, and whether it was accepted."""
PASS: Answer = (Termination.EXITED, 0.1, True)
WRONG: Answer = (Termination.EXITED, 0.1, False)
STARVED: Answer = (Termination.WALL_TIME_LIMIT, 0.5, False)
ASLEEP: Answer = (Termination.WALL_TIME_LIMIT, 0.01, False)
TOO_SLOW: Answer = (Termination.CPU_TIME_LIMIT, 1.0, False)


class Scripted:
    """A sandbox that answers each test by its input, the second time with the second answer."""

    slot_count = 2

    def __init__(self, answers: dict[bytes, list[Answer]], leave_out: Callable[[int], bool]) -> None:
        self.answers = answers
        self.leave_out = leave_out
        self.asked: list[bytes] = []

    def open(self, *_: object) -> "Scripted":
        return self

    def close(self) -> None:
        pass

    def run_tests(
        self, _: Sequence[str], tests: Sequence[Any], *, limits: str, **__: object
    ) -> Sequence[SimpleNamespace]:
        outcomes = []
        for index, test in enumerate(tests):
            if self.leave_out(len(self.asked)):
                continue
            self.asked.append(test + limits.encode())
            termination, cpu_s, accepted = self.answers[test].pop(0)
            result = SimpleNamespace(termination=termination, cpu_s=cpu_s, exit_code=0, stdout=b"")
            outcomes.append(SimpleNamespace(index=index, result=result, accepted=accepted))
            if not accepted:
                break
        return outcomes


@pytest.fixture(autouse=True)
def _tests_are_their_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_launcher, "TestCase", lambda stdin, _: stdin)
    monkeypatch.setattr(problem.Problem, "limits", lambda *_, patient: " patiently" if patient else "")


def run(
    rust: Toolchain, *answers: Answer | list[Answer], leave_out: Callable[[int], bool] = lambda _: False
) -> tuple[list[int], bool, list[bytes]]:
    """The tests that were run in order, whether the last was accepted, and what the sandbox was asked."""
    inputs = [b"%d" % number for number in range(1, len(answers) + 1)]
    script = {
        key: list(answer) if isinstance(answer, list) else [answer]
        for key, answer in zip(inputs, answers, strict=True)
    }
    sandbox = Scripted(script, leave_out)
    judged, _ = row.parse(make_row())
    tests = [problem.Test(key, b"") for key in inputs]
    content = problem.ProblemContent("", tests[:1], tests[1:], "", {})
    scope = blocking.SandboxScope(cast(SandboxBackend, sandbox))
    done = running.run_tests(scope, rust, Path("/program"), judged, content, None)
    return [test.number for test in done], done[-1].accepted, sandbox.asked


def test_only_waiting_meets_the_patient_wall_limit() -> None:
    judged, _ = row.parse(make_row(time_limit=2))
    assert (judged.time_limit_s, judged.wall_limit_s, judged.patient_wall_limit_s) == (2.0, 5.0, 50.0)


def test_every_test_is_run_once_when_all_pass(rust: Toolchain) -> None:
    assert run(rust, PASS, PASS, PASS, PASS) == ([1, 2, 3, 4], True, [b"1", b"2", b"3", b"4"])


def test_nothing_is_run_after_a_failure(rust: Toolchain) -> None:
    assert run(rust, PASS, PASS, WRONG, PASS) == ([1, 2, 3], False, [b"1", b"2", b"3"])


def test_a_starved_test_is_tried_again_and_the_others_follow(rust: Toolchain) -> None:
    numbers, accepted, asked = run(rust, PASS, [STARVED, PASS], PASS, [STARVED, PASS])
    assert (numbers, accepted) == ([1, 2, 3, 4], True)
    assert asked == [b"1", b"2", b"2 patiently", b"3", b"4", b"4 patiently"]


@pytest.mark.parametrize("second", [STARVED, TOO_SLOW, WRONG])
def test_the_second_try_of_a_starved_test_decides(rust: Toolchain, second: Answer) -> None:
    assert run(rust, PASS, [STARVED, second], PASS) == ([1, 2], False, [b"1", b"2", b"2 patiently"])


@pytest.mark.parametrize("answer", [ASLEEP, TOO_SLOW, WRONG])
def test_no_other_failure_is_tried_again(rust: Toolchain, answer: Answer) -> None:
    assert run(rust, PASS, answer, PASS) == ([1, 2], False, [b"1", b"2"])


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_a_test_that_was_not_run_is_never_passed(rust: Toolchain, left_out: int) -> None:
    with pytest.raises(scorer_launcher.SandboxError, match=f"test {left_out + 1} was not run"):
        run(rust, PASS, PASS, PASS, leave_out=lambda asked: asked >= left_out)
