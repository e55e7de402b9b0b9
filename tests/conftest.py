"""What all tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def torch_python(repository: Path) -> Path:
    """The interpreter that has torch and triton: of SCORER_TORCH_PYTHON, or what `make setup` makes."""
    python = Path(os.environ.get("SCORER_TORCH_PYTHON") or repository / ".venv-torch" / "bin" / "python")
    if not python.exists():
        pytest.skip(f"no torch: `make setup` makes {python}, or name another in SCORER_TORCH_PYTHON")
    return python
