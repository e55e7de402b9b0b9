"""The folder of what an agent may see: texts and tokenizer. Nothing hidden is in it, and no weights.

It is mounted in every sandbox of submitted Python, and handed out with the starter.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import scorer_service.language
from scorer_service.language import corpus

_TOKENIZER = Path(scorer_service.language.__file__).parent / "tokenizer.py"


def folder(cache_dir: Path) -> Path:
    """Where it is. Made, if it is not there: it can be mounted before it is filled."""
    path = cache_dir / "public"
    path.mkdir(parents=True, exist_ok=True)
    # The folders above are the server's alone, which a mount does not go through.
    path.chmod(0o755)
    return path


def prepare(public_dir: Path) -> None:
    """Write what is not there yet, or differs. Blocks. Raises OSError, CorpusDamaged."""
    contents = {**corpus.starter_files(), _TOKENIZER.name: _TOKENIZER.read_bytes()}
    for path in public_dir.iterdir():
        if path.name not in contents:
            path.unlink()
    for name, content in contents.items():
        path = public_dir / name
        if not path.is_file() or path.read_bytes() != content:
            _write(path, content)


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
