"""Starters are written whole, inside the folder, or not at all."""

import stat
from pathlib import Path
from typing import Any

import pytest
from scorer.v1.environment_pb2 import GetStarterResponse
from scorer_client import NotFound, UnsafeStarter

from tests.client.conftest import Colour
from tests.client.scripted_server import ScriptedServer

GOOD = [
    GetStarterResponse(path="README.md", chunk=b"read ", last_chunk=False),
    GetStarterResponse(path="README.md", chunk=b"me", last_chunk=True),
    GetStarterResponse(path="solutions/a.rs", chunk=b"fn main() {}", last_chunk=True),
    GetStarterResponse(path="run.sh", chunk=b"#!/bin/sh\n", last_chunk=True, executable=True),
    GetStarterResponse(path="empty", last_chunk=True),
]


def files_under(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fetch(colour: Colour, server: ScriptedServer, folder: Path, **options: Any) -> Any:
    return colour.call(server, "starter", "rust_codecontests", folder, **options)


def test_files_are_written_whole(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    server.starter = GOOD
    folder = tmp_path / "new" / "starter"
    paths = fetch(colour, server, folder)
    assert files_under(tmp_path) == {
        "new/starter/README.md": b"read me",
        "new/starter/empty": b"",
        "new/starter/run.sh": b"#!/bin/sh\n",
        "new/starter/solutions/a.rs": b"fn main() {}",
    }
    assert [path.relative_to(folder).as_posix() for path in paths] == [
        "README.md",
        "empty",
        "run.sh",
        "solutions/a.rs",
    ]
    assert (folder / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not (folder / "README.md").stat().st_mode & stat.S_IXUSR
    assert folder.stat().st_mode & 0o777 == (tmp_path / "new").stat().st_mode & 0o777


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../outside",
        "a/../../outside",
        "a//b",
        "./a",
        "a/.",
        "a/",
        "..",
        "a\\..\\b",
        "C:x",
        "nul\0",
    ],
)
def test_paths_that_could_leave_the_folder_are_refused(
    server: ScriptedServer, colour: Colour, tmp_path: Path, path: str
) -> None:
    server.starter = [*GOOD, GetStarterResponse(path=path, chunk=b"evil", last_chunk=True)]
    with pytest.raises(UnsafeStarter, match="not plainly relative"):
        fetch(colour, server, tmp_path / "inner" / "starter")
    assert files_under(tmp_path) == {}


@pytest.mark.parametrize(
    "pieces",
    [
        [GetStarterResponse(path="a", chunk=b"1", last_chunk=False)],
        [
            GetStarterResponse(path="a", chunk=b"1", last_chunk=False),
            GetStarterResponse(path="b", chunk=b"2", last_chunk=True),
        ],
        [GetStarterResponse(path="a", last_chunk=True), GetStarterResponse(path="a", last_chunk=True)],
        [GetStarterResponse(path="a", last_chunk=True), GetStarterResponse(path="a/b", last_chunk=True)],
        [GetStarterResponse(path="a/b", last_chunk=True), GetStarterResponse(path="a", last_chunk=True)],
    ],
    ids=["unfinished", "interleaved", "twice", "file then folder", "folder then file"],
)
def test_a_starter_that_contradicts_itself_is_refused(
    server: ScriptedServer, colour: Colour, tmp_path: Path, pieces: list[GetStarterResponse]
) -> None:
    server.starter = pieces
    with pytest.raises(UnsafeStarter):
        fetch(colour, server, tmp_path / "starter")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_files_is_left_alone(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    server.starter = GOOD
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match="not empty"):
        fetch(colour, server, tmp_path)
    assert files_under(tmp_path) == {"README.md": b"mine"}
    with pytest.raises(FileExistsError, match="is a file"):
        fetch(colour, server, tmp_path / "README.md")


def test_overwriting_leaves_other_files(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    server.starter = GOOD
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "notes").write_text("mine")
    fetch(colour, server, tmp_path, overwrite=True)
    assert files_under(tmp_path)["README.md"] == b"read me"
    assert files_under(tmp_path)["notes"] == b"mine"
    assert len(files_under(tmp_path)) == 5


def test_nothing_is_written_through_a_symlink(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    server.starter = GOOD
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "target").write_text("mine")
    folder = tmp_path / "starter"
    folder.mkdir()
    (folder / "README.md").symlink_to(outside / "target")
    fetch(colour, server, folder, overwrite=True)
    assert (folder / "README.md").read_bytes() == b"read me"
    assert not (folder / "README.md").is_symlink()
    (folder / "solutions" / "a.rs").unlink()
    (folder / "solutions").rmdir()
    (folder / "solutions").symlink_to(outside)
    (folder / "README.md").write_text("changed")
    with pytest.raises(UnsafeStarter, match="symlink"):
        fetch(colour, server, folder, overwrite=True)
    assert files_under(outside) == {"target": b"mine"}
    assert (folder / "README.md").read_text() == "changed", "all or nothing"


def test_a_broken_stream_begins_anew(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    server.starter = GOOD
    server.break_starter_after.extend([1, 3])
    fetch(colour, server, tmp_path / "starter")
    assert files_under(tmp_path)["starter/README.md"] == b"read me"
    assert [path.name for path in tmp_path.iterdir()] == ["starter"]


def test_the_empty_current_folder_stays_the_same_folder(
    server: ScriptedServer, colour: Colour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.starter = GOOD
    monkeypatch.chdir(tmp_path)
    inode = tmp_path.stat().st_ino
    fetch(colour, server, Path())
    assert tmp_path.stat().st_ino == inode
    assert len(files_under(tmp_path)) == 4


def test_an_unknown_environment_is_not_found(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as raised:
        colour.call(server, "starter", "chess", tmp_path / "starter")
    assert raised.value.reason == "ENVIRONMENT_NOT_FOUND"
    assert list(tmp_path.iterdir()) == []
