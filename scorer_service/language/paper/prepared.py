"""Data of profile `paper`: made once from the Hugging Face hub, then read by every server.

`prepare` fetches, converts and encodes; a run that was stopped goes on where it was. `load` is what a server
calls.
"""

import contextlib
import errno
import fcntl
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.file_digest import file_sha256
from scorer_service.hub.download import Report
from scorer_service.hub.extra import HubFailed
from scorer_service.language.paper.data import (
    COMPANION,
    FILES,
    ORIGINAL,
    PUBLISHED,
    TOKENIZER,
    Sizes,
    Sources,
    token_file,
)
from scorer_service.language.paper.journal import MANIFEST, PROGRESS, FileEntry
from scorer_service.language.paper.preparation import PreparationFailed
from scorer_service.language.paper.run import FORMAT, PreparationRun
from scorer_service.language.shapes import GptShape

__all__ = [
    "PUBLISHED",
    "DataDamaged",
    "NotPrepared",
    "PreparationFailed",
    "Prepared",
    "Sizes",
    "Sources",
    "load",
    "prepare",
]

COMMAND = "scorer data prepare paper"

_LOCK = "lock"


class NotPrepared(Exception):
    """The folder has not been prepared, or not to the end."""


class DataDamaged(Exception):
    """A prepared file is not the one that the manifest describes."""


@dataclass(frozen=True)
class Prepared:
    """Data that is complete."""

    folder: Path
    sources: dict[str, str]
    """Name of each source, and its revision."""
    vocabulary_size: int
    boundary_token: int
    """Stands before every document."""
    mask_token: int
    """One more than the vocabulary has, so that it is never in a text."""
    shape: GptShape
    companion_shape: GptShape
    files: dict[str, FileEntry]

    @property
    def original(self) -> Path:
        """The undamaged model, in fp16, with the names of `shapes.gpt_tensors`."""
        return self.folder / ORIGINAL

    @property
    def companion(self) -> Path:
        """The smaller model, likewise."""
        return self.folder / COMPANION

    @property
    def tokenizer(self) -> Path:
        """The hub's own file."""
        return self.folder / TOKENIZER

    @property
    def hidden_causal(self) -> Path:
        """Text that `fix_embedding` judges on; as the following, two bytes a token, the lower first."""
        return self.folder / token_file("hidden_causal")

    @property
    def hidden_masked(self) -> Path:
        """Text that `restricted_mlm` judges on."""
        return self.folder / token_file("hidden_masked")

    @property
    def validation(self) -> Path:
        """Public text."""
        return self.folder / token_file("validation")

    @property
    def training(self) -> Path:
        """Public text."""
        return self.folder / token_file("training")


def load(folder: Path, checked: Collection[str] = FILES) -> Prepared:
    """The data of a folder. Files named in `checked` are held against their digests: seconds for each GB.

    Raises:
        NotPrepared: it is not there, or not complete.
        DataDamaged: a file has changed since it was made.
    """
    prepared = _described(folder)
    for name in checked:
        path, entry = folder / name, prepared.files[name]
        try:
            damage = ""
            if (size_bytes := path.stat().st_size) != entry.size_bytes:
                damage = f"has {size_bytes} bytes, not {entry.size_bytes}"
            elif (sha256 := file_sha256(path)) != entry.sha256:
                damage = f"has SHA-256 {sha256}, not {entry.sha256}"
        except FileNotFoundError:
            damage = "is missing"
        if damage:
            raise DataDamaged(f"{path} {damage}: run `{COMMAND}` again, which makes it anew")
    return prepared


def _described(folder: Path) -> Prepared:
    """What the manifest says. Raises NotPrepared, DataDamaged."""
    try:
        written: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if written["format"] != FORMAT:
            raise ValueError(f"format {written['format']}, not {FORMAT}")
        return Prepared(
            folder=folder,
            sources=dict(written["sources"]),
            vocabulary_size=written["vocabulary_size"],
            boundary_token=written["boundary_token"],
            mask_token=written["mask_token"],
            shape=GptShape(**written["model_shape"]),
            companion_shape=GptShape(**written["companion_shape"]),
            files={name: FileEntry(**written["files"][name]) for name in FILES},
        )
    except FileNotFoundError as error:
        state = (
            "has not been prepared to its end" if (folder / PROGRESS).exists() else "has not been prepared"
        )
        raise NotPrepared(f"{folder} {state}: run `{COMMAND}`") from error
    except (KeyError, TypeError, ValueError) as error:
        raise DataDamaged(
            f"{folder / MANIFEST} is damaged ({error!r}): delete it and run `{COMMAND}` again"
        ) from error


def prepare(sources: Sources, folder: Path, report: Report, *, sizes: Sizes = PUBLISHED) -> Prepared:
    """Fetch, convert and encode what is not there yet. Blocks, for an hour or more the first time.

    Raises:
        PreparationFailed: it cannot be done; the message names the way out. What is finished stays.
        OSError: the folder cannot be written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        with _locked(folder):
            PreparationRun(sources, folder, report, sizes).run()
            return _described(folder)
    except HubFailed as error:
        raise PreparationFailed(str(error)) from error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise PreparationFailed(
            f"the disk of {error.filename or folder} is full: make room and run `{COMMAND}` again, which"
            " goes on where it was"
        ) from error


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PreparationFailed(f"{folder} is being prepared by another process: wait for it") from None
        yield
