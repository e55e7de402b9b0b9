"""Values taken out of tensors, chance, operators of one"s own, numbers without bounds."""

# mypy: allow-subclassing-any, allow-untyped-calls, allow-untyped-decorators

import torch
from torch import nn
from torch.nn import functional

from tests.graph.models.interface import VOCABULARY


@torch.library.custom_op("corpus::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    """An operator of one"s own, which may compute anything outside of torch."""
    return torch.from_numpy(x.detach().numpy() * 2)


@double.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


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
        made.append(x * self.weight.sum().item())  # refused: item.default
        made.append(x + torch.rand(WIDTH))  # refused: rand.default
        made.append(torch.bernoulli(x))  # refused: bernoulli.default
        made.append(functional.dropout(x, 0.5, True))  # refused: dropout.default
        made.append(double(x))  # refused: corpus.double.default
        made.append(x * float("inf"))  # refused: mul.Tensor
        made.append(x + float("nan"))  # refused: add.Tensor
        made.append(x * 1e30)  # refused: mul.Tensor
        made.append(functional.pad(x, (1, -1), mode="constant", value=1e30))  # refused: pad.default
        made.append(functional.pad(x, (1, 1), mode="reflect")[..., 1:-1])  # refused: pad.default
        made.append(torch.full((8,), 1e9))  # refused: full.default
        places = x.nonzero()  # refused: nonzero.default _operator.ge _operator.le _assert_scalar.default
        made.append(places.sum())
        made.append(torch.cat([x, torch.zeros(1, 16, 8)])[:-1])  # refused: cat.default
        return self.head(sum(made) + x)


def get_model() -> nn.Module:
    return Model()
