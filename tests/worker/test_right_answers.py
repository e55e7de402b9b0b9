"""What the worker takes for right, beside a plain loop; and the inputs on which it insists."""

import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from scorer_service.environments.triton_cumsum import battery
from scorer_service.worker import client, protocol

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared_worker(torch_python: Path) -> AsyncIterator[client.Worker]:
    worker = client.Worker(torch_python, "cpu")
    await worker.start()
    yield worker
    await worker.close()


def prefix_sum(values: list[int]) -> list[int]:
    """The definition, word for word."""
    output = []
    for i in range(len(values)):
        total = 0
        for j in range(1, i + 1):
            if sum(value > 0 for value in values[:j]) % 2 == 1:
                total += values[j]
        output.append((total + 2**31) % 2**32 - 2**31)
    return output


LARGEST, SMALLEST = 2**31 - 1, -(2**31)
CASES = {
    "nothing": [],
    "one": [5],
    "the first is never added": [5, 0],
    "all are added after one positive": [1, -1, -2, -3],
    "every second is added": [1, 1, 1, 1, 1],
    "zero is not positive": [0, 7, 3, 2],
    "wraps upwards": [1, LARGEST, 0, LARGEST, LARGEST, 5],
    "wraps downwards": [1, SMALLEST, SMALLEST, SMALLEST, -1],
}


@pytest.mark.parametrize("case", CASES)
async def test_the_expected_output_is_the_definition(shared_worker: client.Worker, case: str) -> None:
    answer = await shared_worker.call("tests.worker.operations:expected", {"values": CASES[case]})
    assert answer == prefix_sum(CASES[case])


async def test_the_expected_output_is_the_definition_for_anything(shared_worker: client.Worker) -> None:
    chance = random.Random(1)
    for _ in range(60):
        low, high = chance.choice([(-10, 9), (SMALLEST, LARGEST), (-3, 1), (1, 9), (-9, 0)])
        values = [chance.randint(low, high) for _ in range(chance.randint(0, 60))]
        answer = await shared_worker.call("tests.worker.operations:expected", {"values": values})
        assert answer == prefix_sum(values)


CONTENTS: dict[str, Callable[[list[int]], bool]] = {
    "digits": lambda values: set(values) == set(range(-10, 10)),
    "positive": lambda values: min(values) == 1 and max(values) == 10,
    "negative": lambda values: min(values) == -10 and max(values) == -1,
    "zeros": lambda values: set(values) == {0},
    "sparse": lambda values: 0 < sum(value > 0 for value in values) < 30,
    "first positive": lambda values: values[0] > 0 > max(values[1:]),
    "last positive": lambda values: values[-1] > 0 > max(values[:-1]),
    "full range": lambda values: min(values) < -(2**30) and max(values) > 2**30,
    "largest": lambda values: set(values) == {LARGEST},
    "smallest after positive": lambda values: values[0] == 1 and set(values[1:]) == {SMALLEST},
}


@pytest.mark.parametrize("contents", CONTENTS)
async def test_contents_are_what_their_name_says(shared_worker: client.Worker, contents: str) -> None:
    arguments: dict[str, protocol.JSON] = {"contents": contents, "size": 10_000}
    values = await shared_worker.call("tests.worker.operations:public_input", arguments)
    assert len(values) == 10_000
    assert CONTENTS[contents](values)
    assert values == await shared_worker.call("tests.worker.operations:public_input", arguments)
    for size in (0, 1):
        few = await shared_worker.call(
            "tests.worker.operations:public_input", {"contents": contents, "size": size}
        )
        assert len(few) == size


async def test_the_battery_has_all_sizes_and_all_contents() -> None:
    cases = battery.cases(1000, battery.public_shift)
    sizes = {case.size for case in cases}
    assert {0, 1, 1023, 1024, 1025, 65535, 65536, 65537} <= sizes
    assert {case.contents for case in cases} == set(CONTENTS)
    assert {case.contents for case in cases if case.size == 1000} == set(CONTENTS)
    assert any(size % 2 for size in sizes)


@pytest.mark.parametrize("timed_size", [1, 1000, 65_536, 10**8])
async def test_no_case_is_larger_than_the_buffers(timed_size: int) -> None:
    for shift in (lambda limit: limit, lambda limit: -limit):
        sizes = [case.size for case in battery.cases(timed_size, shift)]
        assert min(sizes) == 0
        assert max(sizes) <= battery.largest_size(timed_size)


@pytest.mark.parametrize(("capability", "target"), [(80, "sm_80"), (90, "sm_90")])
async def test_kernels_are_compiled_for_gpus_that_are_not_here(
    shared_worker: client.Worker, capability: int, target: str
) -> None:
    ptx, *stages = await shared_worker.call(
        "tests.worker.operations:compile_kernel", {"kernel": "sums", "capability": capability}
    )
    assert f".target {target}" in ptx
    assert "cubin" in stages


async def test_the_line_of_a_compile_error_is_told(shared_worker: client.Worker) -> None:
    with pytest.raises(
        client.OperationFailed, match=r"tl\.store\(y \+ at, tl\.no_such_function\(x \+ at\)\)"
    ):
        await shared_worker.call(
            "tests.worker.operations:compile_kernel", {"kernel": "nonsense", "capability": 90}
        )


async def test_both_sides_have_the_same_file_for_sharing_gpu_memory(repository: Path) -> None:
    ours = repository / "scorer_service/worker/cuda_sharing.py"
    theirs = repository / "sandboxes/python/runner/cuda_sharing.py"
    assert ours.read_bytes() == theirs.read_bytes()
