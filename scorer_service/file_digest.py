"""What a file is named by where its content matters."""

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex. Blocks. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
