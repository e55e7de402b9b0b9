"""The safetensors files that ship, read without the library: names, shapes and the rows of one tensor.

For files of our own alone, which the manifest pins by digest. What a submission sends is read elsewhere, with
limits. Format: eight bytes with the header's length, the lower first; the header in JSON; the tensors' bytes.
"""

import json
from collections.abc import Sequence
from typing import Any


class TensorFileInvalid(Exception):
    """Not a safetensors file, or none with the tensor that was asked for."""


def table(file: bytes) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type ("F16", "BF16", "F32", ...) and shape of every tensor, by name.

    Raises:
        TensorFileInvalid: the header cannot be read.
    """
    header, _ = _header(file)
    return {name: (entry["dtype"], tuple(entry["shape"])) for name, entry in header.items()}


def row_count(file: bytes, name: str) -> int:
    """Length of a tensor's first dimension.

    Raises:
        TensorFileInvalid: the file has no such tensor.
    """
    return int(_entry(file, name)[0]["shape"][0])


def with_rows_in_order(file: bytes, name: str, order: Sequence[int]) -> bytes:
    """The file with row i of tensor `name` taken from row `order[i]`.

    Raises:
        TensorFileInvalid: the file has no such tensor.
        ValueError: `order` has another length than the tensor has rows.
    """
    entry, data_start = _entry(file, name)
    start, end = (data_start + offset for offset in entry["data_offsets"])
    rows = entry["shape"][0]
    if len(order) != rows:
        raise ValueError(f"an order of {len(order)} rows for {name}, which has {rows}")
    width = (end - start) // rows
    moved = b"".join(file[start + source * width : start + (source + 1) * width] for source in order)
    return file[:start] + moved + file[end:]


def _entry(file: bytes, name: str) -> tuple[dict[str, Any], int]:
    header, data_start = _header(file)
    if name not in header:
        raise TensorFileInvalid(f"no tensor {name!r}, but {', '.join(sorted(header))}")
    return header[name], data_start


def _header(file: bytes) -> tuple[dict[str, Any], int]:
    """The header's entries, and where the tensors' bytes begin."""
    length = int.from_bytes(file[:8], "little")
    if len(file) < 8 or length > len(file) - 8:
        raise TensorFileInvalid(f"{len(file)} bytes cannot hold a header of {length}")
    try:
        header: dict[str, Any] = json.loads(file[8 : 8 + length])
    except ValueError as error:
        raise TensorFileInvalid(f"the header is not JSON: {error}") from error
    header.pop("__metadata__", None)
    return header, 8 + length
