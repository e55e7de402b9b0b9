"""Files of weights in the safetensors format: their lengths, headers, offsets, and what is cut off."""

import copy
import itertools
import os
import random
import struct
from typing import Any

from leftovers import resident_bytes

from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.tensors_file import ELEMENT_BYTES, WeightsRefused
from tests.fuzz.campaign import Fault
from tests.fuzz.documents import NUMBERS, changed, written
from tests.fuzz.guided import Corpus

TABLE = {"a.weight": (2, 3), "b": (5,), "scale": (), "none": (0, 7)}
DATA_BYTES = 4 * (6 + 5 + 1)


class WeightsFileSurface:
    """The reader, in this process."""

    name = "safetensors"
    growth_limit_bytes = 32 << 20

    def __init__(self) -> None:
        header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
        begin = 0
        for name, shape in TABLE.items():
            size_bytes = 4
            for extent in shape:
                size_bytes *= extent
            offsets = [begin, begin + size_bytes]
            header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": offsets}
            begin += size_bytes
        self._corpus: Corpus[Any] = Corpus([header], ["/evaluation/tensors_file"])

    def attempt(self, chance: random.Random) -> str:
        """One file."""
        header = copy.deepcopy(self._corpus.choose(chance))
        if chance.random() < 0.95:
            header = changed(header, chance)
        if chance.random() < 0.3 and isinstance(header, dict):
            _mix(header, chance)
        content = written(header, chance)
        if chance.random() < 0.05:
            content = _nested(content, chance)
        length = len(content)
        if chance.random() < 0.1:
            length = int(chance.choice(NUMBERS)) & ((1 << 64) - 1)
        file = (
            struct.pack("<Q", length) + content + bytes(chance.choice((DATA_BYTES,) * 8 + (0, 47, 49, 1000)))
        )
        if chance.random() < 0.1:
            file = file[: chance.randrange(len(file))]
        descriptor = os.memfd_create("weights")
        try:
            os.write(descriptor, file)
            with self._corpus.watching(header):
                return _read(descriptor, len(file))
        finally:
            os.close(descriptor)

    def resident_bytes(self) -> int:
        """Of this process."""
        return resident_bytes(os.getpid())

    def close(self) -> None:
        """Nothing was started."""


def _read(descriptor: int, size_bytes: int) -> str:
    try:
        found = tensors_file.read_header(descriptor, TABLE)
    except WeightsRefused as error:
        shown = len(str(error)) + sum(len(tensor.name) + len(tensor.reason) for tensor in error.tensors)
        if shown > 2 * tensors_file.LISTED_LIMIT_CHARACTERS or not str(error).isprintable():
            raise Fault(f"{shown} characters are told: {str(error)[:200]}") from error
        if not all((tensor.name + tensor.reason).isprintable() for tensor in error.tensors):
            raise Fault(f"what is told moves a terminal: {error.tensors}") from error
        return "refused"
    used = sorted((tensor.offset, tensor.offset + tensor.size_bytes) for tensor in found.values())
    if set(found) != set(TABLE) or used[-1][1] != size_bytes:
        raise Fault(f"accepted {found} in {size_bytes} bytes")
    for (_, end), (begin, _) in itertools.pairwise(used):
        if end != begin:
            raise Fault(f"accepted tensors that do not follow each other: {found}")
    for name, tensor in found.items():
        if (
            tensor.shape != TABLE[name]
            or len(tensors_file.read_tensor(descriptor, tensor)) != tensor.size_bytes
        ):
            raise Fault(f"accepted {tensor} as {name}")
    return "accepted"


def _mix(header: dict[str, Any], chance: random.Random) -> None:
    """Offsets of one tensor for another, dtypes of another size with shapes that fit them."""
    entries = [entry for entry in header.values() if isinstance(entry, dict) and "shape" in entry]
    if len(entries) < 2:
        return
    one, other = chance.sample(entries, 2)
    how = chance.randrange(3)
    if how == 0:
        one["data_offsets"] = other.get("data_offsets")
    elif how == 1:
        one["dtype"] = chance.choice([*ELEMENT_BYTES, "F4", "f32", "F32 "])
    else:
        one["shape"], one["dtype"] = other["shape"], chance.choice(list(ELEMENT_BYTES))


def _nested(content: bytes, chance: random.Random) -> bytes:
    """A value that nests about as deep as parsers go, in the place of a dtype or of a shape."""
    depth = chance.randrange(800, 1100)
    deep = chance.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"0" + b"}" * depth))
    return content.replace(chance.choice((b'"F32"', b"[5]", b"[0, 24]")), deep, 1)
