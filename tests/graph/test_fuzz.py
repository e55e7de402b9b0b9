"""Whatever is done to an archive, reading it ends in an accepted graph or in one of two typed errors."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer_service.graph import ArchiveError, GraphRefused
from tests.graph.archive_editing import CONSTANTS, MODEL, WEIGHTS, read_parts, write_parts
from tests.graph.conftest import HERE, judge

BOUNDED = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
ARCHIVE = HERE / "archives" / "gpt.pt2"
CONTENT = ARCHIVE.read_bytes()
PARTS = read_parts(ARCHIVE)

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-3, 30), max_size=4),
    st.just({}),
    st.just({"as_int": 1 << 40}),
    st.just({"as_none": True}),
)


def outcome(path: Path) -> str:
    """Judge a file, and let every other exception through."""
    try:
        judge(path)
    except (ArchiveError, GraphRefused) as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


@BOUNDED
@given(
    edits=st.lists(st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(0, 255)), min_size=1, max_size=4)
)
def test_changed_bytes(tmp_path: Path, edits: list[tuple[int, int]]) -> None:
    data = bytearray(CONTENT)
    for position, byte in edits:
        data[position] = byte
    (tmp_path / "changed.pt2").write_bytes(data)
    outcome(tmp_path / "changed.pt2")


@BOUNDED
@given(edits=st.lists(st.tuples(st.integers(1, 3500), st.integers(0, 255)), min_size=1, max_size=3))
def test_changed_bytes_of_the_directory(tmp_path: Path, edits: list[tuple[int, int]]) -> None:
    data = bytearray(CONTENT)
    for from_end, byte in edits:
        data[-from_end] = byte
    (tmp_path / "changed.pt2").write_bytes(data)
    outcome(tmp_path / "changed.pt2")


@BOUNDED
@given(start=st.integers(0, len(CONTENT)), length=st.integers(0, 5000))
def test_cut_out_bytes(tmp_path: Path, start: int, length: int) -> None:
    (tmp_path / "cut.pt2").write_bytes(CONTENT[:start] + CONTENT[start + length :])
    outcome(tmp_path / "cut.pt2")


@pytest.mark.parametrize("name", [MODEL, WEIGHTS, CONSTANTS])
@BOUNDED
@given(data=st.data())
def test_changed_documents(tmp_path: Path, name: str, data: st.DataObject) -> None:
    document = json.loads(PARTS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        change_somewhere(document, data)
    text = json.dumps(document).encode()
    outcome(write_parts(tmp_path / "changed.pt2", PARTS | {name: text}))


def change_somewhere(document: Any, data: st.DataObject) -> None:
    """Walk down from the top and change or remove what is there."""
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and data.draw(st.integers(0, 9)):
            place = place[key]
            continue
        if data.draw(st.booleans()):
            # A copy: a later change of what `just` gives would be in every example after it.
            place[key] = copy.deepcopy(data.draw(values))
        else:
            del place[key]
        return


@BOUNDED
@given(content=st.binary(max_size=300))
def test_arbitrary_bytes(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "arbitrary.pt2").write_bytes(content)
    assert outcome(tmp_path / "arbitrary.pt2").startswith("ArchiveError: ")
