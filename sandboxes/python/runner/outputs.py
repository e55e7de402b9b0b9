"""Takes what a function returned to where the worker reads it."""

import torch

from runner.submission import Refusal


class WrongReturnValue(Refusal):
    """The function returned something that cannot be an answer."""


def hand_over(result: object, output: torch.Tensor, size: int, name: str) -> None:
    """Copy `result` to `output`. Raises WrongReturnValue where its type, dtype, shape or device is not right.

    The copy reads every element, so that a lazy one is computed by now, and leaves nothing in memory that
    the next call may overwrite.
    """
    if not isinstance(result, torch.Tensor):
        raise WrongReturnValue(f"{name} returned {_type_name(result)}, not a torch.Tensor")
    if result.dtype != torch.int32:
        raise WrongReturnValue(f"{name} returned a tensor of dtype {result.dtype}, not torch.int32")
    if tuple(result.shape) != (size,):
        raise WrongReturnValue(f"{name} returned a tensor of shape {tuple(result.shape)}, not ({size},)")
    if result.device != output.device:
        raise WrongReturnValue(f"{name} returned a tensor on device {result.device}, not {output.device}")
    output.copy_(result)


def _type_name(value: object) -> str:
    return "None" if value is None else f"a {type(value).__module__}.{type(value).__qualname__}"
