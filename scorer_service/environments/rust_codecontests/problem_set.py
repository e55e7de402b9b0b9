"""A problem set on disk: an index in memory, rows read when they are judged."""

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from scorer_service.environments.rust_codecontests import problem, report, row

_INDEX_VERSION = 1
_SAMPLE_BYTES = 64 << 10


class ProblemSetRefused(Exception):
    """A problem set cannot be served; `report` says why."""

    def __init__(self, message: str, refused: report.Report) -> None:
        super().__init__(message)
        self.report = refused


class ProblemSetChanged(Exception):
    """The file was changed while it was served."""


@dataclass(frozen=True)
class _Place:
    offset: int
    length: int


def check_problem_set(path: Path) -> report.Report:
    """Read a whole set and tell everything that is wrong with it. Never raises for what the file holds."""
    return _scan(Path(path))[0]


class ProblemSet:
    """A set that can be served. Safe to share between threads."""

    def __init__(
        self, descriptor: int, path: Path, entries: Mapping[str, tuple[problem.Problem, _Place]]
    ) -> None:
        self._descriptor = descriptor
        self._path = path
        self._identity = _identity(descriptor)
        self._entries = entries

    @classmethod
    def open(cls, path: Path, index_dir: Path) -> Self:
        """Open a set. The index is kept in `index_dir` and made again when the file has changed.

        Raises ProblemSetRefused where any row is wrong: a set that shrank by itself would be another
        benchmark.
        """
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            refused = _unreadable(path, error)
            raise ProblemSetRefused(str(refused.complaints[0]), refused) from error
        try:
            identity = {"version": _INDEX_VERSION, **_identity(descriptor), **_samples(descriptor)}
            index_path = index_dir / f"{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]}.json"
            entries = _load_index(index_path, identity)
            if entries is None:
                checked, entries = _scan(path)
                if not checked.ok or not entries:
                    raise ProblemSetRefused(_refusal(checked), checked)
                _store_index(index_path, identity, entries)
            return cls(descriptor, path, entries)
        except BaseException:
            os.close(descriptor)
            raise

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def problems(self) -> Mapping[str, problem.Problem]:
        """By id, in the order of the file."""
        return _Problems(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, problem_id: str) -> problem.ProblemContent:
        """Statement and tests of a problem. Blocks. Raises KeyError, ProblemSetChanged."""
        place = self._entries[problem_id][1]
        if _identity(self._descriptor) != self._identity:
            raise ProblemSetChanged(f"{self._path} was changed while it was served; restart the server")
        line = _read_at(self._descriptor, place)
        return row.parse(row.decode(line))[1]


class _Problems(Mapping[str, problem.Problem]):
    def __init__(self, entries: Mapping[str, tuple[problem.Problem, _Place]]) -> None:
        self._entries = entries

    def __getitem__(self, key: str) -> problem.Problem:
        return self._entries[key][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _scan(path: Path) -> tuple[report.Report, dict[str, tuple[problem.Problem, _Place]]]:
    complaints: list[report.Complaint] = []
    warnings: list[report.Complaint] = []
    entries: dict[str, tuple[problem.Problem, _Place]] = {}
    lines: dict[str, int] = {}
    offset = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                place = _Place(offset, len(line))
                offset += len(line)
                try:
                    decoded = _decode_line(line)
                    found, _ = row.parse(decoded)
                except row.RowRefused as error:
                    complaints += [report.Complaint(number, error.problem_id, text) for text in error.reasons]
                    continue
                problem_id = found.problem_id
                if problem_id in lines:
                    reason = f"the problem_id {problem_id!r} is that of line {lines[problem_id]} as well"
                    complaints.append(report.Complaint(number, problem_id, reason))
                    continue
                lines[problem_id] = number
                entries[problem_id] = (found, place)
                warnings += [report.Complaint(number, problem_id, text) for text in row.warnings(decoded)]
    except OSError as error:
        return _unreadable(path, error), {}
    if not entries and not complaints:
        complaints.append(report.Complaint(0, "", f"{path} holds no problem"))
    test_count = sum(found.test_count for found, _ in entries.values())
    return report.Report(str(path), len(entries), test_count, complaints, warnings), entries


def _decode_line(line: bytes) -> dict[str, Any]:
    if not line.strip():
        raise row.RowRefused(["is blank"])
    try:
        return row.decode(line)
    except row.RowRefused as error:
        if line.endswith(b"\n"):
            raise
        raise row.RowRefused([f"the last line is cut off: {error.reasons[0]}"]) from error


def _unreadable(path: Path, error: OSError) -> report.Report:
    reason = f"cannot read the problem set {path}: {error.strerror}"
    return report.Report(str(path), 0, 0, [report.Complaint(0, "", reason)], [])


def _refusal(checked: report.Report) -> str:
    shown = "; ".join(str(complaint) for complaint in checked.complaints[:5])
    more = len(checked.complaints) - 5
    also = f"; and {more} more" if more > 0 else ""
    command = f"`scorer problems check {checked.path}` tells all"
    return f"problem set {checked.path} is refused: {shown}{also}. {command}"


def _identity(descriptor: int) -> dict[str, int]:
    status = os.fstat(descriptor)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _samples(descriptor: int) -> dict[str, str]:
    size = os.fstat(descriptor).st_size
    sample = hashlib.sha256(os.pread(descriptor, _SAMPLE_BYTES, 0))
    sample.update(os.pread(descriptor, _SAMPLE_BYTES, max(0, size - _SAMPLE_BYTES)))
    return {"sample_sha256": sample.hexdigest()}


def _read_at(descriptor: int, place: _Place) -> bytes:
    pieces, offset, left = [], place.offset, place.length
    while left:
        piece = os.pread(descriptor, min(left, 1 << 30), offset)
        if not piece:
            raise ProblemSetChanged("the problem set was cut while it was served; restart the server")
        pieces.append(piece)
        offset += len(piece)
        left -= len(piece)
    return b"".join(pieces)


def _load_index(path: Path, identity: Mapping[str, Any]) -> dict[str, tuple[problem.Problem, _Place]] | None:
    try:
        index = json.loads(path.read_bytes())
        if index["identity"] != dict(identity):
            return None
        entries = {}
        for item in index["problems"]:
            checker = problem.CheckerSpec(**item["problem"].pop("checker"))
            found = problem.Problem(checker=checker, **item["problem"])
            entries[found.problem_id] = (found, _Place(**item["place"]))
        return entries
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # no index, or one that was cut or made by another version: it is made again


def _store_index(
    path: Path, identity: Mapping[str, Any], entries: Mapping[str, tuple[problem.Problem, _Place]]
) -> None:
    index = {
        "identity": identity,
        "problems": [
            {"problem": dataclasses.asdict(found), "place": dataclasses.asdict(place)}
            for found, place in entries.values()
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        try:
            json.dump(index, file)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(file.name).unlink()
            raise
