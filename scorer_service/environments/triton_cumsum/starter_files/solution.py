"""The starting solution: the definition of the task, step by step, in torch."""

import torch


def prefix_sum(x: torch.Tensor) -> torch.Tensor:
    """int32 [n] to int32 [n]: the running sum of the elements that an odd number of positive ones precede."""
    positive = (x > 0).to(torch.int64)
    positive_before = torch.cumsum(positive, dim=0) - positive
    counted = torch.where(positive_before % 2 == 1, x.to(torch.int64), 0)
    return torch.cumsum(counted, dim=0).to(torch.int32)
