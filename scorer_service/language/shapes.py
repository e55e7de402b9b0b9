"""Sizes of the models of `fix_embedding` in profile `embedded`, and the tensors that follow from them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GptShape:
    """Sizes of a model of GPT-2's shape with tied embedding."""

    layer_count: int
    width: int
    head_count: int
    context_length: int
    """Tokens in a window."""
    vocabulary_size: int
    """Special tokens included."""


ORIGINAL = GptShape(layer_count=4, width=128, head_count=4, context_length=128, vocabulary_size=4096)
"""The model whose embedding is scrambled, and which a submission repairs."""

COMPANION = GptShape(layer_count=2, width=64, head_count=2, context_length=128, vocabulary_size=4096)
"""The smaller, undamaged model that goes out with the task."""

EMBEDDING = "token_embedding.weight"
"""Name of the tensor that is scrambled."""


def gpt_tensors(shape: GptShape) -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor of a model. No other may be in a file, and none may be missing."""
    width = shape.width
    tensors: dict[str, tuple[int, ...]] = {
        EMBEDDING: (shape.vocabulary_size, width),
        "position_embedding.weight": (shape.context_length, width),
    }
    for layer in range(shape.layer_count):
        for name, size in {
            "attention_norm.weight": (width,),
            "attention_norm.bias": (width,),
            "attention_in.weight": (3 * width, width),
            "attention_in.bias": (3 * width,),
            "attention_out.weight": (width, width),
            "attention_out.bias": (width,),
            "mlp_norm.weight": (width,),
            "mlp_norm.bias": (width,),
            "mlp_in.weight": (4 * width, width),
            "mlp_in.bias": (4 * width,),
            "mlp_out.weight": (width, 4 * width),
            "mlp_out.bias": (width,),
        }.items():
            tensors[f"blocks.{layer}.{name}"] = size
    tensors["final_norm.weight"] = (width,)
    tensors["final_norm.bias"] = (width,)
    return tensors
