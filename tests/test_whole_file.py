"""Files that are there whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from scorer_service.whole_file import whole_file


def write_half(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"new")
        raise ZeroDivisionError


def test_what_was_there_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_one_that_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_secret_is_its_owners_from_the_first_byte_on_whatever_a_killed_writer_left(tmp_path: Path) -> None:
    left = tmp_path / "file.partial"
    left.write_bytes(b"half")
    left.chmod(0o666)
    with whole_file(tmp_path / "file", mode=0o600) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        file.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
