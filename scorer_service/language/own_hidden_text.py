"""An operator's own hidden text, as it lies in the state folder from its import on."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.file_digest import file_sha256
from scorer_service.language import corpus
from scorer_service.language.hidden_import import HiddenText
from scorer_service.whole_file import whole_file

FOLDER = "hidden"
"""Inside the folder of an operator's data."""
COMMAND = "scorer data import --hidden FILE"

_TOKENS, _MANIFEST = "hidden.u16", "manifest.json"
_FORMAT = 1


class OwnHiddenTextDamaged(Exception):
    """The text is not the one that was imported; the message says what would do."""


@dataclass(frozen=True)
class OwnHiddenText:
    """A text that was imported."""

    tokens: Path
    """Two bytes a token, the lower first."""
    sha256: str


def save(text: HiddenText, data_dir: Path) -> OwnHiddenText:
    """Write it, in place of an older one; the manifest last. Raises OSError."""
    folder = data_dir / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = corpus.to_bytes(text.tokens)
    sha256 = hashlib.sha256(content).hexdigest()
    manifest = {
        "format": _FORMAT,
        "sha256": sha256,
        "tokenizer_sha256": corpus.load_manifest().tokenizer_sha256,
        "token_count": len(text.tokens),
        "document_count": text.document_count,
        "character_count": text.character_count,
        "overlap": text.overlap,
    }
    # Both are on the disk before the first of them takes its name.
    with whole_file(folder / _MANIFEST) as file:
        file.write(f"{json.dumps(manifest, indent=1)}\n".encode())
        file.flush()
        with whole_file(folder / _TOKENS) as tokens:
            tokens.write(content)
    return OwnHiddenText(folder / _TOKENS, sha256)


def load(data_dir: Path) -> OwnHiddenText | None:
    """The text that was imported; None where none was. Raises OwnHiddenTextDamaged, OSError."""
    folder = data_dir / FOLDER
    tokens = folder / _TOKENS
    try:
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        # The tokens come first: an import that was broken off has not taken place.
        return None
    except ValueError as error:
        raise _damaged(folder / _MANIFEST, f"is no JSON ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise _damaged(folder / _MANIFEST, f"is not of format {_FORMAT}")
    if manifest.get("tokenizer_sha256") != corpus.load_manifest().tokenizer_sha256:
        raise _damaged(tokens, "was made with another tokenizer than this version has")
    try:
        sha256 = file_sha256(tokens)
    except FileNotFoundError as error:
        raise _damaged(tokens, "is missing") from error
    if sha256 != manifest.get("sha256"):
        raise _damaged(tokens, "is not the one that was imported")
    return OwnHiddenText(tokens, sha256)


def _damaged(path: Path, what: str) -> OwnHiddenTextDamaged:
    return OwnHiddenTextDamaged(
        f"{path} {what}: import the text again with `{COMMAND}`, or remove {path.parent} to judge on the text"
        " that ships"
    )
