"""An interpreter with torch."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def torch_python(repository: Path) -> Path:
    """The interpreter in which torch is installed."""
    made = repository / ".venv-torch" / "bin" / "python"
    if made.exists():
        return made
    if named := os.environ.get("SCORER_TORCH_PYTHON"):
        return Path(named)
    pytest.skip("no interpreter with torch: `make setup` makes .venv-torch, or set SCORER_TORCH_PYTHON")
