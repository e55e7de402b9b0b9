"""An interpreter with torch, and a worker of the CPU run by it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scorer_service.worker.client import Worker


@pytest.fixture(scope="session")
def torch_python(repository: Path) -> Path:
    """The interpreter in which torch is installed."""
    made = repository / ".venv-torch" / "bin" / "python"
    if made.exists():
        return made
    if named := os.environ.get("SCORER_TORCH_PYTHON"):
        return Path(named)
    pytest.skip("no interpreter with torch: `make setup` makes .venv-torch, or set SCORER_TORCH_PYTHON")


@pytest.fixture
async def worker(torch_python: Path) -> AsyncIterator[Worker]:
    """A worker of the CPU."""
    worker = Worker(torch_python, "cpu")
    await worker.start()
    yield worker
    await worker.close()
