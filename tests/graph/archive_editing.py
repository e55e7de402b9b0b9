"""Takes archives apart and puts them together again, changed, with the standard library alone."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODEL = "models/model.json"
WEIGHTS = "data/weights/model_weights_config.json"
CONSTANTS = "data/constants/model_constants_config.json"


def read_parts(archive: Path) -> dict[str, bytes]:
    """The entries of an archive, without the folder that they lie in."""
    with zipfile.ZipFile(archive) as opened:
        return {name.partition("/")[2]: opened.read(name) for name in opened.namelist()}


def write_parts(target: Path, parts: dict[str, bytes], *, root: str = "model/") -> Path:
    """Write entries as they are, without compression."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(root + name, content)
    return target


def edit_json(archive: Path, target: Path, name: str, change: Callable[[Any], object]) -> Path:
    """Write the archive with one of its documents changed in place by `change`."""
    parts = read_parts(archive)
    document = json.loads(parts[name])
    change(document)
    parts[name] = json.dumps(document).encode()
    return write_parts(target, parts)
