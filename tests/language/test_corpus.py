"""What ships is what the manifest says, and nothing hidden is in what goes out."""

import subprocess
import sys
from pathlib import Path

import pytest

from scorer_service.language import corpus, splits
from scorer_service.language.near_duplicates import Shingles

SPLITS = ("training", "validation", "hidden")


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_the_digest_the_length_and_the_addresses_of_the_manifest(split: str) -> None:
    described = corpus.load_manifest().splits[split]

    tokens, documents = corpus.load_tokens(split), corpus.load_documents(split)

    assert len(tokens) == described.token_count
    assert len(documents) == len(described.addresses)
    assert sum(map(len, documents)) == described.character_count
    assert max(tokens) < corpus.load_manifest().vocabulary_size
    assert corpus.load_manifest().mask_token not in tokens
    assert "\ufffd" not in "".join(documents)


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    described = corpus.load_manifest().splits["hidden"]
    changed = bytearray(described.file.read_bytes())
    changed[1000] ^= 1
    (tmp_path / "hidden.u16").write_bytes(changed)

    with pytest.raises(corpus.CorpusDamaged, match="build_corpus"):
        corpus.read_pinned(tmp_path / "hidden.u16", described.sha256)


def test_addresses_are_split_by_hash() -> None:
    described = corpus.load_manifest().splits
    names = [name for split in described.values() for name in split.addresses]

    assert len(names) == len(set(names)) == 233
    assert splits.assign(names) == {name: split for split in SPLITS for name in described[split].addresses}
    assert corpus.load_manifest().split_seed == splits.SEED


@pytest.mark.parametrize(("split", "era"), [("validation", 50), ("hidden", 25)])
def test_every_era_is_in_every_split(split: str, era: int) -> None:
    years = sorted(int(name[:4]) for name in corpus.load_manifest().splits[split].addresses)

    for start in range(1790, 2021 - era, era):
        assert any(start <= year < start + era for year in years), f"none in the {era} years from {start}"


@pytest.mark.parametrize(
    ("tested", "other"), [("hidden", "training"), ("validation", "training"), ("validation", "hidden")]
)
def test_no_passage_is_nearly_in_two_splits(tested: str, other: str) -> None:
    documents = corpus.load_documents(tested)
    shingles = Shingles(corpus.load_documents(other), tested=documents)

    shared = {
        document[start:end] for document in documents for start, end in shingles.shared_passages(document)
    }

    assert not shared


def test_a_starter_holds_the_public_splits_and_nothing_hidden() -> None:
    files = corpus.starter_files()

    assert set(files) == {
        "tokenizer.json",
        "training.u16",
        "training.txt",
        "validation.u16",
        "validation.txt",
    }
    tokens = corpus.from_bytes(files["training.u16"])
    assert tokens == corpus.load_tokens("training")
    assert files["training.txt"].decode().splitlines() == corpus.load_documents("training")
    everything = b"\n".join(files.values())
    for document in corpus.load_documents("hidden"):
        assert document[1000:1100].encode() not in everything


def test_all_of_the_corpus_loads_without_numpy_and_torch(repository: Path) -> None:
    program = (
        "import sys\n"
        "from scorer_service.language import corpus, hidden_import, permutation, shapes, shipped\n"
        "corpus.load_tokens('hidden')\n"
        "assert not {'numpy', 'torch', 'tokenizers', 'safetensors'} & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True, cwd=repository)
