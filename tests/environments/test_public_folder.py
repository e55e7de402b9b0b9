"""The folder of what agents may see: filled, mended, and kept out of memory where it is large."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer_service.environments import public_folder, public_listing

LIMIT_BYTES = 1000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return public_folder.folder(tmp_path / "cache")


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file above the limit, in a folder of somebody else's."""
    monkeypatch.setattr(public_folder, "STARTER_FILE_LIMIT_BYTES", LIMIT_BYTES)
    path = tmp_path / "data" / "training.u16"
    path.parent.mkdir()
    path.write_bytes(os.urandom(LIMIT_BYTES + 1))
    path.chmod(0o600)
    return path


def in_pieces() -> Iterator[bytes]:
    yield b"one "
    yield b"two"


def test_it_can_be_read_by_whoever_a_sandbox_runs_as(folder: Path, large: Path) -> None:
    old = os.umask(0o077)
    try:
        public_folder.fill(folder, {"a": b"bytes", "b": in_pieces, "c": large})
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o644}


def test_a_second_time_leaves_files_alone_and_mends_what_differs(folder: Path, large: Path) -> None:
    contents: dict[str, public_folder.Content] = {
        "bytes": b"bytes",
        "cut off": b"bytes",
        "pieces": in_pieces,
        "longer": in_pieces,
        "linked": large,
        "replaced": large,
    }
    public_folder.fill(folder, contents)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    (folder / "cut off").write_bytes(b"byte")
    (folder / "longer").write_bytes(b"one two three")
    (folder / "replaced").unlink()
    (folder / "replaced").write_bytes(b"of an older version")
    (folder / "left over").write_bytes(b"of an older version")
    public_folder.fill(folder, contents)
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert set(after) == set(contents)
    assert {name for name in ("bytes", "pieces", "linked") if after[name] != before[name]} == set()
    assert (folder / "cut off").read_bytes() == b"bytes"
    assert (folder / "longer").read_bytes() == b"one two"
    assert (folder / "replaced").read_bytes() == large.read_bytes()


def test_a_large_file_is_linked_and_stays_out_of_a_starter(folder: Path, large: Path) -> None:
    public_folder.fill(folder, {"training.u16": large, "validation.u16": b"ab"})
    assert (folder / "training.u16").samefile(large)
    assert [file.path for file in public_folder.starter_files(folder)] == ["data/validation.u16"]
    told = public_listing.left_out(folder, "/data/task")
    assert "`training.u16`" in told
    assert "`/data/task`" in told
    assert "validation" not in told


def test_a_large_file_of_another_file_system_is_copied(
    folder: Path, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    public_folder.fill(folder, {"training.u16": large})
    copied = folder / "training.u16"
    before = copied.stat().st_ino
    assert not copied.samefile(large)
    assert copied.read_bytes() == large.read_bytes()
    public_folder.fill(folder, {"training.u16": large})
    assert copied.stat().st_ino == before


def test_a_link_that_a_killed_server_left_is_never_written_through(folder: Path, large: Path) -> None:
    content = large.read_bytes()
    (folder / ".training.u16.new").hardlink_to(large)
    public_folder.fill(folder, {"training.u16": b"small now"})
    assert large.read_bytes() == content
    assert [path.name for path in folder.iterdir()] == ["training.u16"]


def test_what_fails_leaves_what_was_there(folder: Path) -> None:
    def failing() -> Iterator[bytes]:
        yield b"new"
        raise ValueError("as it is")

    public_folder.fill(folder, {"a": b"old"})
    with pytest.raises(ValueError, match="as it is"):
        public_folder.fill(folder, {"a": failing})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a": b"old"}


def test_texts_are_listed_as_they_are(folder: Path) -> None:
    public_folder.fill(folder, {"training.u16": b"", "validation.u16": b""})
    assert "documents begin with token 50256" in public_listing.text_rows(folder, 50256)
    assert ".txt" not in public_listing.text_rows(folder, 50256)
    assert public_listing.left_out(folder, "/data/task") == ""
    public_folder.fill(folder, {"training.u16": b"", "training.txt": b""})
    assert "`data/training.txt`" in public_listing.text_rows(folder, 0)
