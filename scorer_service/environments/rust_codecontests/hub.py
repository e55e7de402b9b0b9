"""The published data set, from the Hugging Face hub to a problem set on disk.

`deepmind/code_contests`, CC BY 4.0 (Li et al. 2022, arXiv:2203.07814): parquet files by split, 165 rows in
`test`. Only the columns that are used are read, in small batches, so that the largest split needs no more
memory than its largest rows. What could not be tried without access to the hub: the download itself. The
conversion is tested on parquet files with the hub's schema, and a folder stands for the repository.
"""

import contextlib
import importlib
import json
import os
import re
import socket
import tempfile
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer_service.environments.interface import NotServing
from scorer_service.environments.rust_codecontests import report, row

REPOSITORY = "deepmind/code_contests"
_CONNECT_LIMIT_S = 5.0

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
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise NotServing(
            "reading the hub's data set needs the extra: pip install 'scorer-service[hub]'"
        ) from error
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


def _parquet_files(split: str, repository: str | Path) -> list[Path]:
    pattern = f"data/{split}-*.parquet"
    folder = Path(repository) if Path(repository).is_dir() else _download(str(repository), pattern)
    files = sorted(folder.glob(pattern))
    if not files:
        raise NotServing(f"{repository} has no file {pattern}")
    return files


def _download(repository: str, pattern: str) -> Path:
    try:
        import huggingface_hub
        from huggingface_hub import constants
    except ImportError as error:
        raise NotServing(
            f"profile paper fetches {repository}, which needs the extra: pip install 'scorer-service[hub]'"
        ) from error
    offline = bool(constants.HF_HUB_OFFLINE) or not _reachable(constants.ENDPOINT)
    try:
        folder = huggingface_hub.snapshot_download(
            repository, repo_type="dataset", allow_patterns=[pattern], local_files_only=offline
        )
    except (OSError, ValueError) as error:  # the hub's errors are of these families
        why = "the hub cannot be reached and it was not fetched before" if offline else str(error)
        raise NotServing(
            f"cannot fetch {repository} from the Hugging Face hub: {why}. Serve the profile once with access"
            " to the hub, or name a problem set of your own"
        ) from error
    if not any(Path(folder).glob(pattern)):
        raise NotServing(f"{repository}: {pattern} is not in the hub's cache, and the hub cannot be reached")
    return Path(folder)


def _reachable(endpoint: str) -> bool:
    """Whether the hub answers within seconds: its own client tries for much longer without a network."""
    address = urllib.parse.urlsplit(endpoint)
    if address.scheme in urllib.request.getproxies():
        return True
    answered = threading.Event()

    def connect() -> None:
        port = address.port or (443 if address.scheme == "https" else 80)
        with (
            contextlib.suppress(OSError),
            socket.create_connection((address.hostname or "", port), timeout=_CONNECT_LIMIT_S),
        ):
            answered.set()

    # A thread that is left behind: looking up a name has no limit of its own.
    prober = threading.Thread(target=connect, daemon=True)
    prober.start()
    prober.join(_CONNECT_LIMIT_S)
    return answered.is_set()
