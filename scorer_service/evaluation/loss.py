"""Measures the loss of a language model on windows of tokens, from its logits alone.

A model is a function from tokens to logits. Logits are the one thing that is taken from it; log-softmax,
sums and means are computed here, in float64. Beside the model, memory holds one batch of logits and a few
rows of it in float64.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor

from scorer_service.evaluation import estimate
from scorer_service.evaluation.estimate import LossEstimate

Model = Callable[[Tensor], Tensor]
"""Tokens, int64 [batch, length], to logits [batch, length, vocabulary], on the same device."""
Report = Callable[[int, int], None]
"""Windows scored, of how many; called after each batch. What it raises ends the measurement."""

MASKED_SHARE = 0.15
_ROWS_AT_ONCE = 512


class LogitsRefused(Exception):
    """What the model gave are no logits. The message depends on no hidden token."""


class LogitsNotFinite(LogitsRefused):
    """An infinity or a NaN."""


def read_tokens(path: Path) -> Tensor:
    """The tokens of a file, int64: two bytes each, the lower first. Raises OSError."""
    return torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint16).to(torch.int64)


def cut_windows(tokens: Tensor, length: int) -> Tensor:
    """Disjoint windows [count, length], each token in one at most; what is left at the end is dropped.

    Raises ValueError for a text shorter than two windows.
    """
    count = len(tokens) // length
    if count < 2:
        raise ValueError(f"{len(tokens)} tokens are fewer than two windows of {length}")
    return tokens[: count * length].view(count, length)


def causal_loss(
    model: Model, windows: Tensor, *, vocabulary_size: int, batch_size: int, report: Report
) -> LossEstimate:
    """Mean loss of each token of each window but its first, given those before it in the window.

    `windows` are int64 [count, length], and lie where the model computes. Raises LogitsRefused.
    """
    sums: list[float] = []
    length = windows.shape[1]
    for batch in windows.split(batch_size):
        inputs, targets = batch[:, :-1], batch[:, 1:]
        logits = _checked(model(inputs), (*inputs.shape, vocabulary_size))
        sums += _nats(logits.flatten(0, 1), targets.flatten()).view(targets.shape).sum(dim=1).tolist()
        del logits  # before the next batch needs room
        report(len(sums), len(windows))
    return estimate.from_windows(sums, [length - 1] * len(windows))


def masked_loss(
    model: Model,
    windows: Tensor,
    *,
    mask_token: int,
    draw_count: int,
    vocabulary_size: int,
    batch_size: int,
    report: Report,
    masked_share: float = MASKED_SHARE,
) -> LossEstimate:
    """Mean loss of masked tokens, given those of their window that are not masked.

    Each window is scored `draw_count` times with other tokens masked, none of them twice; the masks are
    fresh for every call. That is right for a model that keeps nothing from call to call. Raises
    LogitsRefused.
    """
    count, length = windows.shape
    sums = torch.zeros(count, dtype=torch.float64)
    token_counts = torch.zeros(count, dtype=torch.int64)
    done = 0
    for masks in draw_masks(count, length, draw_count, masked_share):
        for start in range(0, count, batch_size):
            part = slice(start, start + batch_size)
            batch, mask = windows[part], masks[part].to(windows.device)
            logits = _checked(model(batch.masked_fill(mask, mask_token)), (*batch.shape, vocabulary_size))
            nats = torch.zeros(batch.shape, dtype=torch.float64, device=batch.device)
            nats[mask] = _nats(logits[mask], batch[mask])
            del logits
            sums[part] += nats.sum(dim=1).cpu()
            token_counts[part] += mask.sum(dim=1).cpu()
            done += len(batch)
            report(done, draw_count * count)
    return estimate.from_windows(sums.tolist(), token_counts.tolist())


def draw_masks(
    window_count: int, length: int, draw_count: int, masked_share: float = MASKED_SHARE
) -> Iterator[Tensor]:
    """Masks bool [window_count, length], disjoint, `draw_count` of them; all from the system's entropy.

    A window has `length * masked_share` tokens masked in the mean: the whole number below it or the one
    above.

    Raises ValueError where the draws do not fit into a window.
    """
    mean_size = length * masked_share
    if draw_count < 1 or draw_count * (int(mean_size) + 1) > length or mean_size < 1:
        raise ValueError(f"{draw_count} disjoint draws of {masked_share:.0%} do not fit into {length} tokens")
    ranks = _entropy(window_count, length).argsort(dim=1).argsort(dim=1)
    begins = torch.zeros(window_count, 1, dtype=torch.int64)
    for _ in range(draw_count):
        # An entropy word below the fraction of its range: one more.
        larger = (_entropy(window_count, 1).double() / 2**63 + 1) / 2 < mean_size - int(mean_size)
        ends = begins + int(mean_size) + larger
        yield (ranks >= begins) & (ranks < ends)
        begins = ends


def _entropy(rows: int, columns: int) -> Tensor:
    return torch.frombuffer(bytearray(os.urandom(8 * rows * columns)), dtype=torch.int64).view(rows, columns)


def _checked(logits: object, shape: tuple[int, ...]) -> Tensor:
    if not isinstance(logits, Tensor) or not logits.is_floating_point():
        raise LogitsRefused("the model gives no tensor of floating-point numbers")
    if tuple(logits.shape) != shape:
        raise LogitsRefused(f"the logits have shape {list(logits.shape)}, not {list(shape)}")
    return logits


def _nats(logits: Tensor, targets: Tensor) -> Tensor:
    """-log softmax(logits)[target], float64 [rows], of logits [rows, vocabulary]. Raises LogitsNotFinite."""
    losses = []
    # One piece of memory for all, changed in place: pieces that are freed and taken anew may lie apart, and
    # came to eight of them.
    room = torch.empty(
        min(_ROWS_AT_ONCE, len(logits)), logits.shape[1], dtype=torch.float64, device=logits.device
    )
    for rows, wanted in zip(logits.split(_ROWS_AT_ONCE), targets.split(_ROWS_AT_ONCE), strict=True):
        # Squares of what is too large for float32 would pass the range of float64. A NaN is its own extreme.
        narrow = rows.float()
        if not all(torch.isfinite(extreme) for extreme in narrow.aminmax()):
            raise LogitsNotFinite("the logits are not all finite")
        wide = room[: len(rows)].copy_(narrow)
        wide -= narrow.amax(dim=1, keepdim=True)
        chosen = wide.gather(1, wanted.unsqueeze(1)).squeeze(1)
        losses.append(wide.exp_().sum(dim=1).log() - chosen)
    return torch.cat(losses) if losses else torch.zeros(0, dtype=torch.float64, device=logits.device)
