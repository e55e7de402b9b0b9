"""The folder of what agents may see of a task: mounted for every script, handed out with the starter."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from scorer_service.environments.interface import StarterFile

Content: TypeAlias = bytes | Path | Callable[[], Iterable[bytes]]
"""Of a file: its bytes, a file to copy, or what makes it piece by piece."""

STARTER_FILE_LIMIT_BYTES = 64 << 20
"""What is larger stays out of a starter and out of memory; scripts find it all the same."""

_PIECE_BYTES = 4 << 20


def folder(cache_dir: Path) -> Path:
    """Where it is. Made, if it is not there: it can be mounted before it is filled."""
    path = cache_dir / "public"
    path.mkdir(parents=True, exist_ok=True)
    # The folders above are the server's alone, which a mount does not go through.
    path.chmod(0o755)
    return path


def fill(public_dir: Path, contents: Mapping[str, Content]) -> None:
    """Write what is not there yet, or differs; remove all else. Blocks. Raises OSError."""
    for path in public_dir.iterdir():
        if path.name not in contents:
            path.unlink()
    for name, content in contents.items():
        path = public_dir / name
        if isinstance(content, Path) and content.stat().st_size > STARTER_FILE_LIMIT_BYTES:
            _link(path, content)
        else:
            _provide(path, content)


def starter_files(public_dir: Path) -> Iterator[StarterFile]:
    """What is in it and not too large, as a starter's folder `data`. Reads; blocks."""
    for path in _files(public_dir):
        if path.stat().st_size <= STARTER_FILE_LIMIT_BYTES:
            yield StarterFile(f"data/{path.name}", path.read_bytes())


def left_out(public_dir: Path) -> list[str]:
    """Names of the files that are too large for a starter."""
    return [path.name for path in _files(public_dir) if path.stat().st_size > STARTER_FILE_LIMIT_BYTES]


def _files(public_dir: Path) -> list[Path]:
    return sorted(path for path in public_dir.iterdir() if path.is_file())


def _link(path: Path, source: Path) -> None:
    """Another name for a large file where that is possible, or else a copy."""
    if path.exists() and path.samefile(source):
        return
    new = path.with_name(f".{path.name}.new")
    try:
        new.hardlink_to(source)
        # As readable as a copy; the folder that it comes from is closed to others.
        new.chmod(0o644)
        new.replace(path)
    except OSError:
        # Another file system, or not ours.
        new.unlink(missing_ok=True)
        _provide(path, source)


def _provide(path: Path, content: Content) -> None:
    if not path.is_file() or not _holds(path, _pieces(content)):
        _write(path, _pieces(content))


def _pieces(content: Content) -> Iterable[bytes]:
    if isinstance(content, bytes):
        return (content,)
    return _pieces_of(content) if isinstance(content, Path) else content()


def _pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _holds(path: Path, pieces: Iterable[bytes]) -> bool:
    with path.open("rb") as file:
        return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    """Whole or not at all, and readable by whoever a sandbox runs as."""
    new = path.with_name(f".{path.name}.new")
    try:
        # What may be there since a server was killed can be a link to a file that must not change.
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
            file.writelines(pieces)
        new.chmod(0o644)
        new.replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        raise
