"""Compares a converted model with GPT-2 written down a second time, with the hub's own names and layout.

In torch's interpreter: the hub's checkpoint, the converted file, and the shape as JSON. Prints JSON.
"""

import json
import math
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[3]))

from scorer_service.language import model
from scorer_service.language.shapes import GptShape

EPSILON = 1e-5


def norm(x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    scale = torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + EPSILON)
    return centred * scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def conv1d(x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    """[inputs, outputs], as GPT-2 has it: no transposition."""
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(x: Tensor, weights: dict[str, Tensor], name: str, heads: int) -> Tensor:
    length, width = x.shape
    size = width // heads
    query, key, value = conv1d(x, weights, f"{name}.c_attn").split(width, dim=-1)
    seen = weights.get(f"{name}.bias", torch.tril(torch.ones(1, 1, length, length)))[0, 0, :length, :length]
    parts = []
    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        scores = query[:, columns] @ key[:, columns].T / math.sqrt(size)
        parts.append(torch.softmax(scores.masked_fill(seen == 0, -1e9), dim=-1) @ value[:, columns])
    return conv1d(torch.cat(parts, dim=-1), weights, f"{name}.c_proj")


def logits(tokens: Tensor, weights: dict[str, Tensor], shape: GptShape) -> Tensor:
    x = weights["wte.weight"][tokens] + weights["wpe.weight"][: len(tokens)]
    for layer in range(shape.layer_count):
        block = f"h.{layer}"
        x = x + attention(norm(x, weights, f"{block}.ln_1"), weights, f"{block}.attn", shape.head_count)
        hidden = gelu(conv1d(norm(x, weights, f"{block}.ln_2"), weights, f"{block}.mlp.c_fc"))
        x = x + conv1d(hidden, weights, f"{block}.mlp.c_proj")
    return norm(x, weights, "ln_f") @ weights["wte.weight"].T


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    checkpoint, converted, shape = sys.argv[1], sys.argv[2], GptShape(**json.loads(sys.argv[3]))
    stored = {name.removeprefix("transformer."): tensor for name, tensor in load_file(checkpoint).items()}
    halved = {name: tensor.half().float() for name, tensor in stored.items()}
    ours = load_file(converted)
    ours_model = model.from_tensors(ours, shape)
    tokens = torch.randint(0, shape.vocabulary_size, (4, shape.context_length))
    with torch.inference_mode():
        found = ours_model(tokens)
        expected = torch.stack([logits(row, halved, shape) for row in tokens])
        exact = torch.stack([logits(row, _float(stored), shape) for row in tokens])
    print(
        json.dumps(
            {
                "largest_difference": float((found - expected).abs().max()),
                "largest_of_rounding": float((found - exact).abs().max()),
                "deviation": float(expected.std()),
                "dtypes": sorted({str(tensor.dtype) for tensor in ours.values()}),
                "embedding_exact": bool(
                    torch.equal(ours["token_embedding.weight"], stored["wte.weight"].half())
                ),
                "matrix_exact": bool(
                    torch.equal(
                        ours["blocks.0.mlp_out.weight"], stored["h.0.mlp.c_proj.weight"].half().T.contiguous()
                    )
                ),
            }
        )
    )


def _float(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.float() for name, tensor in stored.items()}


if __name__ == "__main__":
    main()
