"""Shapes with a symbolic batch, derived by the checker itself, so that rows of a batch provably stay apart.

A dimension is either a plain number or `count` entries for each row of the batch, the rows outermost.
Whatever would bring two rows together has no shape here: a tensor has at most one dimension that goes over
rows, no operator may contract, select from or reorder it, and a reshape may not move it inside of another
dimension.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

RANK_LIMIT = 8
SIZE_LIMIT = 1 << 32
"""Of one dimension, also of tensors that are empty because of another."""


class RuleBroken(Exception):
    """A call breaks the rules; the text says how, and what to do in its place."""


@dataclass(frozen=True)
class Extent:
    """The size of one dimension: `count`, or `count` for each row of the batch."""

    count: int
    per_row: bool = False

    def at(self, rows: int) -> int:
        """The size in a batch of that many rows."""
        return self.count * rows if self.per_row else self.count

    def __str__(self) -> str:
        if not self.per_row:
            return str(self.count)
        return "batch" if self.count == 1 else f"{self.count}*batch"


Shape: TypeAlias = tuple[Extent, ...]

ONE = Extent(1)
BATCH = Extent(1, per_row=True)


def plain(*sizes: int) -> Shape:
    """A shape without a batch."""
    return tuple(Extent(size) for size in sizes)


def describe_shape(shape: Sequence[Extent]) -> str:
    """A shape for a message."""
    return "[" + ", ".join(map(str, shape)) + "]"


def check_shape(shape: Shape) -> Shape:
    """Return a shape that may be: of few dimensions, at most one of which goes over the rows of the batch."""
    if len(shape) > RANK_LIMIT:
        raise RuleBroken(f"makes a tensor of {len(shape)} dimensions; {RANK_LIMIT} is the limit")
    if any(extent.count > SIZE_LIMIT for extent in shape):
        raise RuleBroken(f"makes a dimension over {SIZE_LIMIT}")
    if sum(extent.per_row for extent in shape) > 1:
        raise RuleBroken(
            f"relates rows of the batch to each other (shape {describe_shape(shape)}); a row's logits "
            "must depend on that row alone"
        )
    return shape


def elements(shape: Sequence[Extent], rows: int) -> int:
    """How many elements a tensor has in a batch of that many rows."""
    return math.prod(extent.at(rows) for extent in shape)


def normal_dim(dim: int, rank: int) -> int:
    """Count a dimension from the front."""
    if not -rank <= dim < rank:
        raise RuleBroken(f"has no dimension {dim}: its tensor has {rank}")
    return dim % rank


def keep_rows_apart(shape: Shape, dim: int, deed: str) -> None:
    """Refuse what would do `deed` along the dimension that goes over the batch."""
    if shape[dim].per_row:
        raise RuleBroken(f"{deed} the rows of the batch; a row's logits must depend on that row alone")


def broadcast(*shapes: Shape) -> Shape:
    """The common shape of tensors that are combined element by element."""
    rank = max(map(len, shapes))
    result = []
    for position in range(-rank, 0):
        extent = ONE
        for shape in shapes:
            if -position > len(shape) or shape[position] in (ONE, extent):
                continue
            if extent != ONE:
                shown = " and ".join(map(describe_shape, shapes))
                raise RuleBroken(
                    f"combines tensors whose shapes do not fit each other for every batch: {shown}"
                )
            extent = shape[position]
        result.append(extent)
    return check_shape(tuple(result))


def reshape(shape: Shape, sizes: Sequence[Extent | None]) -> Shape:
    """The shape that `sizes` asks for, None being the size that follows from the others."""
    target = list(sizes)
    if len(target) > RANK_LIMIT:
        raise RuleBroken(f"makes a tensor of {len(target)} dimensions; {RANK_LIMIT} is the limit")
    if target.count(None) > 1:
        raise RuleBroken("leaves more than one size open")
    known = [extent for extent in target if extent is not None]
    count, per_row = _product(shape)
    known_count, known_per_row = _product(known)
    if None in target:
        if known_count == 0 or count % known_count or known_per_row > per_row:
            raise _unfit(shape, known)
        target[target.index(None)] = Extent(count // known_count, bool(per_row - known_per_row))
    result = check_shape(tuple(extent for extent in target if extent is not None))
    if _product(result) != (count, per_row):
        raise _unfit(shape, result)
    if per_row and _elements_outside_rows(shape) != _elements_outside_rows(result):
        raise RuleBroken(
            f"reshapes {describe_shape(shape)} to {describe_shape(result)}, which mixes the batch with a "
            "dimension before it; keep the batch first, or permute it back before reshaping"
        )
    return result


def _product(shape: Sequence[Extent]) -> tuple[int, int]:
    """Elements a row (or in all), and how many dimensions go over rows."""
    return math.prod(extent.count for extent in shape), sum(extent.per_row for extent in shape)


def _elements_outside_rows(shape: Shape) -> int:
    position = next(index for index, extent in enumerate(shape) if extent.per_row)
    return math.prod(extent.count for extent in shape[:position])


def _unfit(shape: Sequence[Extent], sizes: Sequence[Extent]) -> RuleBroken:
    return RuleBroken(
        f"reshapes {describe_shape(shape)} to sizes {describe_shape(sizes)}, which hold another number of "
        "elements"
    )
