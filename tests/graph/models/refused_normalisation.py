"""Means, variances and norms."""

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
        self.norm = nn.LayerNorm(WIDTH)
        self.rms = nn.RMSNorm(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append(self.norm(x))  # refused: layer_norm.default
        made.append(self.rms(x))  # refused: rms_norm.default
        made.append(x.mean(-1, keepdim=True))  # refused: mean.dim
        made.append(x.mean())  # refused: mean.default
        made.append(x.var(-1, keepdim=True))  # refused: var.dim
        made.append(x.std())  # refused: std.correction
        made.append(x.norm(dim=-1, keepdim=True))  # refused: linalg_vector_norm.default
        made.append(torch.linalg.vector_norm(x, dim=-1, keepdim=True))  # refused: linalg_vector_norm.default
        made.append(functional.avg_pool1d(x, 1))  # refused: avg_pool1d.default
        made.append(functional.conv1d(x, torch.ones(16, 16, 1)))  # refused: conv1d.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
