"""Starting solution of restricted_mlm: an MLP on each position by itself, which can only learn frequencies.

Embedding, linear, add and relu alone. It sees no neighbour: mixing positions within the rules is the task.
"""

import torch
from torch import Tensor, nn

VOCABULARY_SIZE = 4096
MASK_TOKEN = 1
"""Stands in the input where a token is to be predicted."""
WINDOW_LENGTH = 128

WIDTH = 64


class PositionModel(nn.Module):  # type: ignore[misc]
    """Tokens [batch, 128] to logits [batch, 128, vocabulary]."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max(VOCABULARY_SIZE, MASK_TOKEN + 1), WIDTH)
        self.position_embedding = nn.Embedding(WINDOW_LENGTH, WIDTH)
        self.hidden_in = nn.Linear(WIDTH, 4 * WIDTH)
        self.hidden_out = nn.Linear(4 * WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY_SIZE)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of every position, whether masked or not."""
        stream = self.embedding(tokens) + self.position_embedding.weight
        return self.head(stream + self.hidden_out(torch.relu(self.hidden_in(stream))))


def get_model() -> nn.Module:
    """The model, without its weights."""
    return PositionModel()
