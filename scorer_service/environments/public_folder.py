"""The folder of what agents may see of a task: mounted for every script, handed out with the starter."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer_service.environments.interface import StarterFile


def folder(cache_dir: Path) -> Path:
    """Where it is. Made, if it is not there: it can be mounted before it is filled."""
    path = cache_dir / "public"
    path.mkdir(parents=True, exist_ok=True)
    # The folders above are the server's alone, which a mount does not go through.
    path.chmod(0o755)
    return path


def fill(public_dir: Path, contents: Mapping[str, bytes]) -> None:
    """Write what is not there yet, or differs; remove all else. Blocks. Raises OSError."""
    for path in public_dir.iterdir():
        if path.name not in contents:
            path.unlink()
    for name, content in contents.items():
        path = public_dir / name
        if not path.is_file() or path.read_bytes() != content:
            _write(path, content)


def starter_files(public_dir: Path) -> Iterator[StarterFile]:
    """What is in it, as a starter's folder `data`. Reads; blocks."""
    for path in sorted(public_dir.iterdir()):
        if path.is_file():
            yield StarterFile(f"data/{path.name}", path.read_bytes())


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
