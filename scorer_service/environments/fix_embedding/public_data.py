"""What an agent may see: the damaged model, its companion, texts, tokenizer and architecture."""

from pathlib import Path

import scorer_service.language
from scorer_service.environments import public_folder
from scorer_service.environments.fix_embedding import profiles
from scorer_service.language import corpus, permutation

DAMAGED_FILE = "damaged.safetensors"
COMPANION_FILE = "companion.safetensors"
_LANGUAGE = Path(scorer_service.language.__file__).parent
_MODULES = ("model.py", "shapes.py", "tokenizer.py")
"""The architecture, and a reader of the tokenizer."""
# As the modules find each other here, where they are files in one folder.
_IMPORTS = {b"from scorer_service.language.shapes import": b"from shapes import"}


def prepare(public_dir: Path, secret: bytes) -> None:
    """Write what is not there yet, or differs. Blocks. Raises OSError, CorpusDamaged, and ValueError
    without a secret."""
    contents = corpus.starter_files()
    contents |= {name: _public(_LANGUAGE / name) for name in _MODULES}
    contents[COMPANION_FILE] = profiles.companion_weights().read_bytes()
    contents[DAMAGED_FILE] = permutation.damage(profiles.original_weights().read_bytes(), secret)
    public_folder.fill(public_dir, contents)


def _public(path: Path) -> bytes:
    content = path.read_bytes()
    for ours, theirs in _IMPORTS.items():
        content = content.replace(ours, theirs)
    return content
