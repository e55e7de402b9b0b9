"""An interpreter with torch, and a worker of the CPU run by it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scorer_service.worker.client import Worker


@pytest.fixture
async def worker(torch_python: Path) -> AsyncIterator[Worker]:
    """A worker of the CPU."""
    worker = Worker(torch_python, "cpu")
    await worker.start()
    yield worker
    await worker.close()
