"""Which attacks a run tries: a share of them in CI, all with SCORER_EXPLOITS=all (`make exploits`)."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

ALL = os.environ.get("SCORER_EXPLOITS") == "all"


def chosen_attacks(cases: Sequence[Path], one_in: int) -> list[Path]:
    """The honest controls, and one in so many attacks: always the same ones, by a digest of their names."""

    def is_chosen(path: Path) -> bool:
        if ALL or path.stem.startswith(("correct_", "wrong_")):
            return True
        return hashlib.sha256(path.stem.encode()).digest()[0] % one_in == 0

    return [path for path in cases if is_chosen(path)]
