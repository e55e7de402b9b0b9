"""Files of weights, made and changed without a library."""

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tensor:
    """A tensor as it lies in a file."""

    dtype: str
    shape: tuple[int, ...]
    content: bytes


def read(content: bytes) -> dict[str, Tensor]:
    """The tensors of a file that is right."""
    length = struct.unpack("<Q", content[:8])[0]
    header: dict[str, Any] = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    data = content[8 + length :]
    return {
        name: Tensor(entry["dtype"], tuple(entry["shape"]), data[slice(*entry["data_offsets"])])
        for name, entry in header.items()
    }


def write(tensors: Mapping[str, Tensor]) -> bytes:
    """A file of these tensors, one after the other."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        end = len(data) + len(tensor.content)
        header[name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [len(data), end],
        }
        data += tensor.content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def values(tensor: Tensor) -> list[float]:
    """Of a tensor in float16 or float32."""
    letter, size = {"F16": ("e", 2), "F32": ("f", 4)}[tensor.dtype]
    return list(struct.unpack(f"<{len(tensor.content) // size}{letter}", tensor.content))


def as_float32(tensor: Tensor) -> Tensor:
    """The same values in float32."""
    numbers = values(tensor)
    return Tensor("F32", tensor.shape, struct.pack(f"<{len(numbers)}f", *numbers))


def as_bfloat16(tensor: Tensor) -> Tensor:
    """The values, cut to bfloat16: the upper half of a float32."""
    wide = as_float32(tensor).content
    return Tensor("BF16", tensor.shape, b"".join(wide[at + 2 : at + 4] for at in range(0, len(wide), 4)))


def as_float64(tensor: Tensor) -> Tensor:
    """The same values in float64."""
    numbers = values(tensor)
    return Tensor("F64", tensor.shape, struct.pack(f"<{len(numbers)}d", *numbers))


def with_value(tensor: Tensor, index: int, value: float) -> Tensor:
    """A float16 tensor with one value replaced."""
    assert tensor.dtype == "F16"
    assert index < math.prod(tensor.shape)
    content = tensor.content[: 2 * index] + struct.pack("<e", value) + tensor.content[2 * index + 2 :]
    return Tensor(tensor.dtype, tensor.shape, content)


def with_header(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A file whose header was changed, and whose data is what it was."""
    length = struct.unpack("<Q", content[:8])[0]
    header: dict[str, Any] = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content[8 + length :]
