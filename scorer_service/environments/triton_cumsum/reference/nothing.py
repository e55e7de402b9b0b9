"""Does nothing: what a call of it takes is what handing over an input and an output takes."""

import torch


def prefix_sum(x: torch.Tensor) -> torch.Tensor:
    """Gives the input back. Wrong, so it is measured without a check, and only to calibrate."""
    return x
