"""Compares an output with the right answer, and says what is wrong with it."""

import torch

from scorer_service.environments.triton_cumsum.battery import Case
from scorer_service.environments.triton_cumsum.expected import expected_prefix_sum

_SHOWN = 8
"""Elements around the first wrong one that are shown."""


def is_right(values: torch.Tensor, output: torch.Tensor) -> bool:
    """Whether every element of `output` is what `values` ask for. All three are the worker's own memory."""
    return bool(torch.equal(output, expected_prefix_sum(values)))


def difference(case: Case, values: torch.Tensor, output: torch.Tensor) -> str | None:
    """None if right, else how it is wrong. For public inputs only: it tells what was expected."""
    expected = expected_prefix_sum(values)
    wrong = torch.nonzero(output != expected).flatten()
    if not wrong.numel():
        return None
    first = int(wrong[0])
    begin = max(0, first - _SHOWN // 2)
    end = min(case.size, begin + _SHOWN)

    def shown(tensor: torch.Tensor) -> str:
        return str(tensor[begin:end].tolist())

    return (
        f"wrong for a public input ({case}): element {first} is {int(output[first])}, "
        f"expected {int(expected[first])}; {wrong.numel()} of {case.size} elements are wrong. "
        f"Elements {begin} to {end - 1}:\n"
        f"  x        = {shown(values)}\n"
        f"  expected = {shown(expected)}\n"
        f"  got      = {shown(output)}"
    )
