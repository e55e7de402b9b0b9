"""The architecture of `fix_embedding`: GPT-2's shape. The worker owns it; submissions are tensors for it."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from scorer_service.language.shapes import GptShape


class Block(nn.Module):  # type: ignore[misc]
    """Causal attention and an MLP, each behind a normalisation and added to the stream."""

    def __init__(self, shape: GptShape):
        super().__init__()
        width = shape.width
        self.head_count = shape.head_count
        self.attention_norm = nn.LayerNorm(width)
        self.attention_in = nn.Linear(width, 3 * width)
        self.attention_out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp_in = nn.Linear(width, 4 * width)
        self.mlp_out = nn.Linear(4 * width, width)

    def forward(self, stream: Tensor) -> Tensor:
        """[batch, length, width] to the same."""
        batch, length, width = stream.shape
        mixed = self.attention_in(self.attention_norm(stream))
        query, key, value = mixed.view(batch, length, 3, self.head_count, -1).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        stream = stream + self.attention_out(attended.transpose(1, 2).reshape(batch, length, width))
        hidden = functional.gelu(self.mlp_in(self.mlp_norm(stream)), approximate="tanh")
        return stream + self.mlp_out(hidden)


class Gpt(nn.Module):  # type: ignore[misc]
    """GPT-2's shape: pre-norm, GELU, learned positions, and the head is the token embedding."""

    def __init__(self, shape: GptShape):
        super().__init__()
        self.shape = shape
        self.token_embedding = nn.Embedding(shape.vocabulary_size, shape.width)
        self.position_embedding = nn.Embedding(shape.context_length, shape.width)
        self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.layer_count)])
        self.final_norm = nn.LayerNorm(shape.width)

    def features(self, tokens: Tensor) -> Tensor:
        """What the head sees: tokens [batch, length] to [batch, length, width]."""
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        stream = self.token_embedding(tokens) + self.position_embedding(positions)
        for block in self.blocks:
            stream = block(stream)
        return self.final_norm(stream)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits [batch, length, vocabulary] of the token after each of tokens [batch, length]."""
        return functional.linear(self.features(tokens), self.token_embedding.weight)


def from_tensors(tensors: dict[str, Tensor], shape: GptShape) -> Gpt:
    """A model in float32 with these tensors, which `shapes.gpt_tensors` has named and sized.

    Raises:
        RuntimeError: names or sizes are others.
    """
    # Without tensors of its own, which for GPT-2 XL would be 6 GB of random numbers.
    with torch.device("meta"):
        model = Gpt(shape)
    wide = {name: tensor.float() for name, tensor in tensors.items()}
    model.load_state_dict(wide, strict=True, assign=True)
    model.eval()
    return model
