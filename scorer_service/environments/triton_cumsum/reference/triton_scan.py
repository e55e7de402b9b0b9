"""The reference solution on a GPU: a scan in two passes over the data, with a short scan over the blocks between.

Whether an element counts depends on the parity of all positive ones before it, so a block alone knows two sums:
`counted` if the parity before it is even, and the rest of its total if it is odd. The first pass finds these, the
scan over the blocks finds which of them applies and what precedes each block, the second pass writes the result.
12 bytes an element are moved, 8 are the least; nothing waits for a neighbour, so no order of memory accesses between
programs has to be relied on.
"""

import torch
import triton
import triton.language as tl

BLOCK = 4096
BLOCKS_AT_ONCE = 4096


@triton.jit
def sum_blocks(x_ptr, positive_ptr, counted_ptr, total_ptr, n, BLOCK: tl.constexpr):
    """For each block: how many are positive, the sum of what counts if none was before it, the sum of all."""
    block = tl.program_id(0)
    offsets = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    positive = (x > 0).to(tl.int32)
    before = tl.cumsum(positive, 0) - positive
    tl.store(positive_ptr + block, tl.sum(positive, 0))
    tl.store(counted_ptr + block, tl.sum(x * (before & 1), 0).to(tl.int32))
    tl.store(total_ptr + block, tl.sum(x, 0).to(tl.int32))


@triton.jit
def scan_blocks(positive_ptr, counted_ptr, total_ptr, parity_ptr, base_ptr, blocks, CHUNK: tl.constexpr):
    """For each block: the parity of the positive ones before it, and the sum before it. One program."""
    positive_before = tl.zeros((), tl.int32)
    sum_before = tl.zeros((), tl.int32)
    for start in range(0, blocks, CHUNK):
        block = start + tl.arange(0, CHUNK)
        mask = block < blocks
        positive = tl.load(positive_ptr + block, mask=mask, other=0)
        counted = tl.load(counted_ptr + block, mask=mask, other=0)
        total = tl.load(total_ptr + block, mask=mask, other=0)
        parity = (positive_before + tl.cumsum(positive, 0) - positive) & 1
        added = tl.where(parity == 1, total - counted, counted)
        tl.store(parity_ptr + block, parity, mask=mask)
        tl.store(base_ptr + block, sum_before + tl.cumsum(added, 0) - added, mask=mask)
        positive_before += tl.sum(positive, 0).to(tl.int32)
        sum_before += tl.sum(added, 0).to(tl.int32)


@triton.jit
def write_blocks(x_ptr, parity_ptr, base_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """The result, from the data once more and what precedes each block."""
    block = tl.program_id(0)
    offsets = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    positive = (x > 0).to(tl.int32)
    before = tl.load(parity_ptr + block) + tl.cumsum(positive, 0) - positive
    result = tl.load(base_ptr + block) + tl.cumsum(x * (before & 1), 0)
    tl.store(out_ptr + offsets, result, mask=mask)


def prefix_sum(x: torch.Tensor) -> torch.Tensor:
    """int32 [n] to int32 [n]."""
    n = x.numel()
    out = torch.empty_like(x)
    if n == 0:
        return out
    blocks = triton.cdiv(n, BLOCK)
    positive, counted, total, parity, base = torch.empty((5, blocks), dtype=torch.int32, device=x.device)
    sum_blocks[(blocks,)](x, positive, counted, total, n, BLOCK, num_warps=8)
    scan_blocks[(1,)](positive, counted, total, parity, base, blocks, BLOCKS_AT_ONCE, num_warps=16)
    write_blocks[(blocks,)](x, parity, base, out, n, BLOCK, num_warps=8)
    return out
