"""An approximate division by a relu network: the research that the rules leave room for."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import VOCABULARY

WIDTH = 8


class Reciprocal(nn.Module):
    """Piecewise linear in the sum of its inputs, like 1 / x between 1 and 8."""

    def __init__(self) -> None:
        super().__init__()
        corners = torch.linspace(1, 8, 12)
        slopes = (1 / corners[1:] - 1 / corners[:-1]) / (corners[1:] - corners[:-1])
        self.register_buffer("corners", corners[:-1])
        self.register_buffer("bends", torch.cat([slopes[:1], slopes[1:] - slopes[:-1]]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1 + (torch.relu(x[..., None] - self.corners) * self.bends).sum(-1)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.reciprocal = Reciprocal()
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.embedding(tokens))
        return self.head(x * self.reciprocal(1 + x.sum(-1, keepdim=True)) + x * x)


def get_model() -> nn.Module:
    return Model()
