"""An operator's text becomes a hidden split, or is refused with the way out."""

from pathlib import Path

import pytest

from scorer_service.language import corpus
from scorer_service.language.hidden_import import HiddenTextRefused, import_hidden


def written(folder: Path, content: bytes) -> Path:
    file = folder / "hidden.txt"
    file.write_bytes(content)
    return file


def test_the_text_comes_back_as_tokens_of_its_documents(tmp_path: Path) -> None:
    text = "A first  document\nof two lines \u2014 quoted \u201cso\u201d.\fAnd   a second one."

    imported = import_hidden(written(tmp_path, text.encode()), minimum_tokens=10)

    manifest = corpus.load_manifest()
    assert corpus.documents(imported.tokens, manifest.boundary_token, corpus.load_tokenizer()) == [
        'A first document of two lines -- quoted "so".',
        "And a second one.",
    ]
    assert imported.document_count == 2
    assert imported.overlap == {"training": 0.0, "validation": 0.0}
    assert imported.longest_overlap == ""


def test_what_agents_have_been_given_is_reported(tmp_path: Path) -> None:
    known = corpus.load_documents("training")[3][2000:4000]
    fresh = " ".join(f"Sentence {number} holds the number {number * 7}." for number in range(60))

    imported = import_hidden(written(tmp_path, f"{fresh} {known}".encode()), minimum_tokens=100)

    assert imported.overlap["training"] == pytest.approx(2000 / imported.character_count, abs=0.05)
    assert imported.overlap["validation"] == 0.0
    assert known[500:1500] in imported.longest_overlap


def test_the_hidden_split_itself_overlaps_with_nothing_public(tmp_path: Path) -> None:
    text = "\f".join(corpus.load_documents("hidden")[:12])

    imported = import_hidden(written(tmp_path, text.encode()), minimum_tokens=1)

    assert imported.overlap == {"training": 0.0, "validation": 0.0}
    assert imported.tokens == corpus.load_tokens("hidden")[: len(imported.tokens)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9 in Latin-1", "not UTF-8: byte 0xe9 at 3"),
        (b"far too short", "longer text"),
        (b"", "0 tokens"),
    ],
)
def test_what_cannot_be_judged_on_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(HiddenTextRefused, match=words):
        import_hidden(written(tmp_path, content))
