"""Running tests in parallel, stopping at a failure, and judging by checkers and validators."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from scorer_launcher import (
    Checker,
    Mount,
    Sandbox,
    SandboxError,
    Slots,
    Termination,
    TestCase,
    has_decimals,
)

from .conftest import PROGRAM, limits, make_sandbox  # noqa: TID252 -- test files have no absolute name

TOKENS = Checker.tokens(decimals=False)
VALIDATOR = """#!/bin/sh
read -r got
read -r input < "$1"
read -r expected < "$2"
case "$got" in
    crash) exit 7 ;;
    "$input$expected") exit 42 ;;
    *) exit 43 ;;
esac
"""


@pytest.fixture(scope="module")
def validators(tmp_path_factory: pytest.TempPathFactory, slots: Slots) -> Iterator[Sandbox]:
    script = tmp_path_factory.mktemp("validator") / "validator"
    script.write_text(VALIDATOR)
    script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    mounts = [Mount(path, path) for path in ("/bin", "/lib", "/lib64", "/usr/lib") if Path(path).exists()]
    with Sandbox(mounts=[*mounts, Mount(str(script), "/validator")], slots=slots) as sandbox:
        yield sandbox


def test_all_tests_are_run_and_told_in_order(sandbox: Sandbox) -> None:
    tests = [TestCase(b"%d" % index, b"%d" % index) for index in range(40)]
    outcomes = sandbox.run_tests([PROGRAM, "cat"], tests, limits=limits(), checker=TOKENS)
    assert [outcome.index for outcome in outcomes] == list(range(40))
    assert all(outcome.accepted for outcome in outcomes)
    assert {outcome.result.stdout for outcome in outcomes} == {b""}


def test_output_is_kept_where_it_is_asked_for(sandbox: Sandbox) -> None:
    outcomes = sandbox.run_tests(
        [PROGRAM, "cat"], [TestCase(b"a\xff", b"a\xff")], limits=limits(), checker=TOKENS, keep_output=True
    )
    assert outcomes[0].result.stdout == b"a\xff"


def test_no_test_begins_after_a_failure(program: Path) -> None:
    tests = [TestCase(b"%d" % index, b"%d" % (0 if index == 3 else index)) for index in range(200)]
    with make_sandbox(program, Slots(1)) as sandbox:
        stopped = sandbox.run_tests([PROGRAM, "cat"], tests, limits=limits(), checker=TOKENS)
        all_of_them = sandbox.run_tests(
            [PROGRAM, "cat"], tests, limits=limits(), checker=TOKENS, stop_at_first_failure=False
        )
    assert [outcome.accepted for outcome in stopped] == [True, True, True, False]
    assert [outcome.index for outcome in all_of_them if not outcome.accepted] == [3]
    assert len(all_of_them) == 200


def test_tests_before_the_first_failure_are_never_left_out(sandbox: Sandbox) -> None:
    tests = [TestCase(b"%d" % index, b"no" if index >= 20 else b"%d" % index) for index in range(60)]
    outcomes = sandbox.run_tests([PROGRAM, "cat"], tests, limits=limits(), checker=TOKENS)
    assert [outcome.index for outcome in outcomes] == list(range(len(outcomes)))
    assert [outcome.accepted for outcome in outcomes[:21]] == [True] * 20 + [False]


def test_right_output_with_a_wrong_end_is_not_accepted(sandbox: Sandbox) -> None:
    outcomes = sandbox.run_tests(
        [PROGRAM, "exit", "1"], [TestCase(b"", b"")], limits=limits(), checker=TOKENS
    )
    assert not outcomes[0].accepted
    outcomes = sandbox.run_tests(
        [PROGRAM, "output", "10"],
        [TestCase(b"", b"x" * 10)],
        limits=limits(output_limit_bytes=9),
        checker=TOKENS,
    )
    assert not outcomes[0].accepted
    assert outcomes[0].result.termination is Termination.OUTPUT_LIMIT


def test_no_tests_give_no_outcomes(sandbox: Sandbox) -> None:
    assert sandbox.run_tests([PROGRAM, "cat"], [], limits=limits(), checker=TOKENS) == []


def test_a_failure_of_the_service_is_no_outcome(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="/missing"):
        sandbox.run_tests(["/missing"], [TestCase(b"", b"")] * 5, limits=limits(), checker=TOKENS)


def test_a_validator_accepts_by_42_and_rejects_by_43(sandbox: Sandbox, validators: Sandbox) -> None:
    checker = Checker.special(validators, ["/validator"], limits())
    assert checker.accepts(stdin=b"a\n", expected=b"b\n", output=b"ab\n")
    assert not checker.accepts(stdin=b"a\n", expected=b"b\n", output=b"ba\n")
    tests = [TestCase(b"%d\n" % index, b"\n") for index in range(20)]
    outcomes = sandbox.run_tests([PROGRAM, "cat"], tests, limits=limits(), checker=checker)
    assert [outcome.accepted for outcome in outcomes] == [True] * 20


def test_a_validator_that_does_neither_is_the_services_failure(validators: Sandbox) -> None:
    checker = Checker.special(validators, ["/validator"], limits())
    with pytest.raises(SandboxError, match=r"/validator.*7"):
        checker.accepts(stdin=b"a\n", expected=b"b\n", output=b"crash\n")


def test_a_validator_finds_a_place_where_there_is_only_one(program: Path, tmp_path: Path) -> None:
    slots = Slots(1)
    with make_sandbox(program, slots) as programs, make_sandbox(program, slots) as validators:
        checker = Checker.special(validators, [PROGRAM, "exit", "42"], limits())
        tests = [TestCase(b"", b"")] * 8
        outcomes = programs.run_tests([PROGRAM, "nothing"], tests, limits=limits(), checker=checker)
    assert [outcome.accepted for outcome in outcomes] == [True] * 8


@pytest.mark.parametrize(
    ("checker", "expected", "output", "accepted"),
    [
        (Checker.exact(), b"a  b\n", b"a  b", True),
        (Checker.exact(), b"a  b", b"a b", False),
        (Checker.tokens(decimals=False), b"123", b"123.0", True),
        (Checker.tokens(decimals=False), b"123", b"123.000001", False),
        (Checker.tokens(decimals=True), b"123", b"123.000001", True),
        (Checker.floats(absolute=0.1, relative=0.0), b"1.0", b"1.05", True),
        (Checker.floats(absolute=0.01, relative=0.0), b"1.0", b"1.05", False),
        (Checker.unordered_lines(decimals=False), b"a\nb", b"B\nA\n", True),
        (Checker.unordered_lines(decimals=False), b"a\nb", b"a\na\n", False),
    ],
)
def test_checkers_are_what_their_names_say(
    checker: Checker, expected: bytes, output: bytes, accepted: bool
) -> None:
    assert checker.accepts(stdin=b"", expected=expected, output=output) is accepted


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_tolerances_that_make_no_sense_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="absolute"):
        Checker.floats(absolute=value, relative=0.0)


def test_decimals_are_found() -> None:
    assert has_decimals(b"1 2 0.5")
    assert not has_decimals(b"1 2 00.5")
