"""Products in all their spellings."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH = 12


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.first = nn.Parameter(torch.randn(WIDTH, WIDTH) * 0.2)
        self.second = nn.Parameter(torch.randn(WIDTH, WIDTH) * 0.2)
        self.positions = nn.Parameter(torch.randn(SEQUENCE_LENGTH, SEQUENCE_LENGTH) * 0.2)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        batch, length, width = x.shape
        x = x + torch.einsum("btd,de->bte", x, self.first)
        x = x + torch.einsum("btd,de,ef->btf", x, self.first, self.second)
        x = x + torch.einsum("...d,ed->...e", x, self.second)
        x = x + torch.einsum("btd,bsd,bse->bte", x, x, x) * 0.01
        x = x + torch.einsum("ts,b...sd->b...td", self.positions, x)
        x = x + torch.bmm(torch.bmm(x, x.transpose(1, 2)), x) * 0.01
        x = x + torch.addmm(self.first[0], x.reshape(-1, width), self.second).view(batch, length, width)
        x = x + torch.tensordot(x, self.first, dims=1) + (x @ self.first[1])[..., None]
        x = x + torch.outer(self.first[0], self.second[1])[2] + torch.dot(self.first[0], self.second[1])
        x = x + torch.mv(self.first, self.second[0]) + torch.mm(self.first, self.second)[1]
        x = x + torch.baddbmm(x, x, self.first.expand(batch, -1, -1), beta=0.5, alpha=0.1) * 0.1
        return self.head(x)


def get_model() -> nn.Module:
    return Model()
