"""Whether a device computes right: known inputs, exact answers, and how fast it copies.

Run by the worker, with the device alone. Everything is compared exactly: integers, and floating point numbers
of few digits, for which every order of adding gives the same.
"""

import secrets
import time
from typing import Any

import torch

from scorer_service.worker.context import Context
from scorer_service.worker.device import Device

ELEMENT_COUNT = {"cpu": 1 << 20, "cuda": 1 << 26}
"""int32 of each buffer: 4 MiB, or 256 MiB, which no cache of a GPU holds."""
MATRIX_SIZE = {"cpu": 128, "cuda": 2048}
COPY_ROUNDS = 5
COPIES_A_ROUND = 4


def run(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    """Answers with `failures`, a sentence each, and `copy_bytes_per_s`, read and written bytes together."""
    device = context.device
    failures = [
        failure for failure in (_memory(device), _integers(device), _matrices(device)) if failure is not None
    ]
    return {"failures": failures, "copy_bytes_per_s": _copy_bytes_per_s(device)}


def _memory(device: Device) -> str | None:
    """Words that were drawn on the host must come back from the device as they went there."""
    count = ELEMENT_COUNT[device.kind]
    # Drawn anew each time: what a broken copy leaves behind must not be the answer of the last test.
    chance = torch.Generator().manual_seed(secrets.randbits(63))
    sent = torch.randint(-(2**31), 2**31, (count,), dtype=torch.int32, generator=chance)
    there = sent.to(device.torch_device, copy=True)
    copied = torch.empty_like(there)
    copied.copy_(there)
    device.synchronize()
    wrong = int((copied.cpu() != sent).sum())
    return f"{wrong} of {count} words were changed by a copy through the device" if wrong else None


def _integers(device: Device) -> str | None:
    """0 + 1 + ... + (n - 1) = n (n - 1) / 2."""
    count = ELEMENT_COUNT[device.kind]
    found = int(torch.arange(count, dtype=torch.int64, device=device.torch_device).sum())
    wanted = count * (count - 1) // 2
    return f"the sum of {count} integers was {found}, not {wanted}" if found != wanted else None


def _matrices(device: Device) -> str | None:
    """(a_ij) with a_ij = i mod 7, times its transpose: element (i, j) is n (i mod 7) (j mod 7), below
    2^24."""
    size = MATRIX_SIZE[device.kind]
    column = (torch.arange(size, device=device.torch_device) % 7).to(torch.float32)
    matrix = column[:, None].expand(size, size).contiguous()
    found = (matrix @ matrix.T).cpu()
    host = (torch.arange(size) % 7).to(torch.float32)
    wrong = int((found != size * host[:, None] * host[None, :]).sum())
    return f"{wrong} of {size * size} elements of a product of matrices were wrong" if wrong else None


def _copy_bytes_per_s(device: Device) -> float:
    """The fastest of some rounds: what else the machine does can only slow one down."""
    count = ELEMENT_COUNT[device.kind]
    source = torch.ones(count, dtype=torch.int32, device=device.torch_device)
    target = torch.zeros_like(source)
    fastest_ns = min(_copy_ns(device, source, target) for _ in range(COPY_ROUNDS))
    return 8 * count / (fastest_ns / 1e9)


def _copy_ns(device: Device, source: torch.Tensor, target: torch.Tensor) -> float:
    device.synchronize()
    began_ns = time.perf_counter_ns()
    for _ in range(COPIES_A_ROUND):
        target.copy_(source)
    device.synchronize()
    return (time.perf_counter_ns() - began_ns) / COPIES_A_ROUND
