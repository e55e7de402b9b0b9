"""Tables of stored tensors: nothing pickled, nothing outside of the bytes that are stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer_service.graph import ArchiveError, open_archive
from tests.graph.archive_editing import CONSTANTS, MODEL, WEIGHTS, edit_json, read_parts, write_parts
from tests.graph.conftest import judge

NAME = "blocks.0.queries.weight"


def meta(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], object]:
    """A change to what the table says of one tensor's form."""
    return lambda table: change(table["config"][NAME]["tensor_meta"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table["config"][NAME].update(use_pickle=True), "pickled"),
        (lambda table: table["config"][NAME].update(path_name="../../models/model.json"), "no entry"),
        (lambda table: table["config"][NAME].update(path_name="weight_99"), "no entry"),
        (lambda table: table["config"][NAME].update(tensor_meta=None), "not an object"),
        (meta(lambda form: form["sizes"][0].update(as_int=25)), "reaches past"),
        (meta(lambda form: form["strides"][0].update(as_int=1000)), "reaches past"),
        (meta(lambda form: form["storage_offset"].update(as_int=1)), "reaches past"),
        (meta(lambda form: form["strides"][0].update(as_int=-1)), "natural number"),
        (meta(lambda form: form["sizes"][0].update(as_int=1 << 62)), "elements"),
        (meta(lambda form: form["sizes"].append({"as_int": 1})), "3 sizes and 2 strides"),
        (meta(lambda form: form.update(sizes=[{"as_expr": {"expr_str": "s0"}}])), "natural number"),
        (meta(lambda form: form.update(dtype=9)), "type number 9"),
        (meta(lambda form: form.update(dtype=True)), "not an integer"),
        (meta(lambda form: form.update(layout=1)), "dense"),
        (lambda table: table["config"].pop(NAME), "no values"),
        (lambda table: table.clear(), "no 'config'"),
    ],
)
def test_a_tampered_table_is_refused(
    gpt_archive: Path, tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    path = edit_json(gpt_archive, tmp_path / "tampered.pt2", WEIGHTS, change)
    with pytest.raises(ArchiveError, match=message):
        judge(path)


@pytest.mark.parametrize("name", [MODEL, WEIGHTS, CONSTANTS, "archive_format", "byteorder"])
def test_a_missing_part_is_refused(gpt_archive: Path, tmp_path: Path, name: str) -> None:
    parts = read_parts(gpt_archive)
    del parts[name]
    with pytest.raises(ArchiveError, match=name):
        judge(write_parts(tmp_path / "missing.pt2", parts))


def test_numbers_of_the_other_byte_order_are_refused(gpt_archive: Path, tmp_path: Path) -> None:
    parts = read_parts(gpt_archive) | {"byteorder": b"big"}
    with pytest.raises(ArchiveError, match="byteorder"):
        judge(write_parts(tmp_path / "big.pt2", parts))


def test_tied_weights_are_one_entry(gpt_archive: Path) -> None:
    with open_archive(gpt_archive) as archive:
        assert archive.weights["tokens.weight"].entry == archive.weights["head.weight"].entry


def test_damaged_weights_are_found_when_they_are_read(gpt_archive: Path, tmp_path: Path) -> None:
    with open_archive(gpt_archive) as archive:
        tensor = archive.weights[NAME]
    data = bytearray(gpt_archive.read_bytes())
    data[tensor.entry.offset] ^= 1
    (tmp_path / "damaged.pt2").write_bytes(data)
    with open_archive(tmp_path / "damaged.pt2") as archive, pytest.raises(ArchiveError, match="damaged"):
        archive.read_storage(archive.weights[NAME])
