"""Everything in one `nn.Sequential`, with Flatten and Unflatten."""

# mypy: allow-subclassing-any, allow-untyped-calls

from torch import nn

from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

WIDTH = 8


def get_model() -> nn.Module:
    return nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH),
        nn.Flatten(1),
        nn.Linear(SEQUENCE_LENGTH * WIDTH, 40),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(40, SEQUENCE_LENGTH * VOCABULARY),
        nn.Identity(),
        nn.Unflatten(1, (SEQUENCE_LENGTH, VOCABULARY)),
    )
