"""Counts of pairs: each token from the ones before and behind it. Embedding, add and shifts alone."""

import torch
from torch import Tensor, nn

VOCABULARY_SIZE = 4096


class PairModel(nn.Module):
    """Tokens [batch, 128] to logits [batch, 128, vocabulary]."""

    def __init__(self) -> None:
        super().__init__()
        self.after = nn.Embedding(VOCABULARY_SIZE, VOCABULARY_SIZE)
        """Row t: how much likelier than by chance each token is after t."""
        self.before = nn.Embedding(VOCABULARY_SIZE, VOCABULARY_SIZE)
        self.alone = nn.Parameter(torch.zeros(VOCABULARY_SIZE))

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of every position, whether masked or not."""
        nothing = self.after(tokens[:, :1]) * 0.0
        after = torch.cat([nothing, self.after(tokens[:, :-1])], dim=1)
        before = torch.cat([self.before(tokens[:, 1:]), nothing], dim=1)
        return self.alone + after + before


def get_model() -> nn.Module:
    """The model, without its weights."""
    return PairModel()
