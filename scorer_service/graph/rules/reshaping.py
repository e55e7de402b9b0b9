"""Operators that only arrange elements anew: views, permutations, copies, expansions."""

from scorer_service.graph.call import Call
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.shapes import (
    ONE,
    RANK_LIMIT,
    SIZE_LIMIT,
    Extent,
    RuleBroken,
    check_shape,
    describe_shape,
    keep_rows_apart,
    normal_dim,
    plain,
    reshape,
)
from scorer_service.graph.values import Value, floats, require_exact


def same(call: Call) -> Value:
    """The same tensor, or a copy of it."""
    return call.tensor(next(iter(call.bound)))


def nothing(call: Call) -> None:
    """An assertion about how a tensor lies in memory: it makes nothing."""


def dropout(call: Call) -> Value:
    """The same tensor, since nothing is dropped outside of training."""
    if call.flag("train"):
        raise RuleBroken("drops at random: call model.eval() before exporting")
    return call.tensor("input")


def cast(call: Call) -> Value:
    """The same numbers as another type, which must hold them exactly."""
    value = call.tensor("self")
    kind = call.kind("dtype", value.kind)
    if kind is value.kind:
        return value
    if kind is Kind.INTEGER:
        raise RuleBroken("turns floats into integers, which rounds them; rounding is no allowed operation")
    return floats(require_exact(value).shape)


def to_size(call: Call) -> Value:
    """View, to a size."""
    value = call.tensor("self")
    return value.with_shape(reshape(value.shape, call.sizes("size")))


def to_shape(call: Call) -> Value:
    """Reshape; the same as a view, by another name of its parameter."""
    value = call.tensor("self")
    return value.with_shape(reshape(value.shape, call.sizes("shape")))


def like_other(call: Call) -> Value:
    """View and reshape to the shape of another tensor."""
    value = call.tensor("self")
    return value.with_shape(reshape(value.shape, call.tensor("other").shape))


def flatten(call: Call) -> Value:
    """Join neighbouring dimensions."""
    value = call.tensor("self")
    rank = len(value.shape)
    if not rank:
        return value.with_shape(plain(1))
    start, end = normal_dim(call.integer("start_dim"), rank), normal_dim(call.integer("end_dim"), rank)
    if start > end:
        raise RuleBroken(f"flattens from dimension {start} to {end}")
    return value.with_shape(reshape(value.shape, (*value.shape[:start], None, *value.shape[end + 1 :])))


def unflatten(call: Call) -> Value:
    """Split a dimension into several."""
    value = call.tensor("self")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    part = reshape((value.shape[dim],), call.sizes("sizes"))
    return value.with_shape(check_shape(value.shape[:dim] + part + value.shape[dim + 1 :]))


def permute(call: Call) -> Value:
    """Reorder dimensions."""
    value = call.tensor("self")
    return _reorder(value, [normal_dim(dim, len(value.shape)) for dim in call.integers("dims")])


def transpose(call: Call) -> Value:
    """Swap two dimensions."""
    return _swap(call.tensor("self"), call.integer("dim0"), call.integer("dim1"))


def swap_axes(call: Call) -> Value:
    """Swap two dimensions; the same as a transposition, by other names of its parameters."""
    return _swap(call.tensor("self"), call.integer("axis0"), call.integer("axis1"))


def transpose_matrix(call: Call) -> Value:
    """Swap the last two dimensions."""
    value = call.tensor("self")
    rank = len(value.shape)
    if rank < 2:
        return value
    return _reorder(value, [*range(rank - 2), rank - 1, rank - 2])


def reverse_dims(call: Call) -> Value:
    """Reverse the order of all dimensions."""
    value = call.tensor("self")
    return _reorder(value, list(reversed(range(len(value.shape)))))


def move_dims(call: Call) -> Value:
    """Move dimensions to other places; the rest keeps its order."""
    value = call.tensor("self")
    rank = len(value.shape)
    sources = [normal_dim(dim, rank) for dim in call.integers("source")]
    places = [normal_dim(dim, rank) for dim in call.integers("destination")]
    if len(set(sources)) != len(sources) or len(set(places)) != len(places) or len(sources) != len(places):
        raise RuleBroken("moves a dimension twice")
    order = [dim for dim in range(rank) if dim not in sources]
    for place, source in sorted(zip(places, sources, strict=True)):
        order.insert(place, source)
    return _reorder(value, order)


def squeeze(call: Call) -> Value:
    """Drop dimensions of size 1: those given, or all. The batch stays, though it may happen to have one
    row."""
    value = call.tensor("self")
    rank = len(value.shape)
    given = call.integers("dim") if "dim" in call.bound else range(rank)
    dims = [normal_dim(dim, rank) for dim in given]
    kept = [extent for dim, extent in enumerate(value.shape) if dim not in dims or extent != ONE]
    return value.with_shape(tuple(kept))


def unsqueeze(call: Call) -> Value:
    """Insert a dimension of size 1."""
    value = call.tensor("self")
    dim = normal_dim(call.integer("dim"), len(value.shape) + 1)
    return value.with_shape(check_shape((*value.shape[:dim], ONE, *value.shape[dim:])))


def expand(call: Call) -> Value:
    """Repeat dimensions of size 1 without copying."""
    value = call.tensor("self")
    sizes = call.sizes("size")
    added = len(sizes) - len(value.shape)
    if added < 0:
        raise RuleBroken(f"expands {describe_shape(value.shape)} to fewer dimensions")
    shape = []
    for size, own in zip(sizes, [*[ONE] * added, *value.shape], strict=True):
        wanted = own if size is None else size
        if own not in (ONE, wanted):
            raise RuleBroken(f"expands a dimension of size {own} to {wanted}; only size 1 can be expanded")
        shape.append(wanted)
    return value.with_shape(check_shape(tuple(shape)))


def expand_as(call: Call) -> Value:
    """Expand to the shape of another tensor."""
    bound = {"self": call.tensor("self"), "size": call.tensor("other").shape}
    return expand(Call(bound))


def repeat(call: Call) -> Value:
    """Copies side by side, along each dimension."""
    value = call.tensor("self")
    repeats = list(call.shape("repeats"))
    rank = max(len(repeats), len(value.shape))
    if len(repeats) < len(value.shape):
        if "is_tile" not in call.bound:
            raise RuleBroken("repeats fewer dimensions than there are")
        repeats = [ONE] * (rank - len(repeats)) + repeats
    own = [*[ONE] * (rank - len(value.shape)), *value.shape]
    shape = []
    for extent, times in zip(own, repeats, strict=True):
        if extent.per_row and times != ONE:
            keep_rows_apart((extent,), 0, "repeats")
        shape.append(Extent(extent.count * times.count, extent.per_row or times.per_row))
    return value.with_shape(check_shape(tuple(shape)))


def tile(call: Call) -> Value:
    """As `repeat`, but missing dimensions are not repeated."""
    return repeat(Call({"self": call.tensor("self"), "repeats": call.bound["dims"], "is_tile": True}))


def repeat_each(call: Call) -> Value:
    """Repeat each element along a dimension."""
    value = call.tensor("self")
    if call.optional_integer("dim") is None:
        raise RuleBroken("flattens before it repeats; name the dimension")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    own = value.shape[dim]
    times = call.integer("repeats")
    if times < 0:
        raise RuleBroken(f"repeats {times} times")
    return value.with_shape(
        (*value.shape[:dim], Extent(own.count * times, own.per_row), *value.shape[dim + 1 :])
    )


def size_of(call: Call) -> Extent:
    """The size of a dimension, for use in other sizes."""
    value = call.tensor("self")
    return value.shape[normal_dim(call.integer("dim"), len(value.shape))]


def multiply_sizes(call: Call) -> Extent:
    """a * b, of sizes."""
    first, second = call.extent("a"), call.extent("b")
    if first.per_row and second.per_row:
        raise RuleBroken("multiplies the batch's size by itself")
    # Each time, or a size that is squared again and again fills the memory before any tensor has it.
    if first.count * second.count > SIZE_LIMIT:
        raise RuleBroken(f"makes a size over {SIZE_LIMIT}")
    return Extent(first.count * second.count, first.per_row or second.per_row)


def _swap(value: Value, first: int, second: int) -> Value:
    rank = len(value.shape)
    order = list(range(rank))
    first, second = normal_dim(first, rank), normal_dim(second, rank)
    order[first], order[second] = second, first
    return _reorder(value, order)


def _reorder(value: Value, order: list[int]) -> Value:
    if sorted(order) != list(range(len(value.shape))):
        raise RuleBroken(f"orders {len(value.shape)} dimensions as {order[: RANK_LIMIT + 1]}")
    return value.with_shape(tuple(value.shape[dim] for dim in order))
