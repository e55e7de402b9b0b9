"""What the environments of language models are made of: what ships, or what an operator's folder holds."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer_service.file_digest import file_sha256
from scorer_service.language import corpus, own_hidden_text, shapes, shipped
from scorer_service.language.corpus import CorpusDamaged
from scorer_service.language.own_hidden_text import OwnHiddenTextDamaged
from scorer_service.language.paper import prepared
from scorer_service.language.paper.data import COMPANION, FILES, ORIGINAL, token_file
from scorer_service.language.paper.prepared import DataDamaged, NotPrepared
from scorer_service.language.shapes import GptShape

PAPER_FOLDER = "paper"
"""Inside the folder of an operator's data."""


FIX_EMBEDDING_FILES = frozenset(FILES) - {token_file("hidden_masked")}
RESTRICTED_MLM_FILES = frozenset(FILES) - {ORIGINAL, COMPANION, token_file("hidden_causal")}
"""Prepared files that each environment reads."""


class MaterialsUnavailable(Exception):
    """Something is missing or damaged; the message says what, and how to get it."""


@dataclass(frozen=True)
class PinnedFile:
    """A file that is the one it should be."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Solution:
    """A model of `restricted_mlm` with its weights."""

    model: Path
    weights: Path
    weights_sha256: str
    sha256: str
    """Of model and weights, one after the other."""


@dataclass(frozen=True)
class AnchorSolutions:
    """Those of which the scores are 0 and 1."""

    starting: Solution
    reference: Solution


@dataclass(frozen=True)
class Materials:
    """Models and texts of a profile. Token files have two bytes a token, the lower first."""

    shape: GptShape
    original: PinnedFile
    """The model that is damaged for `fix_embedding`."""
    companion_shape: GptShape
    companion: Path
    """The smaller model that goes out with the task."""
    hidden_causal: PinnedFile
    """Tokens that `fix_embedding` judges on."""
    hidden_masked: PinnedFile
    """Tokens that `restricted_mlm` judges on."""
    validation: Path
    """Tokens that everybody has: what is found on them may be told."""
    public_files: Mapping[str, bytes | Path]
    """Texts and tokenizer, as agents get them."""
    vocabulary_size: int
    boundary_token: int
    """Stands before every document."""
    mask_token: int
    """Stands in for a token that is to be predicted. May be one more than the vocabulary has."""
    solutions: AnchorSolutions | None
    """Of `restricted_mlm`; None where the anchors are published ones."""


def load(profile: str, data_dir: Path | None, checked: Collection[str] = FILES) -> Materials:
    """Those of a profile. `data_dir` holds what an operator has imported or prepared.

    Of prepared files those in `checked` are held against their digests; that blocks for seconds a gigabyte.

    Raises:
        MaterialsUnavailable: something is missing or damaged.
        KeyError: there is no such profile.
    """
    makers: Mapping[str, Callable[[], Materials]] = {
        "embedded": lambda: embedded(data_dir),
        "paper": lambda: paper(data_dir, checked),
    }
    make = makers[profile]
    try:
        return make()
    except (CorpusDamaged, DataDamaged, NotPrepared, OwnHiddenTextDamaged) as error:
        raise MaterialsUnavailable(str(error)) from error
    except OSError as error:
        raise MaterialsUnavailable(
            f"{error.filename or 'data'} cannot be read ({error.strerror}): see who may read it, or install"
            " the service again"
        ) from error


def embedded(data_dir: Path | None) -> Materials:
    """What ships; but the hidden text is the operator's own where there is one."""
    manifest, models = corpus.load_manifest(), shipped.load_models()
    own = own_hidden_text.load(data_dir) if data_dir is not None else None
    split = manifest.splits["hidden"]
    hidden = PinnedFile(own.tokens, own.sha256) if own else _pinned(split.file, split.sha256)
    return Materials(
        shape=shapes.ORIGINAL,
        original=_pinned(models["original"].file, models["original"].sha256),
        companion_shape=shapes.COMPANION,
        companion=_pinned(models["companion"].file, models["companion"].sha256).path,
        hidden_causal=hidden,
        hidden_masked=hidden,
        validation=manifest.splits["validation"].file,
        public_files=corpus.starter_files(),
        vocabulary_size=manifest.vocabulary_size,
        boundary_token=manifest.boundary_token,
        mask_token=manifest.mask_token,
        solutions=AnchorSolutions(
            starting=_solution(models["restricted_mlm_starting"], "starting_model.py"),
            reference=_solution(models["restricted_mlm_reference"], "reference_model.py"),
        ),
    )


def paper(data_dir: Path | None, checked: Collection[str] = FILES) -> Materials:
    """What `scorer data prepare paper` made."""
    if data_dir is None:
        raise NotPrepared(f"there is no folder with prepared data: run `{prepared.COMMAND}`")
    data = prepared.load(data_dir / PAPER_FOLDER, checked)
    return Materials(
        shape=data.shape,
        original=_prepared(data, data.original),
        companion_shape=data.companion_shape,
        companion=data.companion,
        hidden_causal=_prepared(data, data.hidden_causal),
        hidden_masked=_prepared(data, data.hidden_masked),
        validation=data.validation,
        public_files={
            "tokenizer.json": data.tokenizer,
            token_file("training"): data.training,
            token_file("validation"): data.validation,
        },
        vocabulary_size=data.vocabulary_size,
        boundary_token=data.boundary_token,
        mask_token=data.mask_token,
        solutions=None,
    )


def _solution(weights: shipped.ShippedModel, model: str) -> Solution:
    path = shipped.RESTRICTED_MLM / model
    sha256 = hashlib.sha256(path.read_bytes() + weights.read()).hexdigest()
    return Solution(path, weights.file, weights.sha256, sha256)


def _prepared(data: prepared.Prepared, path: Path) -> PinnedFile:
    return PinnedFile(path, data.files[path.name].sha256)


def _pinned(path: Path, sha256: str) -> PinnedFile:
    if (found := file_sha256(path)) != sha256:
        raise CorpusDamaged(
            f"{path} has SHA-256 {found}, the manifest says {sha256}: install the service again"
        )
    return PinnedFile(path, sha256)
