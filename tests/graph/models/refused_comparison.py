"""Comparisons, and what picks or orders by value."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn
from torch.nn import functional

from tests.graph.models.interface import VOCABULARY

WIDTH = 8


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.weight = nn.Parameter(torch.rand(WIDTH) + 1)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append((x > 0).float())  # refused: gt.Scalar
        made.append(torch.where(x >= self.weight, x, 0.0))  # refused: ge.Tensor where.ScalarOther
        made.append((tokens == 3)[..., None] * x)  # refused: eq.Scalar
        made.append(x.clamp(0, 1))  # refused: clamp.default
        made.append(x.abs())  # refused: abs.default
        made.append(x.sign())  # refused: sign.default
        made.append(torch.heaviside(x, self.weight))  # refused: heaviside.default
        made.append(x.masked_fill(x > 1, 0))  # refused: gt.Scalar masked_fill.Scalar
        made.append(x.max(-1, keepdim=True).values)  # refused: max.dim
        made.append(torch.maximum(x, self.weight))  # refused: maximum.default
        made.append(x.amax(-1, keepdim=True))  # refused: amax.default
        made.append(x.argmax(-1)[..., None])  # refused: argmax.default
        made.append(x.sort(-1).values)  # refused: sort.default
        made.append(x.topk(8, -1).values)  # refused: topk.default
        made.append(functional.max_pool1d(x, 1))  # refused: max_pool1d.default
        made.append(torch.isnan(x).float())  # refused: isnan.default
        made.append(functional.one_hot(tokens, 8))  # refused: one_hot.default
        made.append(torch.relu(tokens)[..., None])  # refused: relu.default
        made.append(functional.threshold(x, 0.0, 0.0))  # refused: threshold.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
