"""Problem sets on disk: indexed once, read row by row, refused whole."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scorer_service.environments.rust_codecontests import problem, problem_set, row
from tests.environments.rust_codecontests.conftest import make_row, write_set


def opened(path: Path) -> problem_set.ProblemSet:
    return problem_set.ProblemSet.open(path, path.parent / "index")


def test_problems_are_listed_in_order_and_read_one_by_one(tmp_path: Path) -> None:
    other = make_row("other", private_tests={"input": ["ü\n"], "output": ["é\n"]})
    problems = opened(write_set(tmp_path / "set.jsonl", [make_row(), other]))
    assert list(problems.problems) == ["sum", "other"]
    assert len(problems) == 2
    assert problems.read("other").hidden_tests[0] == problem.Test("ü\n".encode(), "é\n".encode())
    assert problems.read("sum").hidden_tests[0] == problem.Test(b"2 2\n", b"4\n")
    with pytest.raises(KeyError):
        problems.read("absent")


def test_the_index_spares_reading_the_set_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row(checker={"kind": "floats", "absolute": 1e-6})])
    first = opened(path).problems["sum"]

    def never(*_: Any) -> None:
        raise AssertionError("the set was read again")

    monkeypatch.setattr(row, "decode", never)
    assert opened(path).problems["sum"] == first


@pytest.mark.parametrize("same_size", [True, False])
def test_a_changed_set_is_indexed_again(tmp_path: Path, same_size: bool) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row("aaa")])
    times = path.stat()
    opened(path).close()
    write_set(path, [make_row("bbb" if same_size else "bbbb")])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert list(opened(path).problems) == ["bbb" if same_size else "bbbb"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"identity": 1}'])
def test_a_broken_index_is_made_again(tmp_path: Path, content: str) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row()])
    opened(path).close()
    (index,) = (tmp_path / "index").iterdir()
    index.write_text(content)
    assert list(opened(path).problems) == ["sum"]
    assert json.loads(index.read_text())["problems"]


@pytest.mark.parametrize("name", ["sum", "mus", "more"])
def test_a_set_that_changes_while_it_is_served_is_an_error_and_not_another_test(
    tmp_path: Path, name: str
) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row("sum")])
    problems = opened(path)
    write_set(path, [make_row(name)])
    os.utime(path, (1000, 1000))
    with pytest.raises(problem_set.ProblemSetChanged, match="restart"):
        problems.read("sum")


def test_a_set_that_is_replaced_is_served_as_it_was(tmp_path: Path) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row()])
    problems = opened(path)
    write_set(tmp_path / "new.jsonl", [make_row("other")]).replace(path)
    assert problems.read("sum").hidden_tests


BAD_LINES: list[tuple[Any, str]] = [
    (make_row("good"), ""),
    (b"\n", "is blank"),
    (b'{"problem_id": "\xff"}\n', "not UTF-8"),
    (b'{"problem_id": NaN}\n', "NaN"),
    (make_row("good"), "that of line 1 as well"),
    (make_row("empty", private_tests=..., generated_tests=...), "no hidden tests"),
    (b'{"problem_id": "cut', "the last line is cut off"),
]


def test_a_check_tells_everything_by_line_number(tmp_path: Path) -> None:
    path = write_set(tmp_path / "set.jsonl", [line for line, _ in BAD_LINES])
    checked = problem_set.check_problem_set(path)
    assert not checked.ok
    assert (checked.problem_count, checked.test_count) == (1, 4)
    told = {complaint.line: complaint.reason for complaint in checked.complaints}
    expected = {number: reason for number, (_, reason) in enumerate(BAD_LINES, 1) if reason}
    assert set(told) == set(expected)
    for number, reason in expected.items():
        assert reason in told[number]
        assert f"line {number}" in str(checked)
    assert json.loads(json.dumps(checked.to_json()))["complaints"][0]["line"] == 2


def test_a_good_set_is_ok_without_a_final_newline(tmp_path: Path) -> None:
    path = write_set(tmp_path / "set.jsonl", [json.dumps(make_row()).encode()])
    checked = problem_set.check_problem_set(path)
    assert checked.ok
    assert "1 problems with 4 tests can be judged, 0 rows are refused" in str(checked)


def test_a_set_with_one_bad_row_is_refused_whole(tmp_path: Path) -> None:
    path = write_set(tmp_path / "set.jsonl", [make_row(), make_row("bad", time_limit=-1)])
    with pytest.raises(
        problem_set.ProblemSetRefused, match=r"line 2 \(bad\): time_limit is -1.*scorer problems check"
    ):
        opened(path)


@pytest.mark.parametrize("content", [b"", None])
def test_a_set_without_problems_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "set.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert not problem_set.check_problem_set(path).ok
    with pytest.raises(problem_set.ProblemSetRefused, match=r"set\.jsonl"):
        opened(path)
