"""Rounding by casts, bit views, raw memory, other types."""

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
        self.register_buffer("constants", torch.ones(WIDTH))
        self.register_buffer("halves", torch.ones(WIDTH).half())
        self.register_buffer("doubles", torch.ones(WIDTH).double())
        self.register_buffer("truths", torch.ones(WIDTH, dtype=torch.bool))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        made = []
        made.append(x.long().float())  # refused: to.dtype
        made.append(x.to(torch.int32).float())  # refused: to.dtype
        made.append(self.embedding(x[..., 0].long()))  # refused: to.dtype
        made.append(x.half().float())  # refused: to.dtype
        made.append(x.bfloat16())  # refused: to.dtype
        made.append(x.double())  # refused: to.dtype
        made.append(x.view(torch.int32).float())  # refused: view.dtype
        made.append(x.round())  # refused: round.default
        made.append(x.floor())  # refused: floor.default
        made.append(x.trunc())  # refused: trunc.default
        made.append(x.frac())  # refused: frac.default
        made.append(self.weight.as_strided((8,), (1,)))  # refused: as_strided.default
        made.append(self.weight.as_strided((8,), (1,), 1000))  # refused: as_strided.default
        made.append(torch.complex(x, x).real)  # refused: complex.default real.default
        made.append(torch.fft.rfft(x).real.sum(-1, keepdim=True))  # refused: fft_rfft.default real.default
        made.append((tokens & 1)[..., None] * x)  # refused: __and__.Scalar
        made.append((tokens % 4)[..., None] * x)  # refused: remainder.Scalar
        made.append((tokens << 2)[..., None] * x)  # refused: __lshift__.Scalar
        made.append(self.constants.sum(-1, keepdim=True, dtype=torch.int64))  # refused: sum.dim_IntList
        made.append((tokens > 3)[..., None].float() * x)  # refused: gt.Scalar
        made.append(tokens.int().sum(-1, dtype=torch.int32)[..., None, None] * x)  # refused: to.dtype
        made.append(self.halves + self.halves)  # refused: add.Tensor
        made.append(self.doubles * x)  # refused: mul.Tensor
        made.append(self.truths * x)  # refused: mul.Tensor
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
