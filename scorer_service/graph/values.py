"""What the checker knows of a tensor while it goes through a graph: kind, shape, and the range of
integers."""

from dataclasses import dataclass

from scorer_service.graph.dtypes import Kind
from scorer_service.graph.shapes import RuleBroken, Shape

EXACT_FLOAT_LIMIT = 1 << 24
"""Integers up to this size are float32 numbers exactly; larger ones would be rounded."""
_INT64_LIMIT = 1 << 63


@dataclass(frozen=True)
class Value:
    """A tensor, known without computing it."""

    kind: Kind
    shape: Shape
    low: int = 0
    high: int = 0
    """For integers: no element is under `low` or over `high`."""

    def with_shape(self, shape: Shape) -> "Value":
        """The same elements, or some of them, in another shape."""
        return Value(self.kind, shape, self.low, self.high)


def integers(shape: Shape, low: int, high: int) -> Value:
    """An integer tensor. Refuses ranges that may wrap around, which would be arithmetic modulo 2**64."""
    if low < -_INT64_LIMIT or high >= _INT64_LIMIT:
        raise RuleBroken(
            f"may reach {max(-low, high)}, which does not fit 64 bits and would wrap around; integers "
            "must stay exact"
        )
    return Value(Kind.INTEGER, shape, low, high)


def floats(shape: Shape) -> Value:
    """A float32 tensor."""
    return Value(Kind.FLOAT, shape)


def require_exact(value: Value) -> Value:
    """Refuse to turn integers into floats that would be rounded."""
    if value.kind is Kind.INTEGER and max(-value.low, value.high) > EXACT_FLOAT_LIMIT:
        raise RuleBroken(
            f"turns integers as large as {max(-value.low, value.high)} into float32, which rounds over "
            f"{EXACT_FLOAT_LIMIT}; rounding is no allowed operation"
        )
    return value


def join(first: Value, *others: Value) -> tuple[int, int]:
    """The range that holds the elements of all of them."""
    values = (first, *others)
    return min(value.low for value in values), max(value.high for value in values)
