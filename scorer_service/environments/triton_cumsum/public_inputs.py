"""The inputs of the battery: what they contain, and the public ones, by a formula.

This file stands alone and needs torch only, so that whoever solves the task can have it as it is. Contents
are made of noise: the public ones of the formula below, the hidden ones of random numbers.
"""

from collections.abc import Callable

import torch


def public_noise(size: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """`size` integers in 0 .. 2**32 - 1, int64, that look random and are always the same."""
    # No product reaches 2**63, as `size` is at most 2**31.
    noise = torch.arange(1, size + 1, dtype=torch.int64, device=device) * 2654435761 % 2**32
    noise = (noise ^ (noise >> 15)) * 1103515245 % 2**32
    return (noise ^ (noise >> 13)) * 1540483477 % 2**32


def public_input(contents: str, size: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """The public input of these contents; int32, one dimension."""
    return CONTENTS[contents](public_noise(size, device))


def _digits(noise: torch.Tensor) -> torch.Tensor:
    """-10 .. 9, as in what is timed."""
    return (noise >> 7) % 20 - 10


def _positive(noise: torch.Tensor) -> torch.Tensor:
    return (noise >> 7) % 10 + 1


def _negative(noise: torch.Tensor) -> torch.Tensor:
    return -((noise >> 7) % 10) - 1


def _zeros(noise: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(noise)


def _sparse(noise: torch.Tensor) -> torch.Tensor:
    """One in about a thousand is positive, so that parity changes seldom."""
    return torch.where((noise >> 7) % 1009 == 0, 5, -((noise >> 7) % 11))


def _first_positive(noise: torch.Tensor) -> torch.Tensor:
    """Only the first is positive, so that every later one is added."""
    values = _negative(noise)
    values[:1] = 3
    return values


def _last_positive(noise: torch.Tensor) -> torch.Tensor:
    """Only the last is positive, so that none is added."""
    values = _negative(noise)
    values[-1:] = 3
    return values


def _full_range(noise: torch.Tensor) -> torch.Tensor:
    """All of int32; sums wrap now and then."""
    return noise - 2**31


def _largest(noise: torch.Tensor) -> torch.Tensor:
    """The largest int32; sums wrap at once."""
    return torch.full_like(noise, 2**31 - 1)


def _smallest_after_positive(noise: torch.Tensor) -> torch.Tensor:
    """One positive number, then the smallest int32: sums wrap at every second element."""
    values = torch.full_like(noise, -(2**31))
    values[:1] = 1
    return values


def _as_int32(contents: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda noise: contents(noise).to(torch.int32)


CONTENTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "digits": _as_int32(_digits),
    "positive": _as_int32(_positive),
    "negative": _as_int32(_negative),
    "zeros": _as_int32(_zeros),
    "sparse": _as_int32(_sparse),
    "first positive": _as_int32(_first_positive),
    "last positive": _as_int32(_last_positive),
    "full range": _as_int32(_full_range),
    "largest": _as_int32(_largest),
    "smallest after positive": _as_int32(_smallest_after_positive),
}
"""From noise (int64, 0 .. 2**32 - 1) to an input (int32)."""
