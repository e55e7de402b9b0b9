"""Files of tensors in the safetensors format: a length, a table in JSON, then the bytes of every tensor.

Written here and not by the package of that name, so that converting needs torch alone. The format is that of
https://github.com/huggingface/safetensors#format.
"""

import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LENGTH_BYTES = 8
# The format's own limit for the table.
_HEADER_LIMIT_BYTES = 100_000_000
_ALIGNMENT_BYTES = 8
_WRITE_BYTES = 64 << 20

# The format's name for each dtype of torch. What is missing here is written by no model of this service.
DTYPE_NAMES = {
    "torch.float64": "F64",
    "torch.float32": "F32",
    "torch.float16": "F16",
    "torch.bfloat16": "BF16",
    "torch.int64": "I64",
    "torch.int32": "I32",
    "torch.int16": "I16",
    "torch.int8": "I8",
    "torch.uint8": "U8",
    "torch.bool": "BOOL",
}


class NotSafetensors(ValueError):
    """The file does not begin as safetensors do."""


@dataclass(frozen=True)
class TensorEntry:
    """What a file's table says of a tensor."""

    dtype: str
    """As in `F32`."""
    shape: tuple[int, ...]
    """Its sizes."""


def read_table(path: Path) -> dict[str, TensorEntry]:
    """The tensors of a file by name. Raises OSError and NotSafetensors."""
    with path.open("rb") as file:
        length_bytes = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if not 0 < length_bytes <= min(_HEADER_LIMIT_BYTES, path.stat().st_size - _LENGTH_BYTES):
            raise NotSafetensors(f"{path} is not a safetensors file: it does not begin with a table's length")
        try:
            table = json.loads(file.read(length_bytes))
            return {
                name: TensorEntry(entry["dtype"], tuple(entry["shape"]))
                for name, entry in table.items()
                if name != "__metadata__"
            }
        except (ValueError, AttributeError, KeyError, TypeError):
            raise NotSafetensors(f"{path} is not a safetensors file: its table cannot be read") from None


def write_tensors(path: Path, tensors: Mapping[str, Any]) -> None:
    """Writes tensors of torch, beside the file first: it is there whole or not at all.

    The tensors are dense and contiguous, on the CPU, and of a dtype in DTYPE_NAMES. Raises OSError.
    """
    if sys.byteorder != "little":
        raise NotImplementedError("safetensors are little-endian, and this machine is not")
    # Wide elements first, so that every tensor begins at a multiple of its element's size.
    names = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    table: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name in names:
        begin, end = end, end + tensors[name].nbytes
        table[name] = {
            "dtype": DTYPE_NAMES[str(tensors[name].dtype)],
            "shape": list(tensors[name].shape),
            "data_offsets": [begin, end],
        }
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-len(header) % _ALIGNMENT_BYTES)
    descriptor, staged = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor is no path
            file.write(len(header).to_bytes(_LENGTH_BYTES, "little"))
            file.write(header)
            for name in names:
                _write_elements(file, tensors[name])
        Path(staged).chmod(0o666 & ~_umask())
        Path(staged).replace(path)
    except BaseException:
        Path(staged).unlink(missing_ok=True)
        raise


def _write_elements(file: Any, tensor: Any) -> None:
    # Read where they lie: tensor.numpy() would need numpy, and has no bfloat16.
    if tensor.nbytes:
        elements = memoryview((ctypes.c_ubyte * tensor.nbytes).from_address(tensor.data_ptr()))
        for begin in range(0, tensor.nbytes, _WRITE_BYTES):
            file.write(elements[begin : begin + _WRITE_BYTES])


def _umask() -> int:
    # There is no way to read it without setting it.
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
