"""A GPT-2 checkpoint of the Hugging Face hub, turned into our names and fp16.

The hub's GPT-2 keeps the matrices of its blocks as [inputs, outputs] (its layers are called Conv1D), where
ours are [outputs, inputs], as in `torch.nn.Linear`. Names are those of its `GPT2Model`, with or without the
prefix "transformer."; triangular masks are stored beside the weights, and a head that is the embedding once
more may be. One tensor at a time is in memory.
"""

import json
import math
import os
from array import array
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.tensors_file import StoredTensor
from scorer_service.hub.download import Report
from scorer_service.hub.extra import library
from scorer_service.language.paper.preparation import PreparationFailed
from scorer_service.language.shapes import EMBEDDING, GptShape, gpt_tensors
from scorer_service.whole_file import whole_file

PREFIX = "transformer."

_OUTSIDE = {
    EMBEDDING: "wte.weight",
    "position_embedding.weight": "wpe.weight",
    "final_norm.weight": "ln_f.weight",
    "final_norm.bias": "ln_f.bias",
}
_IN_A_BLOCK = {
    "attention_norm": "ln_1",
    "attention_in": "attn.c_attn",
    "attention_out": "attn.c_proj",
    "mlp_norm": "ln_2",
    "mlp_in": "mlp.c_fc",
    "mlp_out": "mlp.c_proj",
}
_MASKS = {"attn.bias", "attn.masked_bias"}
"""Buffers of a block: which positions may be seen. The architecture says the same."""
_TIED_HEAD = "lm_head.weight"

_EXPECTED_CONFIG = {
    "model_type": ("gpt2",),
    # Both are the approximation by tanh.
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "tie_word_embeddings": (True,),
}
"""What our architecture has fixed. The library's own defaults are the first of each."""

_FP16_LIMIT = 65_504.0


def check_config(config: Path, shape: GptShape) -> None:
    """Hold a model's config.json against what our architecture computes.

    Raises:
        PreparationFailed: it is another model.
    """
    try:
        written: dict[str, Any] = json.loads(config.read_text(encoding="utf-8"))
        found = GptShape(
            layer_count=written["n_layer"],
            width=written["n_embd"],
            head_count=written["n_head"],
            context_length=written["n_positions"],
            vocabulary_size=written["vocab_size"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PreparationFailed(f"{config} does not describe a GPT-2: {error!r}; {_WAY_OUT}") from error
    if found != shape:
        raise PreparationFailed(f"{config} describes {asdict(found)}, not {asdict(shape)}; {_WAY_OUT}")
    for member, allowed in _EXPECTED_CONFIG.items():
        value = written.get(member, allowed[0])
        if value not in allowed:
            raise PreparationFailed(f"{config} has {member} {value!r}, not {allowed[0]!r}; {_WAY_OUT}")
    if written.get("n_inner") not in (None, 4 * shape.width):
        raise PreparationFailed(f"{config} has n_inner {written['n_inner']!r}; {_WAY_OUT}")


_WAY_OUT = "delete it to have it fetched again, or see what the hub has there now"


def convert(checkpoint: Path, shape: GptShape, destination: Path, report: Report) -> None:
    """Write the model's tensors to `destination`, whole or not at all.

    Raises:
        PreparationFailed: the checkpoint has other tensors, or values that fp16 cannot hold.
        OSError: it cannot be read, or there is no room.
    """
    # The hub's cache has links to files that are named by their digest.
    source = checkpoint.resolve()
    ours = gpt_tensors(shape)
    try:
        descriptor = tensors_file.open_regular(source)
    except tensors_file.WeightsRefused as error:
        raise PreparationFailed(f"{checkpoint}: {error}") from error
    with open(descriptor, "rb", buffering=0) as opened:  # noqa: PTH123 - a descriptor has no path
        try:
            stored = _stored_tensors(opened.fileno(), shape)
            total_bytes = 2 * sum(math.prod(size) for size in ours.values())
            done_bytes = 0
            with whole_file(destination) as file:
                file.write(_header(ours))
                for name, (hub_name, transposed) in hub_names(shape).items():
                    tensor = stored[name]
                    content = _in_fp16(tensors_file.read_tensor(opened.fileno(), tensor), tensor, hub_name)
                    if transposed:
                        content = _transposed(content, columns=tensor.shape[1])
                    file.write(content)
                    done_bytes += content.nbytes
                    report(f"bytes of {destination.name} written", done_bytes, total_bytes)
        except tensors_file.WeightsRefused as error:
            listed = "; ".join(f"{tensor.name}: {tensor.reason}" for tensor in error.tensors[:5])
            raise PreparationFailed(
                f"{checkpoint} is no checkpoint of this model: {error}{': ' if listed else ''}{listed};"
                f" {_WAY_OUT}"
            ) from error
        except _Unfit as error:
            raise PreparationFailed(f"{checkpoint}: {error}; {_WAY_OUT}") from error


class _Unfit(Exception):
    """A value that fp16 cannot hold."""


def hub_names(shape: GptShape) -> dict[str, tuple[str, bool]]:
    """Our name of every tensor to the hub's, without prefix, and whether it lies there transposed."""
    names: dict[str, tuple[str, bool]] = {}
    for name in gpt_tensors(shape):
        if name in _OUTSIDE:
            names[name] = (_OUTSIDE[name], False)
            continue
        _, layer, part, kind = name.split(".")
        matrix = kind == "weight" and not part.endswith("norm")
        names[name] = (f"h.{layer}.{_IN_A_BLOCK[part]}.{kind}", matrix)
    return names


def _stored_tensors(descriptor: int, shape: GptShape) -> dict[str, StoredTensor]:
    """Where each of our tensors lies. Raises WeightsRefused."""
    present = _names(descriptor)
    prefix = PREFIX if any(name.startswith(PREFIX) for name in present) else ""
    ours = gpt_tensors(shape)
    table: dict[str, tuple[int, ...]] = {}
    for name, (hub_name, transposed) in hub_names(shape).items():
        table[prefix + hub_name] = ours[name][::-1] if transposed else ours[name]
    weights = set(table)
    for layer in range(shape.layer_count):
        for mask in _MASKS:
            name = f"{prefix}h.{layer}.{mask}"
            if name in present:
                square = (1, 1, shape.context_length, shape.context_length)
                table[name] = square if mask == "attn.bias" else ()
    if _TIED_HEAD in present:
        table[_TIED_HEAD] = ours[EMBEDDING]
    found = tensors_file.read_header(descriptor, table, tuple(tensors_file.ELEMENT_BYTES))
    refused = [
        tensors_file.RefusedTensor(name, f"dtype {found[name].dtype}, not one of F32, F16, BF16")
        for name in sorted(weights)
        if found[name].dtype not in tensors_file.ACCEPTED_DTYPES
    ]
    if refused:
        raise tensors_file.WeightsRefused("its weights have other dtypes", refused)
    return {name: found[prefix + hub_name] for name, (hub_name, _) in hub_names(shape).items()}


def _names(descriptor: int) -> set[str]:
    """Names in the header, which `read_header` then holds against the table. Empty where it is no header."""
    length = int.from_bytes(os.pread(descriptor, 8, 0), "little")
    if length > tensors_file.HEADER_LIMIT_BYTES:
        return set()
    try:
        header = json.loads(os.pread(descriptor, length, 8))
    except (ValueError, RecursionError):
        return set()
    return set(header) if isinstance(header, dict) else set()


def _header(ours: Mapping[str, tuple[int, ...]]) -> bytes:
    entries: dict[str, Any] = {}
    offset = 0
    for name, size in ours.items():
        end = offset + 2 * math.prod(size)
        entries[name] = {"dtype": "F16", "shape": list(size), "data_offsets": [offset, end]}
        offset = end
    encoded = json.dumps(entries, separators=(",", ":")).encode()
    # Spaces behind it, so that tensors are aligned: the format allows it and its own writer does it.
    encoded += b" " * (-len(encoded) % 8)
    return len(encoded).to_bytes(8, "little") + encoded


def _in_fp16(content: bytearray, tensor: StoredTensor, name: str) -> memoryview:
    """Bit patterns of fp16, rounded to the nearest. Raises _Unfit."""
    pyarrow, compute = library("pyarrow"), library("pyarrow.compute")
    count = math.prod(tensor.shape)
    if tensor.dtype == "BF16":
        # A bfloat16 is the upper half of a float32.
        widened = bytearray(4 * count)
        widened[2::4], widened[3::4] = content[0::2], content[1::2]
        content = widened
    kind = pyarrow.float16() if tensor.dtype == "F16" else pyarrow.float32()
    values = pyarrow.Array.from_buffers(kind, count, [None, pyarrow.py_buffer(content)])
    wide = values.cast(pyarrow.float32())
    if not compute.all(compute.is_finite(wide)).as_py():
        raise _Unfit(f"{name} has values that are not finite")
    extremes = compute.min_max(wide).as_py()
    largest = max(-extremes["min"], extremes["max"])
    if largest > _FP16_LIMIT:
        raise _Unfit(f"{name} has {largest:g}, and fp16 ends at {_FP16_LIMIT:g}")
    narrow = values.cast(pyarrow.float16())
    return memoryview(narrow.buffers()[1])[: 2 * count].cast("B").cast("H")


def _transposed(content: memoryview, *, columns: int) -> memoryview:
    """Elements of [rows, columns] in the order of [columns, rows]."""
    rows_first = array("H", content)
    columns_first = array("H")
    for column in range(columns):
        columns_first.extend(rows_first[column::columns])
    return memoryview(columns_first)
