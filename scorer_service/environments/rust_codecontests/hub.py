"""The published data set, from the Hugging Face hub to a problem set on disk.

`deepmind/code_contests`, CC BY 4.0 (Li et al. 2022, arXiv:2203.07814): parquet files by split, 165 rows in
`test`. Only the columns that are used are read, in small batches, so that the largest split needs no more
memory than its largest rows. What could not be tried without access to the hub: the download itself. The
conversion is tested on parquet files with the hub's schema, and a folder stands for the repository.
"""

import contextlib
import fnmatch
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer_service.environments.interface import NotServing
from scorer_service.environments.rust_codecontests import report, row
from scorer_service.hub.extra import HubFailed, library
from scorer_service.hub.repository import open_repository

REPOSITORY = "deepmind/code_contests"

# The features `source` and `difficulty` are stored as numbers; these are their names, in order.
_SOURCES = ("UNKNOWN_SOURCE", "CODECHEF", "CODEFORCES", "HACKEREARTH", "CODEJAM", "ATCODER", "AIZU")
_DIFFICULTIES = (
    *("UNKNOWN_DIFFICULTY", "EASY", "MEDIUM", "HARD", "HARDER", "HARDEST", "EXTERNAL"),
    *"ABCDEFGHIJKLMNOPQRSTUV",
)
_COPIED = (
    *("name", "description", "public_tests", "private_tests", "generated_tests", "time_limit"),
    *("memory_limit_bytes", "input_file", "output_file", "cf_rating", "cf_tags"),
)
_COLUMNS = (*_COPIED, "source", "difficulty")
_BATCH_ROWS = 8


def fetch(split: str, folder: Path, repository: str | Path = REPOSITORY) -> Path:
    """The problem set of a split, downloaded and converted once. Blocks. Raises NotServing.

    `repository` is a name on the hub, or a folder that is laid out like one. A report beside the set tells
    which rows were left out, and why.
    """
    converted = folder / f"{split}.jsonl"
    if not converted.is_file():
        convert(_parquet_files(split, repository), converted)
    return converted


def convert(parquet_files: Iterable[Path], destination: Path) -> report.Report:
    """Write the rows that can be judged to `destination`, whole or not at all. Raises NotServing.

    The report is written beside it, with the suffix `.report.json`.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    complaints: list[report.Complaint] = []
    warnings: list[report.Complaint] = []
    problem_count = test_count = 0
    with tempfile.NamedTemporaryFile("wb", dir=destination.parent, delete=False) as file:
        try:
            for number, content in enumerate(_rows(parquet_files), 1):
                problem_id = content["problem_id"]
                line = _line(content)
                try:
                    found, _ = row.parse(content)
                except row.RowRefused as error:
                    complaints += [report.Complaint(number, problem_id, reason) for reason in error.reasons]
                    continue
                warnings += [report.Complaint(number, problem_id, text) for text in row.warnings(content)]
                file.write(line)
                problem_count += 1
                test_count += found.test_count
            if not problem_count:
                raise NotServing(f"{destination.stem}: none of the {len(complaints)} rows can be judged")
            file.flush()
            os.fsync(file.fileno())
            made = report.Report(str(destination), problem_count, test_count, complaints, warnings)
            report_path = destination.with_suffix(".report.json")
            report_path.write_text(json.dumps(made.to_json(), indent=1))
            Path(file.name).replace(destination)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(file.name).unlink()
            raise
    return made


def _line(content: Mapping[str, Any]) -> bytes:
    # Escaped, so that half a surrogate pair is found by the check of the row and not here.
    return (json.dumps(content) + "\n").encode()


def _rows(parquet_files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    try:
        parquet = library("pyarrow.parquet")
    except HubFailed as error:
        raise NotServing(str(error)) from error
    taken: set[str] = set()
    for path in parquet_files:
        try:
            with parquet.ParquetFile(path) as file:
                known = [name for name in _COLUMNS if name in file.schema_arrow.names]
                for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=known):
                    for record in batch.to_pylist():
                        yield _from_record(record, taken)
        except (OSError, ValueError) as error:  # pyarrow's errors are of these families
            raise NotServing(f"cannot read {path}: {error}; delete it to have it fetched again") from error


def _from_record(record: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    content = {key: record.get(key) for key in _COPIED}
    content["problem_id"] = _problem_id(record.get("name"), taken)
    content["source"] = _enum_name(_SOURCES, record.get("source"))
    content["difficulty"] = _enum_name(_DIFFICULTIES, record.get("difficulty"))
    return content


def _problem_id(name: Any, taken: set[str]) -> str:
    """As in "1575_a_another_sorting_problem"; names are not unique over the sources."""
    plain = re.sub(r"[^a-z0-9]+", "_", str(name or "").lower()).strip("_")[:100] or "problem"
    problem_id, number = plain, 1
    while problem_id in taken:
        number += 1
        problem_id = f"{plain}_{number}"
    taken.add(problem_id)
    return problem_id


def _enum_name(names: tuple[str, ...], value: Any) -> Any:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names)
    return names[value] if known else value


def _parquet_files(split: str, repository: str | Path) -> Iterator[Path]:
    """Each is fetched when it is reached. Raises NotServing."""
    pattern = f"data/{split}-*.parquet"
    try:
        opened = open_repository(repository, "dataset")
        paths = [file.path for file in opened.files if fnmatch.fnmatch(file.path, pattern)]
        if not paths:
            raise NotServing(f"{repository} has no file {pattern}")
        for path in paths:
            yield opened.fetch(path, _unheard)
    except HubFailed as error:
        raise NotServing(f"{error}. Or name a problem set of your own (problem_set)") from error


def _unheard(counted: str, done: int, total: int) -> None:
    """The start of a server shows no progress of downloads."""
