"""Rows of a problem set: what is taken, and every reason to refuse."""

import json
from typing import Any

import pytest

from scorer_service.environments.rust_codecontests import problem, row
from tests.environments.rust_codecontests.conftest import make_row

NO_TESTS: dict[str, list[str]] = {"input": [], "output": []}


def test_a_row_of_the_published_schema_is_taken() -> None:
    found, content = row.parse(make_row(cf_tags=["math"], solutions={"language": [3], "solution": ["..."]}))
    assert (found.problem_id, found.time_limit_s, found.memory_limit_bytes) == ("sum", 1.0, 64 << 20)
    assert (found.public_count, found.hidden_count, found.test_count) == (1, 3, 4)
    assert content.public_tests == [problem.Test(b"1 2\n", b"3\n")]
    assert [test.stdin for test in content.hidden_tests] == [b"2 2\n", b"5 6\n", b"-1 1\n"]
    assert content.facts["cf_tags"] == ["math"]


@pytest.mark.parametrize("unknown", [None, ...])
def test_unknown_limits_are_two_seconds_and_256_mebibytes(unknown: Any) -> None:
    found, _ = row.parse(make_row(time_limit=unknown, memory_limit_bytes=unknown))
    assert (found.time_limit_s, found.memory_limit_bytes) == (2.0, 256 << 20)


@pytest.mark.parametrize(
    ("time_limit", "seconds"),
    [({"seconds": 2, "nanos": 500_000_000}, 2.5), (1.5, 1.5), (3, 3.0), ({"seconds": 1, "nanos": None}, 1.0)],
)
def test_time_limits_are_read_in_every_form(time_limit: Any, seconds: float) -> None:
    assert row.parse(make_row(time_limit=time_limit))[0].time_limit_s == seconds


def test_a_memory_limit_of_zero_is_unknown() -> None:
    assert row.parse(make_row(memory_limit_bytes=0))[0].memory_limit_bytes == 256 << 20


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"problem_id": "../etc"}, "problem_id"),
        ({"problem_id": "Sum"}, "problem_id"),
        ({"problem_id": ".sum"}, "problem_id"),
        ({"problem_id": ""}, "problem_id"),
        ({"problem_id": ...}, "problem_id is null"),
        ({"problem_id": 7}, "problem_id is 7"),
        ({"problem_id": "a" * 129}, "problem_id"),
        ({"private_tests": NO_TESTS, "generated_tests": NO_TESTS}, "no hidden tests"),
        ({"private_tests": ..., "generated_tests": None}, "no hidden tests"),
        ({"private_tests": {"input": ["1\n"], "output": []}}, "private_tests has 1 inputs and 0 outputs"),
        ({"public_tests": {"input": [1], "output": ["1"]}}, "public_tests: input 1 must be text, not 1"),
        (
            {"public_tests": {"input": ["1"], "output": [None]}},
            "public_tests: output 1 must be text, not null",
        ),
        ({"public_tests": {"input": ["\ud800"], "output": [""]}}, "public_tests: input 1 must be text"),
        ({"public_tests": [["1", "2"]]}, "public_tests must be"),
        ({"public_tests": {"input": "1", "output": "2"}}, "public_tests must be"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"time_limit": 1e9}, "time_limit"),
        ({"time_limit": True}, "time_limit is true"),
        ({"time_limit": "2 s"}, "time_limit"),
        ({"time_limit": {"seconds": 0, "nanos": 0}}, "time_limit"),
        ({"time_limit": {"seconds": 1, "millis": 5}}, "time_limit"),
        ({"memory_limit_bytes": -5}, "memory_limit_bytes is -5"),
        ({"memory_limit_bytes": 256}, "memory_limit_bytes is 256"),
        ({"memory_limit_bytes": 2.5e8}, "memory_limit_bytes"),
        ({"checker": {"kind": "magic"}}, "checker is"),
        ({"checker": "tokens"}, "checker is"),
        ({"checker": {"kind": "floats", "absolute": -1}}, "checker.absolute is -1"),
        ({"checker": {"kind": "floats", "relative": "1e-6"}}, "checker.relative"),
        ({"checker": {"kind": "tokens", "absolute": 0.1}}, "unknown key 'absolute'"),
        ({"checker": {"kind": "tokens", "decimals": 1}}, "checker.decimals"),
        ({"checker": {"kind": "special"}}, "needs the Rust source"),
        ({"checker": {"kind": "special", "source": " "}}, "needs the Rust source"),
        ({"input_file": "/etc/passwd"}, "input_file"),
        ({"output_file": "../out.txt"}, "output_file"),
        ({"name": 5}, "name must be text"),
        ({"several_answers": True}, "several answers"),
        ({"several_answers": "yes"}, "several_answers must be"),
        (
            {"generated_tests": {"input": ["1 2\n"], "output": ["4\n"]}},
            "tests 1 and 4 have the same input and different outputs",
        ),
    ],
)
def test_a_row_that_cannot_be_judged_is_refused_with_the_reason(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(row.RowRefused) as refused:
        row.parse(make_row(**changes))
    assert len(refused.value.reasons) == 1
    assert reason in refused.value.reasons[0]


def test_every_fault_of_a_row_is_told_at_once() -> None:
    with pytest.raises(row.RowRefused) as refused:
        row.parse(make_row(time_limit=-1, memory_limit_bytes=-1, checker={"kind": "magic"}, problem_id="?"))
    assert len(refused.value.reasons) == 4


def test_several_answers_are_fine_with_a_checker_for_them() -> None:
    twice = {"input": ["1 2\n"], "output": ["4\n"]}
    special = {"kind": "special", "source": "fn main() {}"}
    found, content = row.parse(make_row(generated_tests=twice, checker=special, several_answers=True))
    assert found.checker.kind == "special"
    assert content.validator_source == "fn main() {}"


@pytest.mark.parametrize(
    ("outputs", "checker", "decimals"),
    [
        (["4\n", "11\n"], None, False),
        (["4\n", "0.5\n"], None, True),
        (["4\n", "0.5\n"], {"kind": "tokens", "decimals": False}, False),
        (["4\n", "11\n"], {"kind": "tokens", "decimals": True}, True),
        (["4\n", "0.5\n"], {"kind": "unordered_lines"}, True),
        (["4\n", "word.\n"], None, False),
    ],
)
def test_decimals_anywhere_among_the_expected_outputs_make_a_problem_of_decimals(
    outputs: list[str], checker: Any, decimals: bool
) -> None:
    tests = {"input": ["1\n", "2\n"], "output": outputs}
    assert row.parse(make_row(private_tests=tests, checker=checker))[0].checker.decimals is decimals


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": \xff}', "not UTF-8: byte 0xff at offset 6"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b"[1]", "JSON object, not list"),
        (b'{"a": ', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_json_object_is_refused(line: bytes, reason: str) -> None:
    with pytest.raises(row.RowRefused) as refused:
        row.decode(line)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("statement", "warned"),
    [
        ("If there are multiple answers, print any of them.", True),
        ("Print the smallest answer.", False),
        ("Output any valid arrangement.", True),
    ],
)
def test_a_statement_that_promises_several_answers_is_pointed_out(statement: str, warned: bool) -> None:
    found = row.warnings(make_row(description=statement))
    assert bool(found) is warned
    assert row.warnings(make_row(description=statement, several_answers=False)) == []


def test_the_output_limit_leaves_room_for_other_formats_and_no_more() -> None:
    def limit(expected: str) -> int:
        tests = {"input": ["1\n"], "output": [expected]}
        return row.parse(json.loads(json.dumps(make_row(private_tests=tests))))[0].output_limit_bytes

    assert limit("1234\n") == 5 + (1 << 20)
    assert limit("x" * (3 << 20)) == 6 << 20
    assert limit("x" * (20 << 20)) == 28 << 20
