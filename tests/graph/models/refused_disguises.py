"""Forbidden operations behind allowed names: hooks, changed classes, subclasses, assembled names."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn
from torch.nn import functional

from tests.graph.models.interface import VOCABULARY

WIDTH = 8


class Linear(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2  # refused: div.Tensor


class ReLU(nn.ReLU):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return getattr(torch, "ta" + "nh")(x)  # refused: tanh.default


def hook(_: nn.Module, __: object, made: torch.Tensor) -> torch.Tensor:
    return made.softmax(-1)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.linear = Linear(WIDTH, WIDTH)
        self.relu = ReLU()
        self.hooked = nn.Linear(WIDTH, WIDTH)
        self.hooked.register_forward_hook(hook)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = [self.linear(x), self.relu(x)]
        made.append(self.hooked(x))  # refused: softmax.int
        kept, functional.relu = functional.relu, functional.silu
        made.append(functional.relu(x))  # refused: silu.default
        functional.relu = kept
        if self.training:
            return self.head(x)
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
