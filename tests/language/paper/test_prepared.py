"""Data of profile `paper`, from a tiny hub: complete, disjoint, resumable, never half there."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_hub
from tiny_hub import SIZES

from scorer_service.language import corpus, shapes, tensor_file
from scorer_service.language.paper import prepared, repeated_passages
from scorer_service.language.paper.data import FILES, Sources
from scorer_service.language.paper.hub_tokenizer import HubTokenizer
from scorer_service.language.paper.prepared import PreparationFailed, Prepared

pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")
pytest.importorskip("tokenizers")

PROCESS = Path(tiny_hub.__file__).parent / "preparation_process.py"
PARTS = ("hidden_causal", "hidden_masked", "validation", "training")
BOUNDARY = SIZES.boundary_token


def silent(counted: str, done: int, total: int) -> None:
    """A report that nobody reads."""


class Reports:
    """What was told of a run."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int, int]] = []

    def __call__(self, counted: str, done: int, total: int) -> None:
        self.lines.append((counted, done, total))

    @property
    def counted(self) -> list[str]:
        return list(dict.fromkeys(counted for counted, _, _ in self.lines))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return tiny_hub.write_hub(tmp_path_factory.mktemp("hub"))


@pytest.fixture(scope="module")
def complete(sources: Sources, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Prepared once; tests that change it take a copy."""
    folder = keyed(tmp_path_factory.mktemp("state") / "paper")
    return prepared.prepare(sources, folder, silent, sizes=SIZES)


def keyed(folder: Path) -> Path:
    """A folder in which the same documents go into the same parts every time."""
    folder.mkdir()
    (folder / "split.key").write_bytes(bytes(range(32)))
    return folder


@pytest.fixture
def copied(complete: Prepared, tmp_path: Path) -> Path:
    return Path(shutil.copytree(complete.folder, tmp_path / "paper"))


def tokens_of(data: Prepared, part: str) -> "array[int]":
    path: Path = getattr(data, part)
    return corpus.from_bytes(path.read_bytes())


def texts_of(data: Prepared, part: str) -> list[str]:
    """The documents of a part; the last one may have been cut."""
    tokenizer = HubTokenizer(
        data.tokenizer,
        vocabulary_size=data.vocabulary_size,
        boundary=tiny_hub.BOUNDARY,
        boundary_token=data.boundary_token,
    )
    return tokenizer.documents(tokens_of(data, part))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_all_of_it_is_there_in_the_sizes_of_the_profile(complete: Prepared) -> None:
    loaded = prepared.load(complete.folder)

    assert loaded == complete
    assert (loaded.vocabulary_size, loaded.boundary_token, loaded.mask_token) == (300, 299, 300)
    assert (loaded.shape, loaded.companion_shape) == (tiny_hub.SHAPE, tiny_hub.COMPANION_SHAPE)
    for path, shape in ((loaded.original, loaded.shape), (loaded.companion, loaded.companion_shape)):
        assert tensor_file.table(path.read_bytes()) == {
            name: ("F16", size) for name, size in shapes.gpt_tensors(shape).items()
        }
    assert len(tokens_of(loaded, "hidden_causal")) == 20 * 32
    assert len(tokens_of(loaded, "hidden_masked")) == 5 * 8 * 16
    assert len(tokens_of(loaded, "validation")) == SIZES.validation_tokens
    assert len(tokens_of(loaded, "training")) == SIZES.training_tokens


def test_published_sizes_are_those_of_the_benchmark() -> None:
    sizes = prepared.PUBLISHED

    assert sizes.hidden_tokens["hidden_masked"] == 2000 * 8 * 128
    assert sizes.hidden_tokens["hidden_causal"] >= 80 * 1024
    assert sizes.hidden_tokens["hidden_causal"] % 1024 == 0
    assert Sources() == Sources("openai-community/gpt2-xl", "openai-community/gpt2", "Skylion007/openwebtext")


def test_files_are_for_the_owner_alone(complete: Prepared) -> None:
    assert complete.folder.stat().st_mode & 0o777 == 0o700


def test_each_document_stands_behind_a_boundary_as_it_was(complete: Prepared) -> None:
    written = set(tiny_hub.documents(900))
    for part in PARTS:
        assert tokens_of(complete, part)[0] == BOUNDARY
        *whole, last = texts_of(complete, part)
        assert set(whole) <= written
        assert any(text.startswith(last.rstrip("\ufffd")) for text in written)


def test_no_document_is_in_two_parts(complete: Prepared) -> None:
    seen: dict[str, str] = {}
    for part in PARTS:
        for text in texts_of(complete, part)[:-1]:
            assert seen.setdefault(text, part) == part, text
    assert len(seen) > 60


def test_copies_in_other_capitals_and_white_space_go_where_the_first_one_goes(tmp_path: Path) -> None:
    # Too short for the search for passages, which would remove copies as well.
    once = [" ".join(text.split()[:12]) for text in tiny_hub.documents(900)]
    copies = [variant for text in once for variant in (text, text.upper().replace(" ", "\n  "))]
    sources = tiny_hub.write_hub(tmp_path / "hub", copies)

    data = prepared.prepare(sources, keyed(tmp_path / "paper"), silent, sizes=SIZES)

    parts_of: dict[str, set[str]] = {}
    for part in PARTS:
        texts = ["".join(text.split()).casefold() for text in texts_of(data, part)[:-1]]
        for text in texts:
            parts_of.setdefault(text, set()).add(part)
        if part.startswith("hidden"):
            assert len(set(texts)) == len(texts) > 5, "nothing is judged on twice"
    assert {len(parts) for parts in parts_of.values()} == {1}


def test_no_public_document_repeats_a_passage_of_a_hidden_one(
    complete: Prepared, sources: Sources, tmp_path: Path
) -> None:
    quoted = [" ".join(text.split()[4:40]) for text in texts_of(complete, "hidden_causal")[:-1]]
    quotes = [
        f"Somebody wrote: {passage.upper()} and {number} more." for number in range(8) for passage in quoted
    ]
    tiny_hub.write_text(
        tmp_path / "text", [*tiny_hub.documents(900)[:60], *quotes], tiny_hub.documents(900)[60:]
    )
    folder = keyed(tmp_path / "paper")

    data = prepared.prepare(replace(sources, text=tmp_path / "text"), folder, silent, sizes=SIZES)

    assert texts_of(data, "hidden_causal")[:-1] == texts_of(complete, "hidden_causal")[:-1]
    public = [text for part in ("validation", "training") for text in texts_of(data, part)]
    assert not [text for text in public if text.startswith("Somebody wrote")]
    written = json.loads((folder / "manifest.json").read_text())
    assert written["text"]["repeating"] > len(quotes) / 2


def test_the_name_of_a_special_token_in_a_text_is_text(tmp_path: Path) -> None:
    texts = [f"{text[:99]} {tiny_hub.BOUNDARY} {text[99:120]}" for text in tiny_hub.documents(900)]
    sources = tiny_hub.write_hub(tmp_path / "hub", texts)

    data = prepared.prepare(sources, keyed(tmp_path / "paper"), silent, sizes=SIZES)

    for part in PARTS:
        *whole, _ = texts_of(data, part)
        assert whole
        assert set(whole) <= set(texts)


def test_two_installations_judge_on_different_documents(
    complete: Prepared, sources: Sources, tmp_path: Path
) -> None:
    other = prepared.prepare(sources, tmp_path / "paper", silent, sizes=SIZES)

    assert set(texts_of(other, "hidden_masked")) != set(texts_of(complete, "hidden_masked"))


def killed(sources: Sources, folder: Path, counted: str, after: int) -> None:
    """Prepare in a process that dies while something is counted."""
    done = subprocess.run(
        [
            sys.executable,
            PROCESS,
            *map(str, (sources.model, sources.companion, sources.text, folder)),
            counted,
            str(after),
        ],
        capture_output=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize(
    ("counted", "after", "finished"),
    [
        ("bytes of original.safetensors written", 5, {"companion.safetensors"}),
        ("tokens of hidden text", 1, {"companion.safetensors", "original.safetensors"}),
        ("tokens of public text", 1, {"companion.safetensors", "original.safetensors", "hidden_causal.u16"}),
        ("tokens of public text", 9, {"companion.safetensors", "original.safetensors", "hidden_causal.u16"}),
    ],
)
def test_a_killed_run_goes_on_and_makes_nothing_twice(
    counted: str, after: int, finished: set[str], complete: Prepared, sources: Sources, tmp_path: Path
) -> None:
    folder = keyed(tmp_path / "paper")
    killed(sources, folder, counted, after)
    with pytest.raises(prepared.NotPrepared, match="not been prepared to its end"):
        prepared.load(folder)
    kept = {name: (folder / name).stat() for name in finished}
    saved = json.loads((folder / "progress.json").read_text())["text"].get("tokens", {"training": 0})
    for path in folder.glob("*.growing"):
        with path.open("ab") as file:
            file.write(b"\7\0" * 99)  # what reached the disk after the last save
    reports = Reports()

    again = prepared.prepare(sources, folder, reports, sizes=SIZES)

    assert contents(folder) == contents(complete.folder)
    assert prepared.load(folder) == again
    assert {name: (folder / name).stat() for name in finished} == kept
    if counted == "tokens of public text":
        assert reports.counted == ["tokens of public text"]
        assert reports.lines[0][1] > sum(saved.values())
        assert (sum(saved.values()) > 5000) == (after == 9), "it is saved every second batch"
    assert not [path for path in folder.iterdir() if path.suffix in (".partial", ".growing")]


def test_what_is_complete_is_not_made_again_and_needs_no_hub(copied: Path, sources: Sources) -> None:
    away = Path(str(sources.text)).parent
    hidden = away.rename(away.with_name("away"))
    reports = Reports()
    try:
        prepared.prepare(sources, copied, reports, sizes=SIZES)
    finally:
        hidden.rename(away)

    assert reports.lines == []


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_found_and_made_anew(
    name: str, copied: Path, complete: Prepared, sources: Sources
) -> None:
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)

    with pytest.raises(
        prepared.DataDamaged, match=f"{name} has SHA-256 .* run `scorer data prepare paper` again"
    ):
        prepared.load(copied)
    prepared.prepare(sources, copied, silent, sizes=SIZES)

    assert contents(copied) == contents(complete.folder)
    prepared.load(copied)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-2]), "bytes, not"),
    ],
)
def test_a_file_that_is_missing_or_cut_is_found(
    damage: Callable[[Path], Any], words: str, copied: Path
) -> None:
    damage(copied / "validation.u16")

    with pytest.raises(prepared.DataDamaged, match=words):
        prepared.load(copied)
    with pytest.raises(prepared.DataDamaged, match=words):
        prepared.load(copied, checked=["validation.u16"])
    prepared.load(copied, checked=["hidden_causal.u16", "original.safetensors"])


@pytest.mark.parametrize("content", ["", "{}", '{"format": 2}', "[]"])
def test_a_manifest_that_cannot_be_read_is_damage(content: str, copied: Path) -> None:
    (copied / "manifest.json").write_text(content)

    with pytest.raises(prepared.DataDamaged, match=r"manifest\.json"):
        prepared.load(copied)


def test_a_folder_that_was_not_prepared_says_how(tmp_path: Path) -> None:
    with pytest.raises(prepared.NotPrepared, match="run `scorer data prepare paper`"):
        prepared.load(tmp_path / "paper")


def test_more_training_text_leaves_the_rest_as_it_is(
    copied: Path, complete: Prepared, sources: Sources
) -> None:
    more = prepared.prepare(sources, copied, silent, sizes=replace(SIZES, training_tokens=25_000))

    assert len(tokens_of(more, "training")) == 25_000
    assert tokens_of(more, "training")[:20_000] == tokens_of(complete, "training")
    for name in FILES[:5]:
        assert (copied / name).read_bytes() == (complete.folder / name).read_bytes()


def test_too_little_room_is_said_before_anything_is_written(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9 - 10**6, 10**6)
    )
    reports = Reports()

    with pytest.raises(PreparationFailed, match=r"0\.00 GB free, 0\.27 GB are needed: make room") as failed:
        prepared.prepare(sources, tmp_path / "paper", reports, sizes=SIZES)

    assert "--state-dir" in str(failed.value)
    assert reports.lines == []
    assert not [path for path in (tmp_path / "paper").iterdir() if path.name in FILES]


def test_a_disk_that_fills_up_ends_with_a_way_out_and_nothing_half_written(
    sources: Sources, complete: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = keyed(tmp_path / "paper")
    synchronise = os.fsync

    def full(descriptor: int) -> None:
        if "original" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synchronise(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PreparationFailed, match="full: make room and run `scorer data prepare paper` again"):
        prepared.prepare(sources, folder, silent, sizes=SIZES)
    assert not list(folder.glob("original*"))
    monkeypatch.undo()

    prepared.prepare(sources, folder, silent, sizes=SIZES)

    assert contents(folder) == contents(complete.folder)


def test_two_runs_at_once_do_not_meet(sources: Sources, tmp_path: Path) -> None:
    def meanwhile(counted: str, done: int, total: int) -> None:
        with pytest.raises(PreparationFailed, match="prepared by another process"):
            prepared.prepare(sources, tmp_path / "paper", silent, sizes=SIZES)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepared.prepare(sources, tmp_path / "paper", meanwhile, sizes=SIZES)


def replaced_text(
    folder: Path, *files: list[str | None], column: str = "text"
) -> Callable[[Sources], Sources]:
    return lambda sources: replace(sources, text=tiny_hub.write_text(folder / "other", *files, column=column))


def cut_parquet(folder: Path) -> Callable[[Sources], Sources]:
    def change(sources: Sources) -> Sources:
        text = tiny_hub.write_text(folder / "other", tiny_hub.documents(100))
        for path in text.rglob("*.parquet"):
            path.write_bytes(path.read_bytes()[:-200])
        return replace(sources, text=text)

    return change


def other_tokenizer(folder: Path) -> Callable[[Sources], Sources]:
    def change(sources: Sources) -> Sources:
        model = Path(shutil.copytree(sources.companion, folder / "other"))
        tiny_hub.write_tokenizer(model / "tokenizer.json", tiny_hub.documents(50), 280)
        return replace(sources, companion=model)

    return change


def without(name: str) -> Callable[[Path], Callable[[Sources], Sources]]:
    def changed(folder: Path) -> Callable[[Sources], Sources]:
        def change(sources: Sources) -> Sources:
            model = Path(shutil.copytree(sources.companion, folder / "other"))
            (model / name).unlink()
            return replace(sources, companion=model)

        return change

    return changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: replaced_text(folder, ["a", "b"], column="content"), "no column 'text' but content"),
        (
            lambda folder: replaced_text(folder, list(tiny_hub.documents(20))),
            "of 640 tokens for hidden_causal",
        ),
        (lambda folder: replaced_text(folder, list(tiny_hub.documents(130))), "of 20000 tokens for training"),
        (cut_parquet, "cannot read .*parquet.* delete it to have it fetched again"),
        (other_tokenizer, "280 tokens, not 300"),
        (without("tokenizer.json"), "has no file tokenizer.json"),
        (without("model.safetensors"), "has no file model.safetensors"),
        (without("config.json"), "has no file config.json"),
        (
            lambda folder: lambda sources: replace(sources, text=sources.model),
            "no parquet file of a split train",
        ),
    ],
)
def test_what_is_not_as_expected_is_refused_with_its_name(
    change: Callable[[Path], Callable[[Sources], Sources]], words: str, sources: Sources, tmp_path: Path
) -> None:
    with pytest.raises(PreparationFailed, match=words):
        prepared.prepare(change(tmp_path)(sources), keyed(tmp_path / "paper"), silent, sizes=SIZES)

    with pytest.raises(prepared.NotPrepared):
        prepared.load(tmp_path / "paper")


def test_a_passage_is_found_wherever_it_stands() -> None:
    words = [f"word{number}" for number in range(200)]
    hidden = repeated_passages.HiddenPassages([" ".join(words)])
    for start in range(30):
        passage = " ".join(words[start : start + repeated_passages.CERTAIN_WORDS]).title()
        for before in range(14):
            assert hidden.repeated_in(" ".join(["other"] * before) + " - " + passage.replace(" ", ", "))
    assert not hidden.repeated_in(" ".join(reversed(words)))
    assert not hidden.repeated_in(" ".join(words[:12]) + " other " + " ".join(words[12:24]))
