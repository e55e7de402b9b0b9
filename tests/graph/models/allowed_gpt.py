"""A GPT within the rules: attention whose weights are relu of products, tied embedding, learned positions."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn
from torch.nn import functional

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH, HEADS, LAYERS = 24, 4, 2


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.queries = nn.Linear(WIDTH, WIDTH)
        self.keys = nn.Linear(WIDTH, WIDTH, bias=False)
        self.values = nn.Linear(WIDTH, WIDTH)
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.dropout = nn.Dropout(0.1)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        queries, keys = self.split_heads(self.queries(x)), self.split_heads(self.keys(x))
        weights = functional.relu(queries @ keys.transpose(-2, -1)) * (WIDTH // HEADS) ** -0.5
        mixed = (weights @ self.split_heads(self.values(x))).transpose(1, 2).contiguous()
        x = x + self.dropout(self.mix(mixed.view(batch, length, WIDTH)))
        return x + self.narrow(functional.relu(self.wide(x))) * 0.5


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(SEQUENCE_LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.positions(places)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def get_model() -> nn.Module:
    return Model()
