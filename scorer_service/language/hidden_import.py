"""An operator's own text in place of the hidden split."""

from array import array
from dataclasses import dataclass
from pathlib import Path

from scorer_service.language import corpus
from scorer_service.language.cleaning import clean
from scorer_service.language.near_duplicates import Shingles

WINDOW_TOKENS = 128

MINIMUM_WINDOWS = 2100
"""With six disjoint draws of masks over each, the standard error of a loss stays under 0.01 nats, if windows
differ as those of the hidden split do; measured in docs/design/language-data.md."""
MINIMUM_TOKENS = MINIMUM_WINDOWS * WINDOW_TOKENS

SIZE_LIMIT_BYTES = 64 << 20
"""A larger text would say no more, and take minutes to encode."""

DOCUMENT_SEPARATOR = "\f"
"""Form feed: what comes after it is another document."""


class HiddenTextRefused(Exception):
    """The text cannot be a hidden split; the message says why and what would do."""


@dataclass(frozen=True)
class HiddenText:
    """A text that can be judged on."""

    tokens: "array[int]"
    """As in a split: each document after a boundary token."""
    document_count: int
    character_count: int
    """After cleaning."""
    overlap: dict[str, float]
    """Share of its characters, for each public split, that are in passages which that split has too."""
    longest_overlap: str
    """The longest such passage; empty where there is none."""

    @property
    def characters_per_token(self) -> float:
        """Far below the corpus's own means a text that this tokenizer was not made for."""
        return self.character_count / len(self.tokens)


def import_hidden(file: Path, *, minimum_tokens: int = MINIMUM_TOKENS) -> HiddenText:
    """Read, clean and encode a text, and find what of it agents have been given.

    The file is UTF-8; form feeds part documents.

    Raises:
        OSError: the file cannot be read.
        HiddenTextRefused: it is too large, not UTF-8, or too short to judge on.
    """
    size_bytes = file.stat().st_size
    if size_bytes > SIZE_LIMIT_BYTES:
        raise HiddenTextRefused(
            f"{file} has {size_bytes} bytes, the limit is {SIZE_LIMIT_BYTES}: take a part of it"
        )
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise HiddenTextRefused(
            f"{file} is not UTF-8: byte {error.object[error.start]:#04x} at {error.start}: convert it"
        ) from error
    cleaned = [document for part in text.split(DOCUMENT_SEPARATOR) if (document := clean(part))]
    manifest, tokenizer = corpus.load_manifest(), corpus.load_tokenizer()
    tokens = array("H")
    for document in cleaned:
        tokens.append(manifest.boundary_token)
        tokens.extend(tokenizer.encode(document))
    if len(tokens) < minimum_tokens:
        raise HiddenTextRefused(
            f"{file} has {len(tokens)} tokens, {minimum_tokens} are needed for a loss that is known to"
            " 0.01 nats: take a longer text"
        )
    overlap: dict[str, float] = {}
    longest = ""
    character_count = sum(map(len, cleaned))
    for split in corpus.PUBLIC_SPLITS:
        public = Shingles(corpus.load_documents(split), tested=cleaned)
        shared = 0
        for document in cleaned:
            for start, end in public.shared_passages(document):
                shared += end - start
                longest = max(longest, document[start:end], key=len)
        overlap[split] = shared / character_count
    return HiddenText(tokens, len(cleaned), character_count, overlap, longest)
