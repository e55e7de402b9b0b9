"""The reference solution on a CPU: two scans in place, in the narrowest types that will do."""

import torch


def prefix_sum(x: torch.Tensor) -> torch.Tensor:
    """int32 [n] to int32 [n]."""
    positive = (x > 0).view(torch.int8)
    # Only whether a count is odd matters, and that survives the wrap at 256.
    counted = torch.cumsum(positive, 0, dtype=torch.int8)
    counted.sub_(positive).bitwise_and_(1)
    # The first element has no positive one before it, so it is never counted and out[0] is 0.
    return (x * counted).cumsum_(0)
