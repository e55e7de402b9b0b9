"""What of a prepared folder is finished: none is made twice, and what is damaged is made again."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scorer_service.file_digest import file_sha256
from scorer_service.whole_file import whole_file

MANIFEST = "manifest.json"
PROGRESS = "progress.json"
"""In place of the manifest as long as something is missing."""


@dataclass(frozen=True)
class FileEntry:
    """A finished file."""

    sha256: str
    size_bytes: int
    made_from: str
    """Digest of everything that its content follows from."""


@dataclass
class Journal:
    """Written after each step. A folder has one from the first run on; its last one is the manifest."""

    folder: Path
    revisions: dict[str, str] = field(default_factory=dict)
    """Of each source: what the first run found. Later runs stay with it."""
    files: dict[str, FileEntry] = field(default_factory=dict)
    text: dict[str, Any] = field(default_factory=dict)
    """How far the public text is."""

    @classmethod
    def load(cls, folder: Path) -> "Journal":
        """The folder's journal; an empty one where there is none, or none that can be read."""
        for name in (PROGRESS, MANIFEST):
            try:
                written = json.loads((folder / name).read_text(encoding="utf-8"))
                return cls(
                    folder,
                    dict(written["sources"]),
                    {file: FileEntry(**entry) for file, entry in written["files"].items()},
                    dict(written["text"]),
                )
            except (FileNotFoundError, KeyError, TypeError, ValueError, AttributeError):
                continue
        return cls(folder)

    def has(self, name: str, made_from: str) -> bool:
        """Whether the file is finished, made from the same, and still what it was."""
        entry = self.files.get(name)
        path = self.folder / name
        return (
            entry is not None
            and entry.made_from == made_from
            and path.is_file()
            and path.stat().st_size == entry.size_bytes
            and file_sha256(path) == entry.sha256
        )

    def finished(self, made_from: Mapping[str, str]) -> None:
        """Files are complete at their place."""
        self.files.update({name: entry(self.folder / name, origin) for name, origin in made_from.items()})
        self.save()

    def save(self) -> None:
        """Write it, whole or not at all."""
        content = {
            "sources": self.revisions,
            "files": {name: asdict(entry) for name, entry in self.files.items()},
            "text": self.text,
        }
        write_json(self.folder / PROGRESS, content)


def entry(path: Path, made_from: str) -> FileEntry:
    """The entry of a complete file."""
    return FileEntry(file_sha256(path), path.stat().st_size, made_from)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """A JSON file, whole or not at all."""
    with whole_file(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def origin(*parts: Any) -> str:
    """Digest of what a file is made from: anything that JSON can write."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
