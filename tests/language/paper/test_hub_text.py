"""Documents of parquet files in their order, from any place on."""

from pathlib import Path

import pytest
import tiny_hub

from scorer_service.hub.repository import FolderRepository
from scorer_service.language.paper.hub_text import Place, batches

pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")


def read(folder: Path, start: Place, batch_rows: int) -> list[tuple[list[str], Place]]:
    repository = FolderRepository(folder)
    found = batches(
        repository, repository.parquet_files(), lambda *_: None, start=start, batch_rows=batch_rows
    )
    return [(batch.documents, batch.after) for batch in found]


@pytest.mark.parametrize("later_rows", [1, 4, 7, 100])
def test_reading_goes_on_at_any_place_whatever_the_batches_are(later_rows: int, tmp_path: Path) -> None:
    texts = [f"document {number}" for number in range(60)]
    folder = tiny_hub.write_text(tmp_path, [*texts[:23], None, ""], texts[23:24], texts[24:])
    done: list[str] = []
    for documents, place in read(folder, Place(), batch_rows=7):
        done += documents
        rest = [text for later, _ in read(folder, place, later_rows) for text in later]
        assert done + rest == texts
    assert done == texts
