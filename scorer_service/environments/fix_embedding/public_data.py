"""The folder of what an agent may see: the damaged model, its companion, texts, tokenizer and architecture.

It is mounted in every sandbox of submitted Python, and handed out with the starter. Nothing hidden is in it.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import scorer_service.language
from scorer_service.environments.fix_embedding import profiles
from scorer_service.language import corpus, permutation

DAMAGED_FILE = "damaged.safetensors"
COMPANION_FILE = "companion.safetensors"
_LANGUAGE = Path(scorer_service.language.__file__).parent
_MODULES = ("model.py", "shapes.py", "tokenizer.py")
"""The architecture, and a reader of the tokenizer."""
# As the modules find each other here, where they are files in one folder.
_IMPORTS = {b"from scorer_service.language.shapes import": b"from shapes import"}


def folder(cache_dir: Path) -> Path:
    """Where it is. Made, if it is not there: it can be mounted before it is filled."""
    path = cache_dir / "public"
    path.mkdir(parents=True, exist_ok=True)
    # The folders above are the server's alone, which a mount does not go through.
    path.chmod(0o755)
    return path


def prepare(public_dir: Path, secret: bytes) -> None:
    """Write what is not there yet, or differs. Blocks. Raises OSError, CorpusDamaged, and ValueError
    without a secret."""
    contents = corpus.starter_files()
    contents |= {name: _public(_LANGUAGE / name) for name in _MODULES}
    contents[COMPANION_FILE] = profiles.companion_weights().read_bytes()
    contents[DAMAGED_FILE] = permutation.damage(profiles.original_weights().read_bytes(), secret)
    for path in public_dir.iterdir():
        if path.name not in contents:
            path.unlink()
    for name, content in contents.items():
        path = public_dir / name
        if not path.is_file() or path.read_bytes() != content:
            _write(path, content)


def _public(path: Path) -> bytes:
    content = path.read_bytes()
    for ours, theirs in _IMPORTS.items():
        content = content.replace(ours, theirs)
    return content


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, and readable by whoever a sandbox runs as."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
