"""What an agent may see: texts and tokenizer. Nothing hidden, and no weights."""

from collections.abc import Mapping
from pathlib import Path

import scorer_service.language
from scorer_service.environments import public_folder
from scorer_service.language.materials import Materials

_TOKENIZER = Path(scorer_service.language.__file__).parent / "tokenizer.py"


def contents(materials: Materials) -> Mapping[str, public_folder.Content]:
    """By name."""
    return {**materials.public_files, _TOKENIZER.name: _TOKENIZER}
