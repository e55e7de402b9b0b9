"""Tables of bigrams and trigrams, looked up by products and sums of tokens."""

# mypy: allow-subclassing-any, allow-untyped-calls

import torch
from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.forwards = nn.Embedding(VOCABULARY, VOCABULARY)
        self.backwards = nn.Parameter(torch.randn(VOCABULARY, VOCABULARY))
        self.pairs = nn.Embedding(VOCABULARY * VOCABULARY, VOCABULARY)
        self.register_buffer("reordered", torch.randperm(SEQUENCE_LENGTH))
        self.register_buffer("classes", torch.randint(0, 5, (VOCABULARY,), dtype=torch.int32))
        self.by_class = nn.Embedding(5, VOCABULARY)
        self.scale = nn.Parameter(torch.tensor(0.3))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        before = torch.cat([torch.zeros_like(tokens[:, :1]), tokens[:, :-1]], dim=1)
        after = torch.cat([tokens[:, 1:], torch.zeros_like(tokens[:, :1])], dim=1)
        logits = self.forwards(before) + self.backwards[after]
        logits = logits + self.pairs(before * VOCABULARY + after) * self.scale
        logits = logits + torch.index_select(self.backwards, 0, self.reordered)
        logits = logits + logits[:, self.reordered] + self.by_class(self.classes[tokens].long())
        picked = torch.gather(logits, 2, tokens[:, :, None])
        return logits + picked * 0.01 + (tokens - 1).float()[..., None] * 0.1


def get_model() -> nn.Module:
    return Model()
