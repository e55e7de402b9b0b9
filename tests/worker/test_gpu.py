"""The trials on a GPU: memory shared between processes, and what goes wrong with it. Skipped without one."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from scorer_service.worker.client import Worker, WorkerUnavailable
from tests.worker.plain_programs import Program, WarmProcess, open_program

pytestmark = [pytest.mark.gpu, pytest.mark.asyncio(loop_scope="module")]

RIGHT = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(torch.where(before % 2 == 1, x, 0), 0, dtype=torch.int32)
"""

Open = Callable[..., Awaitable[Program]]


@pytest.fixture(scope="module")
def warm(torch_python: Path) -> Iterator[WarmProcess]:
    warm = WarmProcess(torch_python, interpreted=False)
    yield warm
    warm.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def gpu_worker(torch_python: Path) -> AsyncIterator[Worker]:
    worker = Worker(torch_python, "cuda")
    try:
        await worker.start()
    except WorkerUnavailable as unavailable:
        pytest.skip(f"no GPU: {unavailable}")
    yield worker
    await worker.close()


@pytest_asyncio.fixture(loop_scope="module")
async def opened(gpu_worker: Worker, warm: WarmProcess, tmp_path: Path) -> AsyncIterator[Open]:
    programs: list[Program] = []

    async def open_(source: str, **more: Any) -> Program:
        folder = tmp_path / str(len(programs))
        folder.mkdir()
        programs.append(
            await open_program(gpu_worker, warm, folder, source, **{"element_count": 1_000_000} | more)
        )
        assert (await programs[-1].ask("load"))["status"] == "ok"
        return programs[-1]

    yield open_
    for program in programs:
        program.kill()
        await program.ask("close_session")


async def test_a_right_solution_is_right_everywhere_and_timed(opened: Open) -> None:
    program = await opened(RIGHT)
    assert (await program.ask("check_public"))["status"] == "ok"
    assert (await program.ask("check_hidden"))["status"] == "ok"
    assert len((await program.measure(trial_count=7))["samples_ns"]) == 7


async def test_an_output_on_the_host_is_refused(opened: Open) -> None:
    program = await opened(RIGHT + "\nright = prefix_sum\ndef prefix_sum(x):\n    return right(x).cpu()\n")
    assert "on device cpu, not cuda:0" in (await program.ask("check_public"))["message"]


async def test_the_output_of_a_cuda_graph_is_read_before_the_next_call(opened: Open) -> None:
    program = await opened(
        RIGHT
        + """
right, graphs = prefix_sum, {}

def prefix_sum(x):
    if x.numel() not in graphs:
        given = torch.zeros_like(x)
        right(given)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            made = right(given)
        graphs[x.numel()] = graph, given, made
    graph, given, made = graphs[x.numel()]
    given.copy_(x)
    graph.replay()
    return made
"""
    )
    assert (await program.measure(calls_per_window=3))["status"] == "ok"


async def test_work_that_goes_on_after_done_is_not_done(opened: Open) -> None:
    program = await opened(
        RIGHT
        + """
import os
right = prefix_sum

class Late(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.copy_:
            output, source = args
            with torch.cuda.stream(torch.cuda.Stream()):
                torch.cuda._sleep(2_000_000_000)
                output.copy_(source.as_subclass(torch.Tensor))
            torch.cuda.synchronize = lambda *ignored: None
            return output
        return super().__torch_function__(function, types, args, kwargs or {})

def prefix_sum(x):
    return right(x).as_subclass(Late)
"""
    )
    answer = await program.measure()
    # Turns are taken: the probe may wait for all of that work, which then is on the clock.
    assert answer["status"] == "wrong" or min(answer["samples_ns"]) > 500_000_000


async def test_compile_errors_of_triton_have_their_line(opened: Open) -> None:
    program = await opened(
        """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x):
    tl.no_such_function(x)

def prefix_sum(x):
    kernel[(1,)](x)
    return x
"""
    )
    message = (await program.ask("check_public"))["message"]
    assert "tl.no_such_function(x)" in message
