"""The rarer spellings of what is allowed, so that every row of the table is run."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH = 8


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.matrix = nn.Parameter(torch.randn(WIDTH, WIDTH) * 0.3)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        aten = torch.ops.aten
        x = self.embedding(tokens)
        x = aten.add.Scalar(x, 1, 2) - aten.sub.Scalar(x, 0.5) * 0.5 + aten.mul.Scalar(x, 0.25)
        x = aten.rsub.Tensor(x, self.matrix[1], alpha=2) + aten.alias(x)
        x = x + torch.arange(2, 10).float() * 0.1 + torch.arange(16, 0, -2).float() * 0.1
        x = x + torch.broadcast_to(self.matrix[0], (SEQUENCE_LENGTH, WIDTH)) + torch.eye(WIDTH, 3)[:, 1]
        x = torch.concat([x[..., :3], x[..., 3:]], dim=-1) + aten.constant_pad_nd(x[..., 1:], [0, 1], 0.5)
        x = x + torch.full_like(x, 0.5) * torch.ones_like(x) + x.new_ones(WIDTH) + x.new_full((WIDTH,), 2.0)
        x = x + x.movedim((1, 2), (2, 1)).swapdims(1, 2) + x @ self.matrix.t() + x @ self.matrix.T
        x = x + x.flatten(1).reshape_as(x) + x.flatten(1).view_as(x)
        first, second, third = x.split([1, 3, 4], dim=-1)
        x = torch.cat([third, first, second], dim=-1) + x[:, None, ..., None].squeeze((1, 4))
        x = x + torch.tril(self.matrix, -1)[2] + aten.to.device(x, x.device, torch.float32)
        x = x + x.to(x.device, torch.float32) + x.to(x.device)
        return self.head(x)


def get_model() -> nn.Module:
    return Model()
