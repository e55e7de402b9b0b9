"""The corpus that ships: its manifest, and its splits as tokens and as text."""

import hashlib
import sys
import tomllib
from array import array
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scorer_service.language.tokenizer import Tokenizer

DATA = Path(__file__).parent / "data"
PUBLIC_SPLITS = ("training", "validation")
"""What a starter may hold."""


class CorpusDamaged(Exception):
    """A file of the corpus is not the one that the manifest describes."""


@dataclass(frozen=True)
class Split:
    """One of the three parts of the corpus."""

    file: Path
    sha256: str
    token_count: int
    """Boundary tokens included: one before each address."""
    character_count: int
    removed_character_count: int
    """Characters of sentences left out, since another split has nearly the same passage."""
    addresses: tuple[str, ...]
    """Names of the addresses in the source, which begin with the year."""


@dataclass(frozen=True)
class Manifest:
    """What the corpus is made of."""

    title: str
    source: str
    source_sha256: str
    attribution: str
    split_seed: str
    tokenizer_file: Path
    tokenizer_sha256: str
    vocabulary_size: int
    """Special tokens included."""
    boundary_token: int
    """Stands before every address."""
    mask_token: int
    """Stands in for a token that is to be predicted; never in a text."""
    entropy_floor: dict[str, float]
    """Nats a token on the hidden split below which a loss is implausible, by environment."""
    splits: dict[str, Split]


def load_manifest(folder: Path = DATA) -> Manifest:
    """Read `manifest.toml`."""
    written: dict[str, Any] = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    tokenizer = written["tokenizer"]
    splits = {
        name: Split(
            file=folder / split["file"],
            sha256=split["sha256"],
            token_count=split["token_count"],
            character_count=split["character_count"],
            removed_character_count=split["removed_character_count"],
            addresses=tuple(split["addresses"]),
        )
        for name, split in written["splits"].items()
    }
    return Manifest(
        title=written["title"],
        source=written["source"],
        source_sha256=written["source_sha256"],
        attribution=written["attribution"],
        split_seed=written["split_seed"],
        tokenizer_file=folder / tokenizer["file"],
        tokenizer_sha256=tokenizer["sha256"],
        vocabulary_size=tokenizer["vocabulary_size"],
        boundary_token=tokenizer["boundary_token"],
        mask_token=tokenizer["mask_token"],
        entropy_floor=written["entropy_floor"],
        splits=splits,
    )


@cache
def load_tokenizer() -> Tokenizer:
    """The tokenizer of the corpus; its merges were learnt on the training split alone.

    Raises:
        CorpusDamaged: the file is not the one in the manifest.
    """
    manifest = load_manifest()
    read_pinned(manifest.tokenizer_file, manifest.tokenizer_sha256)
    return Tokenizer.load(manifest.tokenizer_file)


def load_tokens(split: str) -> "array[int]":
    """The tokens of a split, each address after a boundary token.

    Raises:
        KeyError: there is no such split.
        CorpusDamaged: the file is not the one in the manifest.
    """
    described = load_manifest().splits[split]
    return from_bytes(read_pinned(described.file, described.sha256))


def load_documents(split: str) -> list[str]:
    """The addresses of a split as text, in the manifest's order. Raises as `load_tokens`."""
    return documents(load_tokens(split), load_manifest().boundary_token, load_tokenizer())


def documents(tokens: "array[int]", boundary_token: int, tokenizer: Tokenizer) -> list[str]:
    """The texts between the boundary tokens."""
    starts = [index for index, token in enumerate(tokens) if token == boundary_token]
    ends = [*starts[1:], len(tokens)]
    return [tokenizer.decode(tokens[start + 1 : end]) for start, end in zip(starts, ends, strict=True)]


def starter_files() -> dict[str, bytes]:
    """Name and content of the files on text that go out with a task: never anything of the hidden split.

    Each public split comes as tokens (`training.u16`: two bytes a token, the lower first) and as text
    (`training.txt`: an address a line), with the tokenizer.
    """
    manifest = load_manifest()
    files = {"tokenizer.json": read_pinned(manifest.tokenizer_file, manifest.tokenizer_sha256)}
    for split in PUBLIC_SPLITS:
        described = manifest.splits[split]
        files[f"{split}.u16"] = read_pinned(described.file, described.sha256)
        files[f"{split}.txt"] = ("\n".join(load_documents(split)) + "\n").encode("utf-8")
    return files


def from_bytes(raw: bytes) -> "array[int]":
    """Tokens from a token file's bytes: two a token, the lower first.

    Raises:
        ValueError: an odd number of bytes.
    """
    tokens = array("H")
    tokens.frombytes(raw)
    if sys.byteorder == "big":
        tokens.byteswap()
    return tokens


def to_bytes(tokens: "array[int]") -> bytes:
    """A token file's bytes."""
    stored = array("H", tokens)
    if sys.byteorder == "big":
        stored.byteswap()
    return stored.tobytes()


def read_pinned(file: Path, sha256: str) -> bytes:
    """A file's bytes, if they have the digest.

    Raises:
        CorpusDamaged: they have another.
    """
    raw = file.read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    if found != sha256:
        raise CorpusDamaged(
            f"{file} has SHA-256 {found}, the manifest says {sha256}: install the package again, or rebuild"
            " the corpus with scripts/language/build_corpus.py"
        )
    return raw
