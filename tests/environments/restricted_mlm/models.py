"""Small models as source, with their weights, made without torch."""

import math
import random
import struct
from collections.abc import Mapping

from tests.environments.fix_embedding import weights_files
from tests.environments.fix_embedding.weights_files import Tensor

WIDTH = 8
_SHAPES = {"embedding.weight": (4096, WIDTH), "head.weight": (4096, WIDTH), "head.bias": (4096,)}

_SOURCE = """import torch
from torch import nn
from torch.nn import functional


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4096, 8)
        self.head = nn.Linear(8, 4096)

    def forward(self, tokens):
        x = self.embedding(tokens)
{body}
        return {returned}


def get_model():
    return Model()
"""
FIRST_LINE_OF_BODY = 14


def source(*body: str, returned: str = "self.head(x)") -> str:
    """A model whose `forward` has these lines between embedding (`x`) and head."""
    lines = "\n".join(f"        {line}" for line in body or ("pass",))
    return _SOURCE.format(body=lines, returned=returned)


def tensors() -> dict[str, Tensor]:
    """Its weights: small numbers, the same ones every time."""
    drawn = random.Random(1)
    return {
        name: Tensor("F16", shape, _packed([drawn.gauss(0, 0.1) for _ in range(math.prod(shape))]))
        for name, shape in _SHAPES.items()
    }


def weights(changes: Mapping[str, Tensor | None] | None = None) -> bytes:
    """A file of them, with some replaced or left out."""
    changed = {**tensors(), **(changes or {})}
    return weights_files.write({name: tensor for name, tensor in changed.items() if tensor is not None})


def _packed(numbers: list[float]) -> bytes:
    return struct.pack(f"<{len(numbers)}e", *numbers)
