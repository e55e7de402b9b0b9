"""The data types of stored tensors, and the two kinds of numbers that a graph may compute with."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Kind(Enum):
    """What a value's elements are while the graph runs."""

    FLOAT = "float32"
    INTEGER = "int64"
    BOOLEAN = "bool"
    """Only of stored tensors; no operator that is allowed takes them."""


@dataclass(frozen=True)
class Dtype:
    """A data type of the exporter's schema."""

    name: str
    size_bytes: int
    kind: Kind
    array_code: Literal["B", "b", "h", "i", "q"] | None = None
    """Of the standard library's `array` and `memoryview.cast`, for integers."""

    @property
    def integer_bounds(self) -> tuple[int, int]:
        """The least and the greatest value, of integer types."""
        bits = 8 * self.size_bytes
        if self.array_code == "B":
            return 0, (1 << bits) - 1
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


DTYPES = {
    1: Dtype("uint8", 1, Kind.INTEGER, "B"),
    2: Dtype("int8", 1, Kind.INTEGER, "b"),
    3: Dtype("int16", 2, Kind.INTEGER, "h"),
    4: Dtype("int32", 4, Kind.INTEGER, "i"),
    5: Dtype("int64", 8, Kind.INTEGER, "q"),
    6: Dtype("float16", 2, Kind.FLOAT),
    7: Dtype("float32", 4, Kind.FLOAT),
    8: Dtype("float64", 8, Kind.FLOAT),
    12: Dtype("bool", 1, Kind.BOOLEAN),
    13: Dtype("bfloat16", 2, Kind.FLOAT),
}
"""By the numbers of torch's `_export/serde/schema.py`, `ScalarType`, version 8."""

FLOAT32_CODE = 7


def dtype_name(code: int) -> str:
    """A name for any number, for messages."""
    return DTYPES[code].name if code in DTYPES else f"type number {code}"
