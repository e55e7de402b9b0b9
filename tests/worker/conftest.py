"""Workers of the CPU, and programs for them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from scorer_service.worker.client import Worker
from tests.worker.plain_programs import RIGHT, Open, Program, WarmProcess, open_program


@pytest.fixture
async def worker(torch_python: Path) -> AsyncIterator[Worker]:
    """A worker of the CPU."""
    worker = Worker(torch_python, "cpu")
    await worker.start()
    yield worker
    await worker.close()


@pytest.fixture(scope="module")
def warm(torch_python: Path) -> Iterator[WarmProcess]:
    warm = WarmProcess(torch_python)
    yield warm
    warm.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared_worker(torch_python: Path) -> AsyncIterator[Worker]:
    worker = Worker(torch_python, "cpu")
    await worker.start()
    yield worker
    await worker.close()


@pytest_asyncio.fixture(loop_scope="module")
async def opened(shared_worker: Worker, warm: WarmProcess, tmp_path: Path) -> AsyncIterator[Open]:
    """Opens programs; at the end an honest one must be served as before."""
    programs: list[Program] = []

    async def open_(source: str, **more: Any) -> Program:
        folder = tmp_path / str(len(programs))
        folder.mkdir()
        programs.append(await open_program(shared_worker, warm, folder, source, **more))
        return programs[-1]

    yield open_
    restarts = shared_worker.restarts
    honest = await open_(RIGHT, element_count=100)
    assert (await honest.ask("load"))["status"] == "ok"
    assert (await honest.measure())["status"] == "ok"
    for program in programs:
        program.kill()
        await program.ask("close_session")
    assert shared_worker.restarts == restarts
