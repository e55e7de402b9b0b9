"""Exponentials, logarithms, powers and what is built from them."""

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
        made.append(x.exp())  # refused: exp.default
        made.append(torch.exp2(x))  # refused: exp2.default
        made.append(torch.expm1(x))  # refused: expm1.default
        made.append(torch.log1p(x))  # refused: log1p.default
        made.append(x**2)  # refused: pow.Tensor_Scalar
        made.append(x.square())  # refused: square.default
        made.append(x.sqrt())  # refused: sqrt.default
        made.append(2**x)  # refused: pow.Scalar
        made.append(x.softmax(-1))  # refused: softmax.int
        made.append(torch.log_softmax(x, -1))  # refused: log_softmax.int
        made.append(torch.logsumexp(x, -1, keepdim=True))  # refused: logsumexp.default
        attend = functional.scaled_dot_product_attention
        made.append(attend(x, x, x))  # refused: scaled_dot_product_attention.default
        made.append(torch.special.expit(x))  # refused: special_expit.default
        made.append(torch.special.log_softmax(x, -1))  # refused: special_log_softmax.default
        made.append(torch.special.erf(x))  # refused: special_erf.default
        made.append(torch.ops.aten.exp(x))  # refused: exp.default
        made.append(torch.ops.aten._softmax(x, -1, False))  # refused: _softmax.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
