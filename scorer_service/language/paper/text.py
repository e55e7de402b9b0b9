"""The text of profile `paper`: documents into token files, first what is judged on, then what is public.

Twice over the same files: once for the hidden parts, which are short, and once for validation and training,
of which no document repeats a passage of a hidden one. The second pass saves its place as it goes.
"""

import os
from array import array
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scorer_service.hub.download import Report
from scorer_service.hub.repository import HubFile, Repository
from scorer_service.language import corpus
from scorer_service.language.paper.data import (
    BYTES_PER_TOKEN,
    HIDDEN_PARTS,
    PUBLIC_PARTS,
    Sizes,
    token_file,
)
from scorer_service.language.paper.document_split import DocumentSplit
from scorer_service.language.paper.hub_text import Batch, Place, batches
from scorer_service.language.paper.hub_tokenizer import HubTokenizer
from scorer_service.language.paper.preparation import PreparationFailed
from scorer_service.language.paper.repeated_passages import HiddenPassages
from scorer_service.whole_file import whole_file

HELD_OUT = (*HIDDEN_PARTS, "validation")


@dataclass(frozen=True)
class Text:
    """Where documents come from and how they become tokens."""

    repository: Repository
    tokenizer: HubTokenizer
    split: DocumentSplit
    sizes: Sizes
    report: Report

    @property
    def files(self) -> list[HubFile]:
        """In the order in which they are read."""
        return self.repository.parquet_files()

    def batches(self, start: Place) -> Iterator[Batch]:
        """Documents from a place on. Raises PreparationFailed."""
        return batches(
            self.repository, self.files, self.report, start=start, batch_rows=self.sizes.documents_at_once
        )


def write_hidden(text: Text, folder: Path) -> None:
    """The parts that are judged on, each exactly as long as it has to be, no document twice.

    Raises:
        PreparationFailed: the text is too short, or cannot be had.
    """
    wanted = text.sizes.hidden_tokens
    found = {part: array("H") for part in HIDDEN_PARTS}
    seen: set[bytes] = set()
    for batch in text.batches(Place()):
        chosen: dict[str, list[str]] = {part: [] for part in HIDDEN_PARTS}
        for document in batch.documents:
            digest = text.split.digest(document)
            part = text.split.part(digest)
            if part in chosen and digest not in seen and len(found[part]) < wanted[part]:
                seen.add(digest)
                chosen[part].append(document)
        for part, documents in chosen.items():
            for tokens in text.tokenizer.encode(documents):
                found[part].extend(tokens)
        done = sum(min(len(found[part]), wanted[part]) for part in HIDDEN_PARTS)
        text.report("tokens of hidden text", done, sum(wanted.values()))
        if done == sum(wanted.values()):
            break
    else:
        raise _too_short(text, {part: (len(found[part]), wanted[part]) for part in HIDDEN_PARTS})
    for part in HIDDEN_PARTS:
        with whole_file(folder / token_file(part)) as file:
            file.write(corpus.to_bytes(found[part][: wanted[part]]))


@dataclass
class PublicState:
    """How far the public parts are; a journal keeps it."""

    made_from: str
    place: Place = field(default_factory=Place)
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PUBLIC_PARTS, 0))
    documents: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PUBLIC_PARTS, 0))
    repeating: int = 0
    """Documents left out because they repeat a passage of a hidden one."""

    @classmethod
    def read(cls, written: dict[str, Any], made_from: str) -> "PublicState":
        """What `as_json` wrote, if it was made from the same; else the beginning."""
        try:
            if written["made_from"] == made_from:
                return cls(
                    made_from,
                    Place(**written["place"]),
                    {part: int(written["tokens"][part]) for part in PUBLIC_PARTS},
                    {part: int(written["documents"][part]) for part in PUBLIC_PARTS},
                    int(written["repeating"]),
                )
        except (KeyError, TypeError, ValueError):
            pass
        return cls(made_from)

    def as_json(self) -> dict[str, Any]:
        """For a journal."""
        return asdict(self)


def write_public(
    text: Text, folder: Path, state: PublicState, save: Callable[[PublicState], None]
) -> dict[str, Path]:
    """Validation and training, from where `state` is; where each lies then, complete.

    `save` is called whenever the files on the disk hold what the state says.

    Raises:
        PreparationFailed: the text is too short, or cannot be had.
    """
    hidden = [_tokens(folder / token_file(part)) for part in HIDDEN_PARTS]
    passages = HiddenPassages(document for tokens in hidden for document in text.tokenizer.documents(tokens))
    wanted = text.sizes.public_tokens
    growing = {part: folder / f"{token_file(part)}.growing" for part in PUBLIC_PARTS}
    if not _hold(growing, state):
        state = PublicState(state.made_from)
    with (
        _opened(growing["validation"], state.tokens["validation"]) as validation,
        _opened(growing["training"], state.tokens["training"]) as training,
    ):
        files = {"validation": validation, "training": training}

        def saved() -> None:
            for file in files.values():
                file.flush()
                os.fsync(file.fileno())
            save(state)

        if state.tokens != wanted:
            for number, batch in enumerate(text.batches(state.place), 1):
                for part, documents in _public(text, batch, passages, state).items():
                    for tokens in text.tokenizer.encode(documents):
                        taken = tokens[: wanted[part] - state.tokens[part]]
                        files[part].write(corpus.to_bytes(taken))
                        state.tokens[part] += len(taken)
                        state.documents[part] += bool(taken)
                state.place = batch.after
                text.report("tokens of public text", sum(state.tokens.values()), sum(wanted.values()))
                if state.tokens == wanted:
                    break
                if number % text.sizes.batches_between_saves == 0:
                    saved()
            else:
                raise _too_short(text, {part: (state.tokens[part], wanted[part]) for part in PUBLIC_PARTS})
        saved()
    return growing


def _public(text: Text, batch: Batch, passages: HiddenPassages, state: PublicState) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {part: [] for part in PUBLIC_PARTS}
    for document in batch.documents:
        part = text.split.part(text.split.digest(document))
        if part not in chosen or state.tokens[part] >= text.sizes.public_tokens[part]:
            continue
        if passages.repeated_in(document):
            state.repeating += 1
        else:
            chosen[part].append(document)
    return chosen


def _hold(growing: dict[str, Path], state: PublicState) -> bool:
    """Whether the files have at least what the state says of them."""
    return all(
        path.is_file() and path.stat().st_size >= BYTES_PER_TOKEN * state.tokens[part]
        for part, path in growing.items()
    )


def _opened(path: Path, tokens: int) -> Any:
    """To append behind so many tokens; what else a killed run wrote goes."""
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(BYTES_PER_TOKEN * tokens)
    file.seek(0, os.SEEK_END)
    return file


def _tokens(path: Path) -> "array[int]":
    return corpus.from_bytes(path.read_bytes())


def _too_short(text: Text, parts: dict[str, tuple[int, int]]) -> PreparationFailed:
    listed = ", ".join(f"{found} of {wanted} tokens for {part}" for part, (found, wanted) in parts.items())
    return PreparationFailed(
        f"the {len(text.files)} text files of {text.repository.name} that can be had give {listed}: let it"
        " have all files, or take less with --training-tokens"
    )
