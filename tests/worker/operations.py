"""Operations for tests, run in the worker."""

import os
import time
from pathlib import Path
from typing import Any


def refuse(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    raise ValueError(f"no {arguments['what']} today")


def refuse_at_length(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    """Each character takes twelve bytes of JSON."""
    raise ValueError("\U0001f370" * 20_000)


def read_all(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[str]:
    return [os.read(descriptor, 100).decode() for descriptor in descriptors]


def wait_for_end(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> str:
    """Report that it began, then wait for the end of the descriptor."""
    context.report(0, 1, "begun")
    return os.read(descriptors[0], 1).decode()


def remember(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[str]:
    context.sessions[arguments["key"]] = time.monotonic()
    return sorted(context.sessions)


def enormous(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> str:
    return "x" * (1 << 20)


def not_a_number(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> float:
    return float("nan")


def say(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    print(arguments["text"])


def end(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    os._exit(1)


def parent(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    import sys

    return {"path": sys.path, "pid": os.getpid(), "environment": sorted(os.environ)}


def open_descriptors(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def expected(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[int]:
    import torch

    from scorer_service.environments.triton_cumsum.expected import expected_prefix_sum

    output = expected_prefix_sum(torch.tensor(arguments["values"], dtype=torch.int32))
    assert output.dtype == torch.int32
    values: list[int] = output.tolist()
    return values


def public_input(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[int]:
    import torch

    from scorer_service.environments.triton_cumsum.public_inputs import public_input

    values = public_input(arguments["contents"], arguments["size"])
    assert values.dtype == torch.int32
    numbers: list[int] = values.tolist()
    return numbers


def compile_kernel(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[str]:
    from scorer_service.environments.triton_cumsum.kernel_compilation import compile_for_gpu
    from tests.worker import kernels

    made = compile_for_gpu(
        getattr(kernels, arguments["kernel"]),
        {"x": "*i32", "y": "*i32", "n": "i32", "block_size": "constexpr"},
        {"block_size": 1024},
        capability=arguments["capability"],
    )
    return [str(made["ptx"]), *made]
