"""Changes in place, which the exporter turns into functions: allowed once it has."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import VOCABULARY

WIDTH = 8


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.relu = nn.ReLU(inplace=True)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens) * 2
        x += 1
        shifted = torch.zeros_like(x)
        shifted[:, 1:] = x[:, :-1]
        shifted[:, 0] = x[:, 3]
        return self.head(self.relu(x + shifted))


def get_model() -> nn.Module:
    return Model()
