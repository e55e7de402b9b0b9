"""What a list of operators cannot see, looked for on a few windows: rounding, overflow, chance, neighbours.

Runs in the worker. That rows do not depend on each other follows from the graph already, and that runs agree
from the operators; both are tried all the same, since they cost little.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from scorer_service.evaluation import loss
from scorer_service.graph.execute import MAGNITUDE_LIMIT, RunnableModel

ROUNDING_LIMIT_NATS = 0.01
"""By which a loss may be better than in float64 with noise. Of models that do not live on rounding it is far
less."""
_ROWS_AT_ONCE = 2
AGREEMENT = 1e-3
"""Of the largest logit: a batch of another size is summed up in another order."""


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
    with torch.inference_mode():
        total = 0.0
        for rows in torch.arange(len(sample.windows), device=sample.windows.device).split(_ROWS_AT_ONCE):
            part = Sample(sample.windows[rows], sample.mask[rows], sample.masked[rows])
            total += _nats(model.run(part.masked, deadline_s=deadline_s), part)
        return total / int(sample.mask.sum())


def examine(model: RunnableModel, sample: Sample, exact_nats: float, deadline_s: float) -> None:
    """Hold a model in float32 against itself, and against its loss in float64 with noise.

    Raises Inconsistent, loss.LogitsNotFinite, and ModelFailed for an intermediate that is out of range.
    """
    with torch.inference_mode():
        logits = model.run(sample.masked, magnitude_limit=MAGNITUDE_LIMIT, deadline_s=deadline_s)
        largest = max(abs(float(extreme)) for extreme in logits.aminmax())
        if not math.isfinite(largest):
            raise loss.LogitsNotFinite("the logits are not all finite")
        tolerance = AGREEMENT * max(1.0, largest)
        again = model.run(sample.masked, deadline_s=deadline_s)
        _compare(logits, again, tolerance, "the same tokens give other logits in another run")
        del again  # before the next ones need room
        rule = "a row's logits depend on its neighbours in the batch"
        reverse = model.run(sample.masked.flip(0), deadline_s=deadline_s)
        _compare(logits, reversed(reverse.unbind()), tolerance, rule)
        del reverse
        alone = model.run(sample.masked[:1], deadline_s=deadline_s)
        _compare(logits[:1], alone, tolerance, rule)
        nats = _nats(logits, sample) / int(sample.mask.sum())
    if not exact_nats - nats <= ROUNDING_LIMIT_NATS:
        raise Inconsistent(
            "the model lives on the rounding of float32, which is no allowed operation",
            f"its loss is {nats:.4f} nats, and {exact_nats:.6g} in float64 with noise of float32's size",
        )


def _compare(first: Iterable[Tensor], second: Iterable[Tensor], tolerance: float, rule: str) -> None:
    """Row by row: differences of a whole batch would need as much memory as two more batches."""
    for one, other in zip(first, second, strict=True):
        difference = float((one - other).abs().max())
        if not difference <= tolerance:
            raise Inconsistent(rule, f"they differ by {difference:g}")


def _nats(logits: Tensor, sample: Sample) -> float:
    """Summed up over the masked tokens."""
    chosen = logits[sample.mask].double().log_softmax(dim=1)
    return float(-chosen.gather(1, sample.windows[sample.mask].unsqueeze(1)).sum())
