"""The right answer: what `prefix_sum` has to return, said in int64."""

import torch


def expected_prefix_sum(values: torch.Tensor) -> torch.Tensor:
    """The sums for `values` (int32, one dimension); int32, on the same device.

    out[0] = 0; out[i] = sum over j in 1..i of x[j] where the number of positive values in x[0..j-1] is odd.
    x[0] is never added, as nothing comes before it. Sums wrap to int32. An empty input gives an empty output.
    """
    positive = (values > 0).to(torch.int64)
    positive_before = torch.cumsum(positive, 0) - positive
    added = torch.where(positive_before % 2 == 1, values.to(torch.int64), 0)
    # Exact: fewer than 2**32 values of less than 2**31 each.
    return _wrapped(torch.cumsum(added, 0))


def _wrapped(sums: torch.Tensor) -> torch.Tensor:
    return ((sums + 2**31) % 2**32 - 2**31).to(torch.int32)
