"""A convolution made of shifts and linear maps."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn
from torch.nn import functional

from tests.graph.models.interface import VOCABULARY

WIDTH = 12


class Shifted(nn.Module):
    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.maps = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2 * reach + 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        padded = functional.pad(x, (0, 0, self.reach, self.reach))
        total = torch.zeros_like(x)
        for offset, linear in enumerate(self.maps):
            total = total + linear(padded[:, offset : offset + length])
        return total


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.Sequential(Shifted(2), nn.ReLU(), Shifted(1), nn.ReLU())
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        before = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], dim=1)
        after = torch.cat([x[:, 2:], x.new_zeros(x.shape[0], 2, WIDTH)], dim=1)
        rolled = x.roll(1, dims=1) + x.flip(1) + x.unfold(1, 1, 1)[..., 0]
        return self.head(self.layers(x + before - after + 0.1 * rolled))


def get_model() -> nn.Module:
    return Model()
