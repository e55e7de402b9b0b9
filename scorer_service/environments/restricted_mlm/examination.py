"""What a list of operators cannot see, looked for on a few windows: rounding, overflow, chance, neighbours.

Runs in the worker. That rows do not depend on each other follows from the graph already, and that runs agree
from the operators; both are tried all the same, since they cost little.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from scorer_service.evaluation import loss
from scorer_service.graph.execute import MAGNITUDE_LIMIT, RunnableModel

ROUNDING_LIMIT_NATS = 0.01
"""By which a loss may be better than in float64 with noise. Of models that do not live on rounding it is far
less."""
_ROWS_AT_ONCE = 2
AGREEMENT = 1e-2
"""By which the loss on a token may change, in nats, or as a part of a loss over 1: a batch of another size is
summed up in another order. Not a part of the largest logit, which can be one that nobody needs."""


class Inconsistent(Exception):
    """The logits depend on what they must not depend on."""

    def __init__(self, rule: str, found: str = "") -> None:
        super().__init__(f"{rule}: {found}" if found else rule)
        self.rule = rule
        """What is broken, without numbers."""


@dataclass(frozen=True)
class Sample:
    """Windows with some of their tokens masked."""

    windows: Tensor
    mask: Tensor
    masked: Tensor


def mask(windows: Tensor, mask_token: int) -> Sample:
    """Mask tokens at random."""
    count, length = windows.shape
    drawn = next(iter(loss.draw_masks(count, length, 1))).to(windows.device)
    return Sample(windows, drawn, windows.masked_fill(drawn, mask_token))


def mean_nats(sample: Sample, model: RunnableModel, deadline_s: float) -> float:
    """The loss on the masked tokens. Raises ModelFailed.

    A few rows at a time: float64 takes twice the room, and noise on it as much again.
    """
    found: list[Tensor] = []
    with torch.inference_mode():
        for begin in range(0, len(sample.windows), _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            part = Sample(sample.windows[rows], sample.mask[rows], sample.masked[rows])
            found += _nats(model.run(part.masked, deadline_s=deadline_s), part)
    return _mean(found)


def examine(model: RunnableModel, sample: Sample, exact_nats: float, deadline_s: float) -> None:
    """Hold a model in float32 against itself, and against its loss in float64 with noise.

    Raises Inconsistent, loss.LogitsNotFinite, and ModelFailed for an intermediate that is out of range.
    """
    with torch.inference_mode():
        logits = model.run(sample.masked, magnitude_limit=MAGNITUDE_LIMIT, deadline_s=deadline_s)
        if not all(math.isfinite(float(extreme)) for extreme in logits.aminmax()):
            raise loss.LogitsNotFinite("the logits are not all finite")
        found = _nats(logits, sample)
        del logits  # before the next ones need room
        again = _nats(model.run(sample.masked, deadline_s=deadline_s), sample)
        _compare(found, again, "the same tokens give other logits in another run")
        rule = "a row's logits depend on its neighbours in the batch"
        reverse = Sample(sample.windows.flip(0), sample.mask.flip(0), sample.masked.flip(0))
        reversed_rows = _nats(model.run(reverse.masked, deadline_s=deadline_s), reverse)
        _compare(found, reversed_rows[::-1], rule)
        alone = Sample(sample.windows[:1], sample.mask[:1], sample.masked[:1])
        _compare(found[:1], _nats(model.run(alone.masked, deadline_s=deadline_s), alone), rule)
    nats = _mean(found)
    if not exact_nats - nats <= ROUNDING_LIMIT_NATS:
        raise Inconsistent(
            "the model lives on the rounding of float32, which is no allowed operation",
            f"its loss is {nats:.4f} nats, and {exact_nats:.6g} in float64 with noise of float32's size",
        )


def _compare(first: Sequence[Tensor], second: Sequence[Tensor], rule: str) -> None:
    for one, other in zip(first, second, strict=True):
        difference = float(((one - other).abs() / one.abs().clamp(min=1.0)).max())
        if not difference <= AGREEMENT:
            raise Inconsistent(rule, f"losses differ by {difference:g}")


def _nats(logits: Tensor, sample: Sample) -> list[Tensor]:
    """The losses on the masked tokens, row by row."""
    rows = []
    for row, mask, window in zip(logits, sample.mask, sample.windows, strict=True):
        chosen = row[mask].double().log_softmax(dim=1)
        rows.append(-chosen.gather(1, window[mask].unsqueeze(1)).squeeze(1))
    return rows


def _mean(rows: Sequence[Tensor]) -> float:
    return float(torch.cat(list(rows)).mean())
