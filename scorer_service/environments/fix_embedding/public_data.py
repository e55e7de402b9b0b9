"""What an agent may see: the damaged model, its companion, texts, tokenizer and architecture."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import scorer_service.language
from scorer_service.environments import public_folder
from scorer_service.language import permutation, shapes
from scorer_service.language.materials import Materials

DAMAGED_FILE = "damaged.safetensors"
COMPANION_FILE = "companion.safetensors"
_LANGUAGE = Path(scorer_service.language.__file__).parent


def contents(materials: Materials, secret: bytes) -> Mapping[str, public_folder.Content]:
    """By name. Nothing hidden. The damaged model is made when it is asked for, by the secret."""

    def damaged() -> Iterator[bytes]:
        with materials.original.path.open("rb") as file:
            yield from permutation.damaged(file, secret)

    return {
        **materials.public_files,
        # The architecture, and a reader of the tokenizer.
        "model.py": _module("model.py")
        .replace(
            # As it finds the other where both are files in one folder.
            "from scorer_service.language.shapes import",
            "from shapes import",
        )
        .encode(),
        "shapes.py": _shapes(materials).encode(),
        "tokenizer.py": _module("tokenizer.py").encode(),
        COMPANION_FILE: materials.companion,
        DAMAGED_FILE: damaged,
    }


def _shapes(materials: Materials) -> str:
    """The module with the sizes of the models that are handed out."""
    text = _module("shapes.py")
    for ours, theirs in (
        (shapes.ORIGINAL, materials.shape),
        (shapes.COMPANION, materials.companion_shape),
    ):
        text = text.replace(f" = {ours!r}\n", f" = {theirs!r}\n")
    return text


def _module(name: str) -> str:
    return (_LANGUAGE / name).read_text(encoding="utf-8")
