# mypy: ignore-errors
"""Kernels that are compiled in tests."""

import triton
import triton.language as tl


@triton.jit
def sums(x, y, n, block_size: tl.constexpr):
    at = tl.program_id(0) * block_size + tl.arange(0, block_size)
    tl.store(y + at, tl.cumsum(tl.load(x + at, mask=at < n, other=0), 0), mask=at < n)


@triton.jit
def nonsense(x, y, n, block_size: tl.constexpr):
    at = tl.program_id(0) * block_size + tl.arange(0, block_size)
    tl.store(y + at, tl.no_such_function(x + at))
