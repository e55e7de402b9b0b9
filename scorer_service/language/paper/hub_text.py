"""Documents of a data set on the hub: the column `text` of its parquet files, in batches, from any place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.hub.download import Report
from scorer_service.hub.extra import library
from scorer_service.hub.repository import HubFile, Repository
from scorer_service.language.paper.preparation import PreparationFailed

COLUMN = "text"


@dataclass(frozen=True)
class Place:
    """How far the files have been read."""

    file: int = 0
    """Number of files that were read to their end."""
    rows: int = 0
    """Rows of the next one that were read."""


@dataclass(frozen=True)
class Batch:
    """Documents that follow each other."""

    documents: list[str]
    after: Place
    """Where the next batch begins."""


def batches(
    repository: Repository,
    files: Sequence[HubFile],
    report: Report,
    *,
    start: Place,
    batch_rows: int,
) -> Iterator[Batch]:
    """The documents from `start` on. A file is fetched when it is reached.

    Raises:
        PreparationFailed: a file cannot be fetched or read, or has no column of texts.
    """
    rows_before = start.rows
    for index in range(start.file, len(files)):
        path = repository.fetch(files[index].path, report)
        for documents, rows in _read(path, rows_before, batch_rows):
            yield Batch(documents, Place(index, rows))
        yield Batch([], Place(index + 1))
        rows_before = 0


def _read(path: Path, rows_before: int, batch_rows: int) -> Iterator[tuple[list[str], int]]:
    """Documents after so many rows, and the number of rows read with them."""
    parquet, pyarrow = library("pyarrow.parquet"), library("pyarrow")
    # pyarrow's own errors are of the last two families.
    unreadable: tuple[type[Exception], ...] = (pyarrow.ArrowException, OSError, ValueError)
    rows = 0
    try:
        with parquet.ParquetFile(path) as file:
            _check_column(file.schema_arrow, path, pyarrow)
            for batch in file.iter_batches(batch_size=batch_rows, columns=[COLUMN]):
                skipped = min(max(rows_before - rows, 0), batch.num_rows)
                rows += batch.num_rows
                if skipped < batch.num_rows:
                    texts = batch.column(0).slice(skipped).to_pylist()
                    yield [text for text in texts if text], rows
    except unreadable as error:
        raise PreparationFailed(f"cannot read {path}: {error}; delete it to have it fetched again") from error


def _check_column(schema: Any, path: Path, pyarrow: Any) -> None:
    if COLUMN not in schema.names:
        raise PreparationFailed(
            f"{path} has no column {COLUMN!r} but {', '.join(schema.names)}: it is not the text that was"
            " expected; see what the hub has there now"
        )
    kind = schema.field(COLUMN).type
    if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
        raise PreparationFailed(
            f"{path}: column {COLUMN!r} has {kind}, not text; see what the hub has there now"
        )
