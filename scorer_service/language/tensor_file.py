"""The safetensors files of our own, read without the library: names, shapes and the rows of one tensor.

For files that a manifest pins by digest. What a submission sends is read elsewhere, with limits. Format:
eight bytes with the header's length, the lower first; the header in JSON; the tensors' bytes.
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

HEADER_LIMIT_BYTES = 100 << 20
"""The format's own."""
_ROWS_AT_ONCE = 1024
_BLOCK_BYTES = 4 << 20


class TensorFileInvalid(Exception):
    """Not a safetensors file, or none with the tensor that was asked for."""


def table(file: bytes) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type ("F16", "BF16", "F32", ...) and shape of every tensor, by name.

    Raises:
        TensorFileInvalid: the header cannot be read.
    """
    header, _ = _header(io.BytesIO(file))
    return {name: (entry["dtype"], tuple(entry["shape"])) for name, entry in header.items()}


def rows_in_order(file: IO[bytes], name: str, order_of: Callable[[int], Sequence[int]]) -> Iterator[bytes]:
    """The file, in pieces, with row i of tensor `name` taken from row `order_of(rows)[i]`.

    A few megabytes of it are in memory at a time.

    Raises:
        TensorFileInvalid: the file has no such tensor, or is shorter than its header says.
        ValueError: the order has another length than the tensor has rows.
    """
    header, data_start = _header(file)
    if name not in header:
        raise TensorFileInvalid(f"no tensor {name!r}, but {', '.join(sorted(header))}")
    start, end = (data_start + offset for offset in header[name]["data_offsets"])
    rows = int(header[name]["shape"][0])
    order = order_of(rows)
    if len(order) != rows:
        raise ValueError(f"an order of {len(order)} rows for {name}, which has {rows}")
    width = (end - start) // rows
    file.seek(0)
    yield from _blocks(file, start)
    for first in range(0, rows, _ROWS_AT_ONCE):
        moved = []
        for source in order[first : first + _ROWS_AT_ONCE]:
            file.seek(start + source * width)
            moved.append(_exactly(file, width))
        yield b"".join(moved)
    file.seek(end)
    last = data_start + max(entry["data_offsets"][1] for entry in header.values())
    yield from _blocks(file, last - end)


def _blocks(file: IO[bytes], size_bytes: int) -> Iterator[bytes]:
    while size_bytes:
        block = _exactly(file, min(size_bytes, _BLOCK_BYTES))
        size_bytes -= len(block)
        yield block


def _exactly(file: IO[bytes], size_bytes: int) -> bytes:
    content = file.read(size_bytes)
    if len(content) < size_bytes:
        raise TensorFileInvalid("the file is shorter than its header says")
    return content


def _header(file: IO[bytes]) -> tuple[dict[str, Any], int]:
    """The header's entries, and where the tensors' bytes begin."""
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > HEADER_LIMIT_BYTES:
        raise TensorFileInvalid(f"a header of {length} bytes: this is no safetensors file")
    try:
        header: dict[str, Any] = json.loads(_exactly(file, length))
    except ValueError as error:
        raise TensorFileInvalid(f"the header is not JSON: {error}") from error
    header.pop("__metadata__", None)
    return header, 8 + length
