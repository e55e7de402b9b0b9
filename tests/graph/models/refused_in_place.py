"""Changes in place, as long as the exporter has not turned them into functions."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import VOCABULARY

WIDTH = 8


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.weight = nn.Parameter(torch.rand(WIDTH) + 1)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.register_buffer("state", torch.zeros(WIDTH))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append(x.clone().add_(1))  # refused: add_.Tensor
        made.append(torch.relu_(x * 2))  # refused: relu_.default
        made.append((x * 2).exp_())  # refused: exp_.default
        made.append(self.state.add_(1))  # refused: add_.Tensor
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
