"""An MLP mixer: linear maps along positions and along channels, in turn."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH = 16


class Mixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.positions = nn.Sequential(
            nn.Linear(SEQUENCE_LENGTH, 20), nn.ReLU(), nn.Linear(20, SEQUENCE_LENGTH)
        )
        self.channels = nn.Sequential(nn.Linear(WIDTH, 20), nn.ReLU(), nn.Linear(20, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.positions(x.mT).mT
        return x + self.channels(x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.mixers = nn.Sequential(*[Mixer() for _ in range(2)])
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.mixers(self.embedding(tokens)))


def get_model() -> nn.Module:
    return Model()
