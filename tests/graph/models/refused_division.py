"""Division in every spelling."""

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

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append(x / self.weight)  # refused: div.Tensor
        made.append(x / 2)  # refused: div.Tensor
        made.append(1 / x)  # refused: reciprocal.default
        made.append(x.reciprocal())  # refused: reciprocal.default
        made.append(x**-1)  # refused: pow.Tensor_Scalar
        made.append(torch.div(x, self.weight))  # refused: div.Tensor
        made.append(torch.true_divide(x, self.weight))  # refused: true_divide.Tensor
        made.append(x.divide(self.weight))  # refused: divide.Tensor
        made.append(torch.rsqrt(x))  # refused: rsqrt.default
        made.append(x // self.weight)  # refused: floor_divide.default
        made.append(torch.div(x, self.weight, rounding_mode="floor"))  # refused: div.Tensor_mode
        made.append(torch.addcdiv(x, x, self.weight))  # refused: addcdiv.default
        made.append(x % self.weight)  # refused: remainder.Tensor
        made.append(torch.fmod(x, 2))  # refused: fmod.Scalar
        made.append(torch.ops.aten.div(x, self.weight))  # refused: div.Tensor
        made.append(torch.ops.prims.div(x, x))  # refused: prims.div.default
        made.append(torch.linalg.inv(x.mT @ x)[:, :1])  # refused: linalg_inv.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
