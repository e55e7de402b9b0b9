"""Makes what is missing of a prepared folder, step by step: cheap checks first, then models, then text."""

import hashlib
import os
from dataclasses import asdict
from pathlib import Path

from scorer_service.hub.download import Report
from scorer_service.hub.extra import library
from scorer_service.hub.repository import Kind, Repository, open_repository
from scorer_service.language.paper import gpt2_checkpoint
from scorer_service.language.paper.data import (
    BYTES_PER_TOKEN,
    COMPANION,
    FILES,
    HIDDEN_PARTS,
    ORIGINAL,
    PUBLIC_PARTS,
    TOKENIZER,
    Sizes,
    Sources,
    token_file,
    weights_bytes,
)
from scorer_service.language.paper.document_split import KEY_BYTES, DocumentSplit
from scorer_service.language.paper.hub_tokenizer import HubTokenizer
from scorer_service.language.paper.journal import (
    MANIFEST,
    PROGRESS,
    Journal,
    entry,
    origin,
    write_json,
)
from scorer_service.language.paper.preparation import require_room
from scorer_service.language.paper.text import (
    HELD_OUT,
    PublicState,
    Text,
    write_hidden,
    write_public,
)
from scorer_service.whole_file import sync_folder, whole_file

FORMAT = 1
"""Of the manifest."""

_SPLIT_KEY = "split.key"
_CONFIG, _CHECKPOINT = "config.json", "model.safetensors"


class PreparationRun:
    """One run of `prepare`."""

    def __init__(self, sources: Sources, folder: Path, report: Report, sizes: Sizes) -> None:
        self._sources, self._folder, self._report, self._sizes = sources, folder, report, sizes
        self._journal = Journal.load(folder)
        self._repositories: dict[str, Repository] = {}
        self._key = _split_key(folder)

    def run(self) -> None:
        """All steps that are not done yet. Raises PreparationFailed, OSError."""
        origins = self._origins()
        missing = {name for name in FILES if not self._journal.has(name, origins[name])}
        if not missing and (self._folder / MANIFEST).is_file():
            return
        self._journal.save()
        (self._folder / MANIFEST).unlink(missing_ok=True)
        if missing:
            for name in ("huggingface_hub", "pyarrow.parquet", "tokenizers"):
                library(name)
        models = {COMPANION: self._sizes.companion_shape, ORIGINAL: self._sizes.model_shape}
        for name, shape in models.items():
            if name in missing:
                gpt2_checkpoint.check_config(self._source(name).fetch(_CONFIG, self._report), shape)
        self._require_room(missing)
        if TOKENIZER in missing:
            self._copy_tokenizer(origins)
        for name, shape in models.items():
            if name in missing:
                checkpoint = self._source(name).fetch(_CHECKPOINT, self._report)
                gpt2_checkpoint.convert(checkpoint, shape, self._folder / name, self._report)
                self._journal.finished({name: origins[name]})
        if missing & {token_file(part) for part in HIDDEN_PARTS}:
            write_hidden(self._text(), self._folder)
            self._journal.finished({token_file(part): origins[token_file(part)] for part in HIDDEN_PARTS})
        if missing & {token_file(part) for part in PUBLIC_PARTS}:
            self._write_public(origins)
        self._write_manifest()
        (self._folder / PROGRESS).unlink()

    def _origins(self) -> dict[str, str]:
        """What each file is to be made from."""
        sizes = self._sizes
        tokenizer = origin(
            str(self._sources.companion), self._revision(COMPANION), sizes.companion_shape.vocabulary_size
        )
        text = (
            *(
                str(self._sources.text),
                self._revision("text"),
                tokenizer,
                sizes.boundary,
                sizes.boundary_token,
            ),
            *(sizes.held_out_share, hashlib.sha256(self._key).hexdigest(), sizes.hidden_tokens),
        )
        hidden = {token_file(part): origin(part, *text) for part in HIDDEN_PARTS}
        public = {token_file(part): origin(part, *text, sizes.public_tokens) for part in PUBLIC_PARTS}
        return {
            TOKENIZER: tokenizer,
            COMPANION: origin(
                str(self._sources.companion), self._revision(COMPANION), asdict(sizes.companion_shape)
            ),
            ORIGINAL: origin(str(self._sources.model), self._revision(ORIGINAL), asdict(sizes.model_shape)),
            **hidden,
            **public,
        }

    def _named(self, of: str) -> tuple[str | Path, Kind]:
        if of == "text":
            return self._sources.text, "dataset"
        return (self._sources.model if of == ORIGINAL else self._sources.companion), "model"

    def _revision(self, of: str) -> str:
        """The revision that the folder has, without asking the hub; else the one that the hub has."""
        name, _ = self._named(of)
        known = self._journal.revisions.get(str(name))
        return self._source(of).revision if known is None else known

    def _source(self, of: str) -> Repository:
        """The repository of a file, opened when it is first needed."""
        name, kind = self._named(of)
        if str(name) not in self._repositories:
            opened = open_repository(name, kind, self._journal.revisions.get(str(name), ""))
            self._repositories[str(name)] = opened
            self._journal.revisions[str(name)] = opened.revision
        return self._repositories[str(name)]

    def _require_room(self, missing: set[str]) -> None:
        """Outputs and downloads that are still to come. Raises PreparationFailed."""
        sizes = self._sizes
        outputs = {
            ORIGINAL: weights_bytes(sizes.model_shape),
            COMPANION: weights_bytes(sizes.companion_shape),
            **{
                token_file(part): BYTES_PER_TOKEN * tokens
                for part, tokens in (sizes.hidden_tokens | sizes.public_tokens).items()
            },
        }
        written = sum(path.stat().st_size for path in self._folder.glob("*.growing"))
        output_bytes = sum(size for name, size in outputs.items() if name in missing) - written
        download_bytes = 0
        for name in (COMPANION, ORIGINAL):
            if name in missing:
                source = self._source(name)
                download_bytes += source.missing_bytes(source.file(_CHECKPOINT))
        if missing & {token_file(part) for part in (*HIDDEN_PARTS, *PUBLIC_PARTS)}:
            source, read_bytes = self._source("text"), 0
            for file in source.parquet_files():
                if read_bytes < sizes.text_download_bytes:
                    download_bytes += source.missing_bytes(file)
                    read_bytes += file.size_bytes
        cache = Path(library("huggingface_hub.constants").HF_HUB_CACHE)
        require_room({self._folder: max(output_bytes, 0), cache: download_bytes})

    def _copy_tokenizer(self, origins: dict[str, str]) -> None:
        found = self._source(COMPANION).fetch(TOKENIZER, self._report)
        self._tokenizer(found)
        with whole_file(self._folder / TOKENIZER) as file:
            file.write(found.read_bytes())
        self._journal.finished({TOKENIZER: origins[TOKENIZER]})

    def _tokenizer(self, file: Path) -> HubTokenizer:
        return HubTokenizer(
            file,
            vocabulary_size=self._sizes.companion_shape.vocabulary_size,
            boundary=self._sizes.boundary,
            boundary_token=self._sizes.boundary_token,
        )

    def _text(self) -> Text:
        split = DocumentSplit(self._key, HELD_OUT, self._sizes.held_out_share)
        tokenizer = self._tokenizer(self._folder / TOKENIZER)
        return Text(self._source("text"), tokenizer, split, self._sizes, self._report)

    def _write_public(self, origins: dict[str, str]) -> None:
        made_from = {token_file(part): origins[token_file(part)] for part in PUBLIC_PARTS}
        state = PublicState.read(self._journal.text, origin(made_from))
        complete = write_public(self._text(), self._folder, state, self._save_public)
        # Digests first, so that hardly any time passes between the new names and the journal.
        for part, path in complete.items():
            name = token_file(part)
            self._journal.files[name] = entry(path, made_from[name])
        for part, path in complete.items():
            path.replace(self._folder / token_file(part))
        sync_folder(self._folder)
        self._journal.save()

    def _save_public(self, state: PublicState) -> None:
        self._journal.text = state.as_json()
        self._journal.save()

    def _write_manifest(self) -> None:
        content = {
            "format": FORMAT,
            "sources": {
                str(name): self._journal.revisions[str(name)]
                for name in (self._sources.model, self._sources.companion, self._sources.text)
            },
            "vocabulary_size": self._sizes.model_shape.vocabulary_size,
            "boundary_token": self._sizes.boundary_token,
            "mask_token": self._sizes.model_shape.vocabulary_size,
            "model_shape": asdict(self._sizes.model_shape),
            "companion_shape": asdict(self._sizes.companion_shape),
            "files": {name: asdict(self._journal.files[name]) for name in FILES},
            "text": self._journal.text,
        }
        write_json(self._folder / MANIFEST, content)


def _split_key(folder: Path) -> bytes:
    """The folder's own; drawn when it is first asked for."""
    path = folder / _SPLIT_KEY
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        key = b""
    if len(key) != KEY_BYTES:
        key = os.urandom(KEY_BYTES)
        with whole_file(path) as file:
            file.write(key)
        path.chmod(0o600)
    return key
