"""Nonlinearities other than relu."""

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
        made.append(functional.gelu(x))  # refused: gelu.default
        made.append(functional.silu(x))  # refused: silu.default
        made.append(functional.mish(x))  # refused: mish.default
        made.append(functional.elu(x))  # refused: elu.default
        made.append(functional.leaky_relu(x))  # refused: leaky_relu.default
        made.append(functional.softplus(x))  # refused: softplus.default
        made.append(functional.hardtanh(x))  # refused: hardtanh.default
        made.append(functional.relu6(x))  # refused: relu6.default
        made.append(functional.hardswish(x))  # refused: hardswish.default
        made.append(x.tanh())  # refused: tanh.default
        made.append(torch.sigmoid(x))  # refused: sigmoid.default
        made.append(torch.sin(x))  # refused: sin.default
        made.append(torch.erf(x))  # refused: erf.default
        made.append(torch.prelu(x.mT, self.weight).mT)  # refused: prelu.default
        made.append(torch.lerp(x, x, 0.5))  # refused: lerp.Scalar
        made.append(functional.glu(torch.cat([x, x], -1)))  # refused: glu.default
        made.append(torch.cumsum(x, 1))  # refused: cumsum.default
        made.append(torch.prod(x, -1, keepdim=True))  # refused: prod.dim_int
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
