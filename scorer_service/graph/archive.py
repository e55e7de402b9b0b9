"""Reads an archive of `torch.export.save` without trusting it: the graph as JSON, the weights as raw bytes.

The archive's pickles (a sample input, and tensors of unusual classes) are never read.
"""

import contextlib
import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.graph.dtypes import DTYPES, Dtype, dtype_name
from scorer_service.graph.errors import ArchiveError
from scorer_service.graph.shapes import RANK_LIMIT
from scorer_service.graph.strict_json import expect, member, parse_json, single_member
from scorer_service.graph.zip_entries import ArchiveFile, Entry, read_entries

_MODEL = "models/model.json"
_TABLES = {
    "weights": "data/weights/model_weights_config.json",
    "constants": "data/constants/model_constants_config.json",
}
_MARKS = {"archive_format": b"pt2", "byteorder": b"little"}
_IGNORED = re.compile(r"data/sample_inputs/model\.pt|archive_version|\.data/(version|serialization_id)")
_STORED = re.compile(r"data/(weights/weight|constants/tensor)_[0-9]{1,6}")
_STRIDED_LAYOUT = 7
_INTEGER_LIMIT = 1 << 24
"""Of integers in one entry that a graph uses, whose range is looked for one by one."""


@dataclass(frozen=True)
class ArchiveLimits:
    """How large an archive may be."""

    archive_bytes: int = 2 << 30
    graph_json_bytes: int = 24 << 20
    """Of the graph; a layer of a GPT takes some 40 kB, most of it the lines of code that it came from."""
    table_json_bytes: int = 8 << 20
    """Of each of the two tables of stored tensors."""
    entries: int = 20_000
    tensor_elements: int = 1 << 30
    """Of one stored tensor as it is seen, which may be more than are stored."""


@dataclass(frozen=True)
class StoredTensor:
    """A tensor as a view of one entry's bytes; the view lies within them."""

    name: str
    entry: Entry
    dtype: Dtype
    dtype_code: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements, like `offset`."""
    offset: int


class Archive:
    """An archive whose directory and tables have been checked. Made by `open_archive`."""

    def __init__(self, file: ArchiveFile, limits: ArchiveLimits) -> None:
        self._file = file
        self._limits = limits
        self._ranges: dict[tuple[str, str], tuple[int, int]] = {}
        self._entries = _strip_root(read_entries(file, entry_limit=limits.entries))
        self._check_layout()
        self.weights = self._read_table("weights")
        """Parameters and persistent buffers, by name."""
        self.constants = self._read_table("constants")
        """Constants and buffers that are not persistent, by name."""

    def read_graph_json(self) -> dict[str, Any]:
        """Read the document that holds the graph. Raises ArchiveError."""
        return self._read_json(_MODEL, self._limits.graph_json_bytes)

    def read_storage(self, tensor: StoredTensor) -> bytes:
        """Read all the bytes of the entry that a tensor is a view of. Raises ArchiveError if damaged."""
        return self._file.read_entry(tensor.entry)

    def integer_range(self, tensor: StoredTensor) -> tuple[int, int]:
        """The least and the greatest value in an integer tensor's entry; (0, 0) where it is empty.

        Raises ArchiveError where the entry is damaged or has more integers than can be looked through.
        """
        if tensor.dtype.array_code is None:
            raise ValueError(f"{tensor.name} is no integer tensor")
        key = (tensor.entry.name, tensor.dtype.name)
        if key not in self._ranges:
            count = tensor.entry.size_bytes // tensor.dtype.size_bytes
            if count > _INTEGER_LIMIT:
                raise ArchiveError(
                    f"{tensor.name[:200]!r} has {count} integers; {_INTEGER_LIMIT} is the limit, and tables "
                    "of numbers are better kept as float32"
                )
            content = memoryview(self.read_storage(tensor))[: count * tensor.dtype.size_bytes]
            values = content.cast(tensor.dtype.array_code)
            self._ranges[key] = (min(values), max(values)) if count else (0, 0)
        return self._ranges[key]

    def _check_layout(self) -> None:
        tables = set(_TABLES.values())
        for name in self._entries:
            known = name in tables or name in _MARKS or name == _MODEL
            if not known and not _STORED.fullmatch(name) and not _IGNORED.fullmatch(name):
                raise ArchiveError(
                    f"entry {name} has no place here: an archive holds one model named 'model', its "
                    "weights and constants as raw bytes, and nothing else"
                )
        for name, content in _MARKS.items():
            if name not in self._entries or self._entries[name].size_bytes != len(content):
                raise ArchiveError(f"entry {name} must be {content.decode()!r}")
            if self._file.read_entry(self._entries[name]) != content:
                raise ArchiveError(f"entry {name} must be {content.decode()!r}")

    def _read_json(self, name: str, limit_bytes: int) -> dict[str, Any]:
        entry = self._entries.get(name)
        if entry is None:
            raise ArchiveError(f"the archive has no {name}; write it with torch.export.save")
        if entry.size_bytes > limit_bytes:
            raise ArchiveError(f"{name} has {entry.size_bytes} bytes; {limit_bytes} is the limit")
        return parse_json(self._file.read_entry(entry), name)

    def _read_table(self, which: str) -> dict[str, StoredTensor]:
        table = self._read_json(_TABLES[which], self._limits.table_json_bytes)
        rows = member(table, "config", dict, which)
        return {name: self._read_row(which, name, row) for name, row in rows.items()}

    def _read_row(self, which: str, name: str, row: object) -> StoredTensor:
        where = f"{which} {name[:200]!r}"
        row = expect(row, dict, where)
        if member(row, "use_pickle", bool, where):
            raise ArchiveError(f"{where} is pickled; only plain tensors are read")
        path = f"data/{which}/" + member(row, "path_name", str, where)
        if not _STORED.fullmatch(path) or path not in self._entries:
            raise ArchiveError(f"{where} is in no entry of the archive")
        entry = self._entries[path]
        meta = member(row, "tensor_meta", dict, where)
        code = member(meta, "dtype", int, where)
        if code not in DTYPES:
            raise ArchiveError(
                f"{where} is of {dtype_name(code)}; store float32, float16, bfloat16 or an integer type"
            )
        if member(meta, "layout", int, where) != _STRIDED_LAYOUT:
            raise ArchiveError(f"{where} is not dense; store it dense")
        shape = _static_sizes(member(meta, "sizes", list, where), where)
        strides = _static_sizes(member(meta, "strides", list, where), where)
        offset = _static_sizes([member(meta, "storage_offset", dict, where)], where)[0]
        tensor = StoredTensor(name, entry, DTYPES[code], code, shape, strides, offset)
        self._check_bounds(tensor, where)
        return tensor

    def _check_bounds(self, tensor: StoredTensor, where: str) -> None:
        # Before they are multiplied: thousands of them make a number that takes long to write down.
        if len(tensor.shape) > RANK_LIMIT or len(tensor.strides) != len(tensor.shape):
            raise ArchiveError(f"{where} has {len(tensor.shape)} sizes and {len(tensor.strides)} strides")
        elements = math.prod(tensor.shape)
        if max(elements, *tensor.shape, 0) > self._limits.tensor_elements:
            raise ArchiveError(
                f"{where} has {elements} elements; {self._limits.tensor_elements} is the limit"
            )
        last = tensor.offset + sum(
            (size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True)
        )
        if elements and (last + 1) * tensor.dtype.size_bytes > tensor.entry.size_bytes:
            raise ArchiveError(
                f"{where} reaches past the {tensor.entry.size_bytes} bytes that are stored for it"
            )


@contextlib.contextmanager
def open_archive(path: Path, limits: ArchiveLimits | None = None) -> Iterator[Archive]:
    """Open an archive for reading. Follows no symbolic link and opens nothing but a regular file.

    Raises ArchiveError for anything but an archive as `torch.export.save` of torch 2.11 to 2.15 writes it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise ArchiveError(f"the archive cannot be opened: {error.strerror}") from None
    try:
        yield read_archive(descriptor, limits)
    finally:
        os.close(descriptor)


def read_archive(descriptor: int, limits: ArchiveLimits | None = None) -> Archive:
    """The archive behind a descriptor, which stays open as long as the archive is used. As `open_archive`."""
    limits = limits or ArchiveLimits()
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ArchiveError("the archive is not a regular file")
    if status.st_size > limits.archive_bytes:
        raise ArchiveError(f"the archive has {status.st_size} bytes; {limits.archive_bytes} is the limit")
    return Archive(ArchiveFile(descriptor, status.st_size), limits)


def _strip_root(entries: dict[str, Entry]) -> dict[str, Entry]:
    """Take the folder off that all entries lie in, which has the name of the file that was written."""
    roots = {name.partition("/")[0] for name in entries}
    if len(roots) != 1 or not all("/" in name for name in entries):
        raise ArchiveError("the archive's entries do not lie in one folder; write it with torch.export.save")
    return {name.partition("/")[2]: entry for name, entry in entries.items()}


def _static_sizes(values: list[Any], where: str) -> tuple[int, ...]:
    sizes = []
    for value in values:
        key, size = single_member(value, where)
        if key != "as_int" or type(size) is not int or size < 0:
            raise ArchiveError(f"{where} has a size, stride or offset that is no natural number")
        sizes.append(size)
    return tuple(sizes)
