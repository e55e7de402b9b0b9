"""Holds the header of a safetensors file that somebody else wrote against a table of names and shapes.

The format: a length of 8 bytes (little-endian), a JSON header of so many bytes, then the data, which the
tensors of the header cover without holes and without overlaps (README of huggingface/safetensors). Every
byte is read once, by `pread` from a descriptor, so that a file which changes meanwhile is judged as it was
read.
"""

import json
import math
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

HEADER_LIMIT_BYTES = 1 << 20
"""The format allows 100 MB; a model of 2,000 tensors needs 250 kB."""
DIMENSION_LIMIT = 16
EXTENT_LIMIT = 1 << 62
"""Of a dimension, and of an offset."""

ELEMENT_BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64", "C64"), 8),
}
"""The dtypes of the format of which an element is whole bytes."""
ACCEPTED_DTYPES = ("F32", "F16", "BF16")

NAME_SHOWN_CHARACTERS = 200
LISTED_LIMIT_CHARACTERS = 48 << 10
"""Of all refused tensors together: an answer has to fit into one message."""

_LENGTH_BYTES = 8
_MEMBERS = {"dtype", "shape", "data_offsets"}
_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


@dataclass(frozen=True)
class StoredTensor:
    """Where a tensor lies in its file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    """Of its first byte, from the start of the file. Of any alignment: who reads it, copies it."""
    size_bytes: int


@dataclass(frozen=True)
class RefusedTensor:
    """A tensor that does not fit the table."""

    name: str
    """In printable ASCII, clipped."""
    reason: str


class WeightsRefused(Exception):
    """The file does not hold the tensors that it should; the message says what is wrong as a whole."""

    def __init__(self, message: str, tensors: Sequence[RefusedTensor] = ()) -> None:
        super().__init__(message)
        self.tensors = listed(tensors)
        """All that are refused, as far as they can be listed."""


def size_limit_bytes(table: Mapping[str, Sequence[int]]) -> int:
    """Of a file for `table`. Even float64 fits, so that its tensors are named when they are refused."""
    return _LENGTH_BYTES + HEADER_LIMIT_BYTES + 8 * sum(math.prod(shape) for shape in table.values())


def open_regular(path: Path) -> int:
    """A descriptor of a regular file. Raises WeightsRefused for a link, a FIFO and the like, OSError."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if path.is_symlink():
            raise WeightsRefused("it is a symbolic link, not a file") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise WeightsRefused("it is not a regular file")
    return descriptor


def read_header(
    descriptor: int, table: Mapping[str, Sequence[int]], dtypes: Sequence[str] = ACCEPTED_DTYPES
) -> dict[str, StoredTensor]:
    """The tensors of `table`, each with its shape and one of `dtypes`, and no other. Raises WeightsRefused.

    What the data holds is not looked at.
    """
    size_bytes = os.fstat(descriptor).st_size
    limit_bytes = size_limit_bytes(table)
    if size_bytes > limit_bytes:
        raise WeightsRefused(f"the file has {size_bytes} bytes; at most {limit_bytes} can hold this model")
    header, data_offset = _header(descriptor, size_bytes)
    if not isinstance(header.pop("__metadata__", {}), dict):
        raise WeightsRefused("__metadata__ of its header is no object of texts")
    refused: list[RefusedTensor] = []
    found: dict[str, StoredTensor] = {}
    for name, entry in header.items():
        tensor = _entry(entry, data_offset)
        if isinstance(tensor, str):
            refused.append(RefusedTensor(name, tensor))
        else:
            found[name] = tensor
    end, overlaps = _cover(found, data_offset)
    refused += overlaps
    refused += _differences(found, table, dtypes, [name for name in header if name not in found])
    if refused:
        raise WeightsRefused(_counted(refused), refused)
    if end > size_bytes:
        raise WeightsRefused(
            f"the file has {size_bytes} bytes, its tensors reach to byte {end}: it was cut off"
        )
    if end < size_bytes:
        raise WeightsRefused(f"the file has {size_bytes - end} bytes behind its last tensor")
    return found


def read_tensor(descriptor: int, tensor: StoredTensor) -> bytearray:
    """The bytes of a tensor, as they are now. Raises WeightsRefused where the file has become shorter."""
    content = bytearray(tensor.size_bytes)
    view = memoryview(content)
    done = 0
    while done < len(content):
        count = os.preadv(descriptor, [view[done:]], tensor.offset + done)
        if count == 0:
            raise WeightsRefused("the file became shorter while it was read")
        done += count
    return content


def listed(tensors: Sequence[RefusedTensor]) -> tuple[RefusedTensor, ...]:
    """The first of them in printable ASCII, as many as an answer can hold; the last says how many more."""
    shown: list[RefusedTensor] = []
    characters = 0
    for tensor in tensors:
        clean = RefusedTensor(printable(tensor.name), tensor.reason)
        characters += len(clean.name) + len(clean.reason)
        if characters > LISTED_LIMIT_CHARACTERS:
            shown.append(RefusedTensor("...", f"and {len(tensors) - len(shown)} more"))
            break
        shown.append(clean)
    return tuple(shown)


def printable(text: str) -> str:
    """A text from a file in printable ASCII, clipped: it goes to terminals and into messages."""
    clean = text[: NAME_SHOWN_CHARACTERS + 1].encode("unicode_escape").decode("ascii")
    return clean if len(clean) <= NAME_SHOWN_CHARACTERS else f"{clean[:NAME_SHOWN_CHARACTERS]}..."


def _header(descriptor: int, size_bytes: int) -> tuple[dict[str, Any], int]:
    """The header and the offset of the data."""
    start = os.pread(descriptor, _LENGTH_BYTES, 0)
    if start.startswith(_PICKLES):
        raise WeightsRefused(
            "it is a pickle or an archive of torch.save, which is never opened here; write it with"
            " safetensors.torch.save_file, or convert it with `scorer-client convert`"
        )
    if len(start) < _LENGTH_BYTES:
        raise WeightsRefused(f"a file of {size_bytes} bytes is no safetensors file")
    length = int.from_bytes(start, "little")
    if length > HEADER_LIMIT_BYTES:
        raise WeightsRefused(
            f"it is no safetensors file: its first 8 bytes announce a header of {length} bytes,"
            f" the limit is {HEADER_LIMIT_BYTES}"
        )
    content = os.pread(descriptor, length, _LENGTH_BYTES)
    if len(content) < length:
        raise WeightsRefused(f"the file has {size_bytes} bytes, its header alone {length}: it was cut off")
    if not content.startswith(b"{"):
        raise WeightsRefused("it is no safetensors file: its header does not begin with {")
    try:
        header = json.loads(
            content.decode("utf-8"), object_pairs_hook=_without_repeats, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise WeightsRefused(f"its header is no JSON: {printable(str(error))}") from None
    return header, _LENGTH_BYTES + length


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise WeightsRefused(f"its header has {printable(repeated)} twice")
    return members


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _entry(entry: Any, data_offset: int) -> StoredTensor | str:
    """A tensor of the header, or what is wrong with it."""
    if not isinstance(entry, dict) or set(entry) != _MEMBERS:
        return "its entry in the header has not exactly the members dtype, shape and data_offsets"
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ELEMENT_BYTES:
        return f"dtype {printable(str(dtype))[:40]} is unknown"
    if not _are_extents(shape) or len(shape) > DIMENSION_LIMIT:
        return f"its shape is no list of at most {DIMENSION_LIMIT} sizes"
    if not _are_extents(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        return "its data_offsets are not a begin and an end"
    size_bytes = math.prod(shape) * ELEMENT_BYTES[dtype]
    if offsets[1] - offsets[0] != size_bytes:
        return f"{dtype} of shape {shape} has {size_bytes} bytes, its data_offsets {offsets[1] - offsets[0]}"
    return StoredTensor(dtype, tuple(shape), data_offset + offsets[0], size_bytes)


def _are_extents(value: Any) -> bool:
    # A bool is an int to isinstance.
    return isinstance(value, list) and all(type(part) is int and 0 <= part < EXTENT_LIMIT for part in value)


def _cover(found: Mapping[str, StoredTensor], data_offset: int) -> tuple[int, list[RefusedTensor]]:
    """Where the last tensor ends, and those that do not begin where the one before ends."""
    end, before = data_offset, ""
    refused = []
    for name, tensor in sorted(found.items(), key=lambda item: (item[1].offset, item[1].size_bytes)):
        if tensor.offset < end:
            refused.append(RefusedTensor(name, f"its bytes overlap with those of {printable(before)}"))
        elif tensor.offset > end:
            refused.append(
                RefusedTensor(
                    name, f"there are {tensor.offset - end} bytes before it that belong to no tensor"
                )
            )
        if tensor.offset + tensor.size_bytes >= end:
            end, before = tensor.offset + tensor.size_bytes, name
    return end, refused


def _differences(
    found: Mapping[str, StoredTensor],
    table: Mapping[str, Sequence[int]],
    dtypes: Sequence[str],
    faulty: Sequence[str],
) -> Iterator[RefusedTensor]:
    for name, wanted in table.items():
        tensor = found.get(name)
        if tensor is None:
            if name not in faulty:
                yield RefusedTensor(name, f"missing; it has shape {_in_words(wanted)}")
            continue
        if tensor.shape != tuple(wanted):
            yield RefusedTensor(name, f"shape {_in_words(tensor.shape)}, not {_in_words(wanted)}")
        if tensor.dtype not in dtypes:
            yield RefusedTensor(name, f"dtype {tensor.dtype}, not one of {', '.join(dtypes)}")
    for name in found:
        if name not in table:
            yield RefusedTensor(name, "unknown; the model has no such tensor")


def _in_words(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _counted(refused: Sequence[RefusedTensor]) -> str:
    count = len({tensor.name for tensor in refused})
    return f"{count} {'tensor does' if count == 1 else 'tensors do'} not fit the model"
