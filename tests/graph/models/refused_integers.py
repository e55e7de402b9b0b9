"""Integers that wrap around, are rounded, or point outside of their table."""

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
        self.register_buffer("table", torch.arange(VOCABULARY) * 2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append((tokens * 4611686018427387904)[..., None] * x)  # refused: mul.Tensor
        made.append((tokens * 1000003).float()[..., None])  # refused: to.dtype
        made.append((tokens * 1000003)[..., None] * x)  # refused: mul.Tensor
        made.append(self.embedding(tokens + 1))  # refused: embedding.default
        made.append(self.embedding.weight[tokens - 30])  # refused: index.Tensor
        made.append(self.embedding(self.table[tokens]))  # refused: embedding.default
        made.append(torch.gather(x, 2, tokens[..., None]))  # refused: gather.default
        picked = torch.index_select(x, 2, self.table)  # refused: index_select.default
        made.append(picked.sum(-1, keepdim=True))
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
