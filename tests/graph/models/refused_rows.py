"""What relates the rows of a batch to each other."""

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
        made.append(x + x.sum(0))  # refused: sum.dim_IntList
        made.append(x + x[:1])  # refused: slice.Tensor
        made.append(x + x[0])  # refused: select.int
        made.append(x.flip(0))  # refused: flip.default
        made.append(x.roll(1, 0))  # refused: roll.default
        made.append(x.transpose(0, 1).reshape(-1, WIDTH).view(-1, 16, WIDTH))  # refused: reshape.default
        made.append(torch.einsum("btd,ctd->bt", x, x)[..., None])  # refused: einsum.default
        made.append(torch.einsum("btd,etf->etf", x, x))  # refused: einsum.default
        made.append((x[:, None] * x[None, :]).sum(1))  # refused: mul.Tensor
        made.append(x * x.shape[0])  # refused: mul.Tensor
        made.append(x + x.sum())  # refused: sum.default
        weights = x.permute(1, 0, 2) @ x.permute(1, 2, 0)  # refused: matmul.default
        made.append((torch.relu(weights) @ x.transpose(0, 1)).transpose(0, 1))
        made.append(torch.arange(tokens.shape[0])[:, None, None] * x)  # refused: arange.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
