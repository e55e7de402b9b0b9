"""The tokenizer gives text back, and the tokens that the library gives."""

import json
import random
import unicodedata
from pathlib import Path

import pytest

from scorer_service.language import corpus
from scorer_service.language.tokenizer import Tokenizer

SAMPLES = [
    "Fellow-Citizens of the Senate: in 1846, we'll don't  they've   3,000,000 florins.",
    "na\u00efve \u00e9t\u00e9 e\u0301 54\u00b0 40' \u00b2\u00b3 \u2167 \u0663\u0664 \u65e5\u672c\u8a9e",
    "\U0001f44d\U0001f3fd",
    " \t\n  \r\n\x0b\x0c \x85\x1c\x1f \u00a0\u2003\u3000 end  ",
    "_under_ 'llama 'S 'tis $1.50--(a)...",
    "",
]


def scrambled(seed: int) -> str:
    """Characters from anywhere, which no text would hold together."""
    drawn = random.Random(seed)
    codes = [
        drawn.choice(
            [drawn.randrange(0x20, 0x250), drawn.randrange(0xD800), drawn.randrange(0xE000, 0x20000), 32]
        )
        for _ in range(5000)
    ]
    return "".join(map(chr, codes))


@pytest.mark.parametrize("text", [*SAMPLES, scrambled(1)])
def test_decoding_gives_back_what_was_encoded(text: str) -> None:
    tokenizer = corpus.load_tokenizer()

    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_the_corpus_is_encoded_as_the_tokenizer_encodes() -> None:
    tokenizer, tokens = corpus.load_tokenizer(), corpus.load_tokens("validation")
    first = corpus.load_documents("validation")[0]

    encoded = tokenizer.encode(first)

    assert tokens[0] == corpus.load_manifest().boundary_token
    assert tokens[1 : 1 + len(encoded)].tolist() == encoded
    assert len(first) / len(encoded) > 4, "merges are used"


def test_names_of_special_tokens_in_a_text_are_text() -> None:
    tokenizer = corpus.load_tokenizer()
    special = set(tokenizer.special_tokens.values())

    encoded = tokenizer.encode("a <|mask|> b <|endoftext|>")

    assert special == {corpus.load_manifest().boundary_token, corpus.load_manifest().mask_token}
    assert special.isdisjoint(encoded)


@pytest.mark.parametrize(
    ("before", "ends_a_word"),
    [("\u00e9", True), ("\u00b2", True), ("\u00a0", True), ("\u00b0", False), ("\u0301", False)],
    ids=["letter", "number", "space", "sign", "mark"],
)
def test_classes_beyond_ascii_part_words_as_in_the_library(before: str, ends_a_word: bool) -> None:
    tokenizer = corpus.load_tokenizer()
    (contraction,) = tokenizer.encode("'s")

    assert (tokenizer.encode(f"{before}'s")[-1] == contraction) is ends_a_word


def test_tokens_are_those_of_the_library() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the library tokenizers is not installed")
    library = tokenizers.Tokenizer.from_file(str(corpus.load_manifest().tokenizer_file))
    tokenizer = corpus.load_tokenizer()

    for text in [*SAMPLES, scrambled(2), *corpus.load_documents("validation")]:
        known = "".join(c for c in text if c.isascii() or unicodedata.category(c) != "Cn")
        assert tokenizer.encode(known) == library.encode(known, add_special_tokens=False).ids


def test_a_tokenizer_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text('{"model": {"type": "Unigram"}, "pre_tokenizer": {"type": "Metaspace"}}')

    with pytest.raises(ValueError, match="Unigram"):
        type(corpus.load_tokenizer()).load(file)


def test_a_file_that_does_not_say_its_type_is_read(tmp_path: Path) -> None:
    """As that of GPT-2, which is older than the member."""
    written = json.loads(corpus.load_manifest().tokenizer_file.read_text(encoding="utf-8"))
    del written["model"]["type"]
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(written))

    text = "A more perfect Union"
    assert Tokenizer.load(file).encode(text) == corpus.load_tokenizer().encode(text)
