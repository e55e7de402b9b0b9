"""Where models and texts of a profile come from, and what is said where they are not there."""

import json
from array import array
from pathlib import Path

import pytest
import tiny_hub

from scorer_service.file_digest import file_sha256
from scorer_service.language import corpus, materials, own_hidden_text, shipped
from scorer_service.language.hidden_import import HiddenText
from scorer_service.language.materials import MaterialsUnavailable
from scorer_service.language.paper import prepared


def silent(counted: str, done: int, total: int) -> None:
    """A report that nobody reads."""


def own_text(*tokens: int) -> HiddenText:
    return HiddenText(
        tokens=array("H", tokens), document_count=1, character_count=9, overlap={}, longest_overlap=""
    )


def test_what_ships_is_judged_on_its_own_hidden_split(tmp_path: Path) -> None:
    found = materials.load("embedded", tmp_path)
    split = corpus.load_manifest().splits["hidden"]
    assert found.hidden_causal == found.hidden_masked
    assert (found.hidden_causal.path, found.hidden_causal.sha256) == (split.file, split.sha256)
    assert found.public_files == corpus.starter_files()


def test_an_imported_text_takes_the_place_of_the_hidden_split(tmp_path: Path) -> None:
    own_hidden_text.save(own_text(0, 1000, 2000), tmp_path)
    own_hidden_text.save(own_text(0, 300, 4000), tmp_path)
    found = materials.load("embedded", tmp_path)
    assert found.hidden_causal == found.hidden_masked
    assert corpus.from_bytes(found.hidden_causal.path.read_bytes()) == array("H", [0, 300, 4000])
    assert found.hidden_causal.sha256 == file_sha256(found.hidden_causal.path)
    assert found.validation == materials.load("embedded", None).validation


@pytest.mark.parametrize("damage", ["changed", "missing", "tokenizer", "format", "text"])
def test_an_imported_text_that_is_not_what_it_was_is_not_judged_on(tmp_path: Path, damage: str) -> None:
    saved = own_hidden_text.save(own_text(0, 300, 4000), tmp_path)
    manifest = saved.tokens.with_name("manifest.json")
    written = json.loads(manifest.read_text())
    if damage == "changed":
        saved.tokens.write_bytes(bytes(6))
    elif damage == "missing":
        saved.tokens.unlink()
    elif damage == "tokenizer":
        manifest.write_text(json.dumps(written | {"tokenizer_sha256": "0" * 64}))
    elif damage == "format":
        manifest.write_text(json.dumps(written | {"format": 2}))
    else:
        manifest.write_text("{")
    with pytest.raises(MaterialsUnavailable, match="scorer data import --hidden FILE"):
        materials.load("embedded", tmp_path)


def test_an_import_that_was_broken_off_has_not_taken_place(tmp_path: Path) -> None:
    saved = own_hidden_text.save(own_text(0, 300, 4000), tmp_path)
    saved.tokens.with_name("manifest.json").unlink()
    assert materials.load("embedded", tmp_path) == materials.load("embedded", None)


def test_a_damaged_model_of_the_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in shipped.MODELS.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "original.safetensors").unlink()
    monkeypatch.setattr(shipped, "MODELS", tmp_path)
    with pytest.raises(MaterialsUnavailable, match=r"original\.safetensors .*install the service again"):
        materials.load("embedded", None)
    (tmp_path / "original.safetensors").write_bytes(b"another")
    with pytest.raises(MaterialsUnavailable, match=r"original\.safetensors .*install the service again"):
        materials.load("embedded", None)


@pytest.mark.parametrize("folder", [None, "empty"])
def test_paper_that_was_not_prepared_names_the_command(tmp_path: Path, folder: str | None) -> None:
    with pytest.raises(MaterialsUnavailable, match="scorer data prepare paper"):
        materials.load("paper", tmp_path / folder if folder else None)


def test_paper_is_what_was_prepared(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")
    pytest.importorskip("tokenizers")
    sources = tiny_hub.write_hub(tmp_path / "hub")
    data = prepared.prepare(sources, tmp_path / "data" / "paper", silent, sizes=tiny_hub.SIZES)
    found = materials.load("paper", tmp_path / "data")
    assert (found.shape, found.companion_shape) == (tiny_hub.SHAPE, tiny_hub.COMPANION_SHAPE)
    for pinned, path in (
        (found.original, data.original),
        (found.hidden_causal, data.hidden_causal),
        (found.hidden_masked, data.hidden_masked),
    ):
        assert (pinned.path, pinned.sha256) == (path, file_sha256(path))
    # Paths: what is large is never read into memory for them.
    assert found.public_files == {
        "tokenizer.json": data.tokenizer,
        "training.u16": data.training,
        "validation.u16": data.validation,
    }
    assert found.mask_token == found.vocabulary_size == tiny_hub.VOCABULARY
    assert found.solutions is None
    data.training.write_bytes(b"")
    with pytest.raises(MaterialsUnavailable, match="scorer data prepare paper"):
        materials.load("paper", tmp_path / "data")
