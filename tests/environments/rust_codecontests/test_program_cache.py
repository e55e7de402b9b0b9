"""Compiled programs on disk: whole or not at all, and bounded."""

import json
import os
import stat
from pathlib import Path

import pytest

from scorer_service.environments.rust_codecontests.program_cache import CachedResult, ProgramCache


def put(cache: ProgramCache, key: str, program: bytes | None = b"#!", messages: str = "") -> CachedResult:
    return cache.put(key, program, messages, compile_cpu_s=0.5, compile_wall_s=1.0)


def test_a_program_is_found_again_also_by_another_server(tmp_path: Path) -> None:
    stored = put(ProgramCache(tmp_path), "a", b"binary")
    found = ProgramCache(tmp_path).get("a")
    assert found == stored
    assert found.program is not None
    assert found.program.read_bytes() == b"binary"
    assert found.program.stat().st_mode & stat.S_IXUSR
    assert (found.compile_cpu_s, found.compile_wall_s) == (0.5, 1.0)


def test_a_compile_error_is_kept_with_its_messages(tmp_path: Path) -> None:
    put(ProgramCache(tmp_path), "a", None, "error: no")
    found = ProgramCache(tmp_path).get("a")
    assert found is not None
    assert (found.program, found.messages) == (None, "error: no")


def test_an_unknown_key_is_none(tmp_path: Path) -> None:
    assert ProgramCache(tmp_path).get("a") is None


def damage_program(folder: Path) -> None:
    (folder / "program").write_bytes(b"binarx")


def cut_record(folder: Path) -> None:
    (folder / "record.json").write_text('{"program_sha')


def lose_program(folder: Path) -> None:
    (folder / "program").unlink()


def strip_record(folder: Path) -> None:
    record = json.loads((folder / "record.json").read_text())
    del record["messages"]
    (folder / "record.json").write_text(json.dumps(record))


def link_program(folder: Path) -> None:
    (folder / "program").rename(folder / "elsewhere")
    (folder / "program").symlink_to(folder / "elsewhere")


@pytest.mark.parametrize("damage", [damage_program, cut_record, lose_program, strip_record, link_program])
def test_a_damaged_entry_is_dropped_and_can_be_made_again(tmp_path: Path, damage: object) -> None:
    cache = ProgramCache(tmp_path)
    put(cache, "a", b"binary")
    assert callable(damage)
    damage(tmp_path / "a")
    assert cache.get("a") is None
    put(cache, "a", b"binary")
    assert cache.get("a") is not None


def test_storing_twice_keeps_one_entry_and_no_rest(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path)
    put(cache, "a", b"first")
    assert put(cache, "a", b"first").program == tmp_path / "a" / "program"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_entries_that_were_not_used_for_longest_are_dropped(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path, size_limit_bytes=4000)
    for age, key in enumerate("abc"):
        put(cache, key, bytes(1000))
        os.utime(tmp_path / key, (1000 + age, 1000 + age))
    assert cache.get("a") is not None  # used now
    put(cache, "d", bytes(1000))
    kept = {path.name for path in tmp_path.iterdir()}
    assert "b" not in kept
    assert {"a", "d"} <= kept


def test_a_program_that_is_used_is_not_dropped(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path, size_limit_bytes=3500)
    put(cache, "a", bytes(1000))
    os.utime(tmp_path / "a", (1000, 1000))
    with cache.pinned("a"):
        for key in "bcd":
            put(cache, key, bytes(1000))
        assert (tmp_path / "a").exists()
        assert not (tmp_path / "b").exists()
    for key in "ef":
        put(cache, key, bytes(1000))
    assert not (tmp_path / "a").exists()


def test_what_an_interrupted_server_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    for name in (".unfinished-old", ".unfinished-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".unfinished-old", (1000, 1000))
    ProgramCache(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".unfinished-new"]


def test_a_disk_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path / "cache")
    (tmp_path / "cache").rmdir()
    with pytest.raises(OSError, match="cache"):
        put(cache, "a")
