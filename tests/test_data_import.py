"""`scorer data import --hidden FILE`: what an operator sees of it, and what a server judges on then."""

import errno
import shutil
from array import array
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import pytest
import tiny_hub

from scorer_service import state_dir
from scorer_service.language import corpus, hidden_import, materials, own_hidden_text
from scorer_service.main import EXIT_FAILURE, main
from scorer_service.whole_file import whole_file

DOCUMENTS = 2000


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Long enough, of numbers for a good part, and unknown to everybody."""
    path = tmp_path / "own.txt"
    path.write_text("\f".join(tiny_hub.documents(DOCUMENTS)), encoding="utf-8")
    return path


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def imported(state: Path) -> "array[int] | None":
    """The tokens that a server would judge on, where they are an operator's own."""
    found = materials.load("embedded", state / "data").hidden_causal
    shipped = corpus.load_manifest().splits["hidden"].file
    return None if found.path == shipped else corpus.from_bytes(found.path.read_bytes())


def run(text: Path, state: Path) -> int:
    return main(["data", "import", "--hidden", str(text), "--state-dir", str(state)])


def test_a_text_is_judged_on_from_then_on(
    text: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(text, state) == 0

    tokens = imported(state)
    assert tokens is not None
    manifest = corpus.load_manifest()
    documents = corpus.documents(tokens, manifest.boundary_token, corpus.load_tokenizer())
    assert documents == tiny_hub.documents(DOCUMENTS)
    shown = capsys.readouterr()
    assert f"{len(tokens):,} tokens" in shown.out
    assert f"in {DOCUMENTS:,} documents" in shown.out
    assert "0.00% of it in training, 0.00% of it in validation" in shown.out
    for environment in ("restricted_mlm", "fix_embedding"):
        assert f"scorer calibrate {environment} --state-dir {state}" in shown.out
    assert "started again" in shown.out
    assert "agents have been given" not in shown.err
    assert "the tokenizer was not made for such a text" in shown.err
    for folder in (state, state / "data", state / "data" / "hidden"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_passages_that_agents_have_are_warned_of(
    text: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = corpus.load_documents("training")[0]
    with text.open("a", encoding="utf-8") as file:
        file.write(f"\f{known}")

    assert run(text, state) == 0

    shown = capsys.readouterr()
    assert "warning: agents have been given some of this text" in shown.err
    assert " ".join(known.split())[:20] in shown.err


def refused(kind: str, text: Path) -> Path:
    path = text.with_name("refused.txt")
    if kind == "too short":
        path.write_text("Fellow citizens. " * 1000)
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "not UTF-8":
        path.write_bytes(text.read_bytes() + b"\xff")
    elif kind == "too large":
        with path.open("wb") as file:
            file.truncate(hidden_import.SIZE_LIMIT_BYTES + 1)
    elif kind == "a folder":
        path.mkdir()
    return path


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("too short", "268800 are needed"),
        ("empty", "268800 are needed"),
        ("not UTF-8", "is not UTF-8: byte 0xff"),
        ("too large", "take a part of it"),
        ("missing", "No such file or directory"),
        ("a folder", "Is a directory"),
    ],
)
def test_what_cannot_be_judged_on_is_refused_and_changes_nothing(
    text: Path, state: Path, capsys: pytest.CaptureFixture[str], kind: str, words: str
) -> None:
    assert run(text, state) == 0
    before = imported(state)
    capsys.readouterr()

    assert run(refused(kind, text), state) == EXIT_FAILURE

    shown = capsys.readouterr()
    assert shown.err.startswith("scorer: ")
    assert shown.err.count("\n") == 1
    assert words in shown.err
    assert imported(state) == before


def test_a_running_server_is_not_given_another_text(
    text: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with state_dir.locked(state):
        assert run(text, state) == EXIT_FAILURE
    assert "another server works in" in capsys.readouterr().err
    assert imported(state) is None


@pytest.mark.parametrize("written", ["manifest.json", "hidden.u16"])
def test_a_full_disk_leaves_the_text_that_was_there(
    text: Path, state: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    def full(path: Path) -> AbstractContextManager[IO[bytes]]:
        if path.name == written:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return whole_file(path)

    assert run(text, state) == 0
    before = imported(state)
    text.write_text("\f".join(tiny_hub.documents(DOCUMENTS, seed=1)), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(own_hidden_text, "whole_file", full)
        assert run(text, state) == EXIT_FAILURE
    assert imported(state) == before
    assert run(text, state) == 0
    assert imported(state) != before


def test_the_text_that_ships_comes_back_when_the_folder_is_removed(text: Path, state: Path) -> None:
    assert run(text, state) == 0
    shutil.rmtree(state / "data" / "hidden")
    assert imported(state) is None
