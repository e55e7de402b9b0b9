"""The hub's data set, from parquet files with its schema; a folder stands for the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

from scorer_service.environments.interface import NotServing
from scorer_service.environments.rust_codecontests import hub, problem_set

pyarrow = pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

TESTS = pyarrow.struct(
    [("input", pyarrow.list_(pyarrow.string())), ("output", pyarrow.list_(pyarrow.string()))]
)
SOLUTIONS = pyarrow.struct(
    [("language", pyarrow.list_(pyarrow.int64())), ("solution", pyarrow.list_(pyarrow.string()))]
)
SCHEMA = pyarrow.schema(
    [
        ("name", pyarrow.string()),
        ("description", pyarrow.string()),
        ("public_tests", TESTS),
        ("private_tests", TESTS),
        ("generated_tests", TESTS),
        ("source", pyarrow.int64()),
        ("difficulty", pyarrow.int64()),
        ("solutions", SOLUTIONS),
        ("incorrect_solutions", SOLUTIONS),
        ("cf_contest_id", pyarrow.int64()),
        ("cf_index", pyarrow.string()),
        ("cf_points", pyarrow.float32()),
        ("cf_rating", pyarrow.int32()),
        ("cf_tags", pyarrow.list_(pyarrow.string())),
        ("is_description_translated", pyarrow.bool_()),
        ("untranslated_description", pyarrow.string()),
        ("time_limit", pyarrow.struct([("seconds", pyarrow.int64()), ("nanos", pyarrow.int64())])),
        ("memory_limit_bytes", pyarrow.int64()),
        ("input_file", pyarrow.string()),
        ("output_file", pyarrow.string()),
    ]
)


def record(name: str, **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": name,
        "description": "Print the sum.",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": [], "output": []},
        "generated_tests": {"input": ["2 2\n"], "output": ["4\n"]},
        "source": 2,
        "difficulty": 7,
        "solutions": {"language": [3], "solution": ["print(sum(map(int, input().split())))"]},
        "cf_rating": 800,
        "cf_tags": ["math"],
        "time_limit": {"seconds": 1, "nanos": 500_000_000},
        "memory_limit_bytes": 256_000_000,
        "input_file": "",
        "output_file": "",
    }
    return row | changes


def write_repository(folder: Path, *files: list[dict[str, Any]], split: str = "test") -> Path:
    (folder / "data").mkdir(parents=True)
    for number, rows in enumerate(files):
        table = pyarrow.Table.from_pylist(rows, schema=SCHEMA)
        path = folder / "data" / f"{split}-{number:05d}-of-{len(files):05d}-0123456789abcdef.parquet"
        parquet.write_table(table, path, row_group_size=2)
    return folder


def test_a_split_becomes_a_problem_set(tmp_path: Path) -> None:
    first = [record(f"1575_{letter}. Sorting!") for letter in "ABCDE"]
    second = [record("p00001 Peaks", time_limit=None, memory_limit_bytes=0, source=6, difficulty=0)]
    repository = write_repository(tmp_path / "hub", first, second)
    path = hub.fetch("test", tmp_path / "cache", repository)
    problems = problem_set.ProblemSet.open(path, tmp_path / "index")
    assert list(problems.problems) == [*(f"1575_{letter}_sorting" for letter in "abcde"), "p00001_peaks"]
    assert problems.problems["1575_a_sorting"].time_limit_s == 1.5
    assert problems.problems["1575_a_sorting"].memory_limit_bytes == 256_000_000
    assert problems.problems["p00001_peaks"].time_limit_s == 2.0
    content = problems.read("1575_a_sorting")
    assert content.facts == {
        "cf_rating": 800,
        "cf_tags": ["math"],
        "difficulty": "A",
        "source": "CODEFORCES",
    }
    assert problems.read("p00001_peaks").facts["source"] == "AIZU"
    assert "solutions" not in json.loads(path.read_text().splitlines()[0])


def test_rows_that_cannot_be_judged_are_left_out_and_told(tmp_path: Path) -> None:
    rows = [
        record("good"),
        record("no hidden", generated_tests={"input": [], "output": []}),
        record("files", input_file="in/put.txt"),
        record("lists", private_tests={"input": ["1"], "output": []}),
        record("named file", input_file="input.txt"),
    ]
    path = hub.fetch("test", tmp_path / "cache", write_repository(tmp_path / "hub", rows))
    assert list(problem_set.ProblemSet.open(path, tmp_path / "index").problems) == ["good", "named_file"]
    told = json.loads(path.with_suffix(".report.json").read_text())
    assert [(complaint["line"], complaint["problem_id"]) for complaint in told["complaints"]] == [
        (2, "no_hidden"),
        (3, "files"),
        (4, "lists"),
    ]


def test_equal_names_get_ids_of_their_own(tmp_path: Path) -> None:
    rows = [record("Sum"), record("sum!"), record("???")]
    path = hub.fetch("test", tmp_path / "cache", write_repository(tmp_path / "hub", rows))
    assert list(problem_set.ProblemSet.open(path, tmp_path / "index").problems) == ["sum", "sum_2", "problem"]


def test_a_set_is_converted_once(tmp_path: Path) -> None:
    path = hub.fetch("test", tmp_path / "cache", write_repository(tmp_path / "hub", [record("a")]))
    converted = path.stat()
    assert hub.fetch("test", tmp_path / "cache", tmp_path / "no-repository") == path
    assert path.stat().st_mtime_ns == converted.st_mtime_ns


def test_a_conversion_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    repository = write_repository(tmp_path / "hub", [record("a")], [record("b")])
    damaged = sorted((repository / "data").iterdir())[1]
    damaged.write_bytes(b"PAR1 no more")
    with pytest.raises(NotServing, match="cannot read"):
        hub.fetch("test", tmp_path / "cache", repository)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_split_of_which_no_row_can_be_judged_is_not_served(tmp_path: Path) -> None:
    rows = [record("a", generated_tests={"input": [], "output": []})]
    with pytest.raises(NotServing, match="none of the 1 rows"):
        hub.fetch("test", tmp_path / "cache", write_repository(tmp_path / "hub", rows))


def test_an_absent_split_is_named(tmp_path: Path) -> None:
    repository = write_repository(tmp_path / "hub", [record("a")], split="valid")
    with pytest.raises(NotServing, match=r"data/test-\*\.parquet"):
        hub.fetch("test", tmp_path / "cache", repository)


@pytest.mark.parametrize("offline", [True, False])
def test_without_the_hub_the_profile_is_not_served_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotServing, match=r"hub.*deepmind/code_contests.*problem_set"):
        hub.fetch("test", tmp_path / "cache")
