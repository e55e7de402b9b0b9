"""Indexing, reshaping and constants, as people write them."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH = 8


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.register_buffer("mask", torch.tril(torch.ones(SEQUENCE_LENGTH, SEQUENCE_LENGTH)))
        self.register_buffer("halves", torch.randn(WIDTH).half(), persistent=False)
        self.register_buffer("unused", torch.ones(3, dtype=torch.bool))
        self.register_buffer("zero", torch.tensor(0), persistent=False)
        self.register_buffer("backwards", torch.arange(SEQUENCE_LENGTH - 1, -1, -1), persistent=False)
        self.constant = torch.linspace(-1, 1, WIDTH)
        self.head = nn.Linear(2 * WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens).to(torch.float32)
        batch, length, width = x.shape
        x = x + self.halves.float() + self.constant[None].squeeze() + torch.tensor([2.0]) + torch.ones(width)
        x = x + torch.arange(length).float()[None, :, None] * 0.01 + torch.full((1, 1, width), 0.5)
        x = x + torch.eye(width)[0] + torch.triu(torch.ones(width, width), 1)[2] + torch.linspace(0, 1, width)
        x = self.mask @ x * 0.1 - x + (1 - x) + -x
        first, second = x.split(width // 2, dim=-1)
        x = torch.cat([second, first], dim=-1) + torch.stack(x.unbind(2), dim=-1)
        x = x + torch.cat(x.chunk(4, dim=2)[::-1], dim=2) + x.movedim(1, 2).swapaxes(1, 2)
        x = x.permute(0, 2, 1).flatten(1).unflatten(1, (width, length)).transpose(1, 2)[..., None].squeeze(3)
        x = (
            x.reshape(-1, width)
            .contiguous()
            .view(batch, -1)
            .reshape(batch * length, width)
            .view(batch, length, width)
        )
        x = x.transpose(0, 1).contiguous().transpose(0, 1)
        x = x + x[:, :1].expand_as(x) + x[:, ::2].repeat_interleave(2, dim=1)
        x = x + x[:, :2].repeat(1, length // 2, 1)
        x = x + x[0:, 1:2].tile(1, length, 1) + torch.zeros(1).expand(batch, length, width)
        x = x + x.sum(1, keepdim=True) * 0.1 + x.sum(-1)[..., None] * 0.1 + self.mask.sum() * 0.001
        x = x + x[:, -1:].detach().clone() + torch.diagonal(self.mask)[:, None]
        # [length, batch, width]; brackets would select by the index of no dimensions first.
        turned = torch.ops.aten.index.Tensor(x.unsqueeze(0), [self.zero, None, self.backwards])
        x = x + turned.transpose(0, 1)
        return self.head(torch.cat([x, torch.relu(x)], dim=-1))


def get_model() -> nn.Module:
    return Model()
