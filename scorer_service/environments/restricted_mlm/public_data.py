"""What an agent may see: texts and tokenizer. Nothing hidden, and no weights."""

from pathlib import Path

import scorer_service.language
from scorer_service.environments import public_folder
from scorer_service.language import corpus

_TOKENIZER = Path(scorer_service.language.__file__).parent / "tokenizer.py"


def prepare(public_dir: Path) -> None:
    """Write what is not there yet, or differs. Blocks. Raises OSError, CorpusDamaged."""
    contents = {**corpus.starter_files(), _TOKENIZER.name: _TOKENIZER.read_bytes()}
    public_folder.fill(public_dir, contents)
