"""Reference solution of restricted_mlm: each token from its neighbours on both sides and the window's topic.

Built from embedding, linear, add, multiply, relu, sum and shifts alone. The token at a position has no part
in its own prediction, so one can train on every position of a window and not on the masked ones only.
"""

import torch
from torch import Tensor, nn

VOCABULARY_SIZE = 4096
MASK_TOKEN = 1
"""Stands in the input where a token is to be predicted."""
WINDOW_LENGTH = 128

EMBEDDING_WIDTH = 128
NEIGHBOURS = 5
"""Positions looked at on each side."""
HIDDEN_WIDTH = 512


class NeighbourModel(nn.Module):  # type: ignore[misc]
    """Tokens [batch, 128] to logits [batch, 128, vocabulary]."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY_SIZE, EMBEDDING_WIDTH)
        self.topic_embedding = nn.Embedding(VOCABULARY_SIZE, EMBEDDING_WIDTH)
        self.from_neighbours = nn.Linear(2 * NEIGHBOURS * EMBEDDING_WIDTH, HIDDEN_WIDTH)
        self.gate = nn.Linear(2 * NEIGHBOURS * EMBEDDING_WIDTH, EMBEDDING_WIDTH)
        self.from_topic = nn.Linear(EMBEDDING_WIDTH, HIDDEN_WIDTH, bias=False)
        self.hidden_in = nn.Linear(HIDDEN_WIDTH, HIDDEN_WIDTH)
        self.hidden_out = nn.Linear(HIDDEN_WIDTH, EMBEDDING_WIDTH)
        self.direct = nn.Linear(2 * NEIGHBOURS * EMBEDDING_WIDTH, EMBEDDING_WIDTH, bias=False)
        self.head = nn.Linear(EMBEDDING_WIDTH, VOCABULARY_SIZE)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of every position, whether masked or not."""
        embedded = self.embedding(tokens)
        edge = embedded[:, :NEIGHBOURS, :] * 0.0
        padded = torch.cat([edge, embedded, edge], dim=1)
        shifted = [
            padded[:, offset : offset + WINDOW_LENGTH, :]
            for offset in range(2 * NEIGHBOURS + 1)
            if offset != NEIGHBOURS
        ]
        neighbours = torch.cat(shifted, dim=2)
        topics = self.topic_embedding(tokens)
        topic = (topics.sum(dim=1, keepdim=True) + topics * -1.0) * (1.0 / 16)
        first = torch.relu(self.from_neighbours(neighbours) + self.from_topic(topic))
        second = self.hidden_out(first + torch.relu(self.hidden_in(first)))
        gated = second * torch.relu(self.gate(neighbours))
        return self.head(second + gated + self.direct(neighbours))


def get_model() -> nn.Module:
    """The model, without its weights."""
    return NeighbourModel()
