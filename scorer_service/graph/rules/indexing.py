"""Reading and arranging by position: slices, look-ups by tokens, concatenation, shifts.

Look-ups have provable bounds: the range of every index is known, so that none can reach outside of its
tensor, which on a GPU would end the process.
"""

from scorer_service.graph.call import NUMBER_LIMIT, Call
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.shapes import (
    ONE,
    Extent,
    RuleBroken,
    broadcast,
    check_shape,
    describe_shape,
    keep_rows_apart,
    normal_dim,
)
from scorer_service.graph.values import Value, floats, integers


def embedding(call: Call) -> Value:
    """Rows of a table, chosen by integers."""
    table, indices = call.tensor("weight"), call.integer_tensor("indices")
    if len(table.shape) != 2:
        raise RuleBroken(
            f"looks up in a table of shape {describe_shape(table.shape)}; it must have two dimensions"
        )
    _check_bounds(indices, table.shape[0], may_be_negative=False)
    return table.with_shape(check_shape((*indices.shape, table.shape[1])))


def index(call: Call) -> Value:
    """Elements chosen by integer tensors, one for each of the first dimensions."""
    value, indices = call.tensor("self"), call.indices("indices")
    given = [position for position, item in enumerate(indices) if item is not None]
    if len(indices) > len(value.shape) or not given:
        raise RuleBroken(f"indexes {len(indices)} of {len(value.shape)} dimensions")
    for position in given:
        chosen = indices[position]
        if chosen is not None:
            _check_bounds(chosen, value.shape[position], may_be_negative=True)
    looked_up = broadcast(*[item.shape for item in indices if item is not None])
    kept = [extent for position, extent in enumerate(value.shape) if position not in given]
    are_neighbours = given == list(range(given[0], given[-1] + 1))
    place = given[0] if are_neighbours else 0
    return value.with_shape(check_shape((*kept[:place], *looked_up, *kept[place:])))


def index_select(call: Call) -> Value:
    """Slices along a dimension, chosen by integers."""
    value, indices = call.tensor("self"), call.integer_tensor("index")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    if len(indices.shape) != 1:
        raise RuleBroken("takes indices in one dimension")
    _check_bounds(indices, value.shape[dim], may_be_negative=False)
    return value.with_shape(check_shape((*value.shape[:dim], *indices.shape, *value.shape[dim + 1 :])))


def gather(call: Call) -> Value:
    """Elements along a dimension, chosen by integers for each of the other positions."""
    value, indices = call.tensor("self"), call.integer_tensor("index")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    if len(indices.shape) != len(value.shape):
        raise RuleBroken("takes as many dimensions of indices as of values")
    _check_bounds(indices, value.shape[dim], may_be_negative=False)
    for position, (own, wanted) in enumerate(zip(value.shape, indices.shape, strict=True)):
        fits = own == wanted or (not (own.per_row or wanted.per_row) and wanted.count <= own.count)
        if position != dim and not fits:
            raise RuleBroken(f"gathers {wanted} along a dimension of size {own}")
    return value.with_shape(indices.shape)


def slice_range(call: Call) -> Value:
    """A range along a dimension."""
    value = call.tensor("self")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    return _with_extent(value, dim, _slice_extent(call, value.shape[dim]))


def select(call: Call) -> Value:
    """One position along a dimension."""
    value = call.tensor("self")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    _check_position(value, dim, call.integer("index"))
    return value.with_shape((*value.shape[:dim], *value.shape[dim + 1 :]))


def slice_scatter(call: Call) -> Value:
    """The first tensor with a range along a dimension replaced."""
    value, source = _same_kind(call.tensor("self"), call.tensor("src"))
    dim = normal_dim(call.integer("dim"), len(value.shape))
    expected = _with_extent(value, dim, _slice_extent(call, value.shape[dim]))
    return _replace(value, source, expected)


def select_scatter(call: Call) -> Value:
    """The first tensor with one position along a dimension replaced."""
    value, source = _same_kind(call.tensor("self"), call.tensor("src"))
    dim = normal_dim(call.integer("dim"), len(value.shape))
    _check_position(value, dim, call.integer("index"))
    return _replace(value, source, value.with_shape((*value.shape[:dim], *value.shape[dim + 1 :])))


def copy(call: Call) -> Value:
    """The second tensor, broadcast to the shape of the first."""
    value, source = _same_kind(call.tensor("self"), call.tensor("src"))
    if broadcast(value.shape, source.shape) != value.shape:
        raise RuleBroken(f"copies {describe_shape(source.shape)} into {describe_shape(value.shape)}")
    return source.with_shape(value.shape)


def concatenate(call: Call) -> Value:
    """Tensors one after the other along a dimension."""
    values = _same_kind(*call.tensors("tensors"))
    first = values[0].shape
    dim = normal_dim(call.integer("dim"), len(first))
    total = 0
    for value in values:
        if len(value.shape) != len(first) or any(
            own != other
            for position, (own, other) in enumerate(zip(value.shape, first, strict=True))
            if position != dim
        ):
            raise RuleBroken(f"joins {describe_shape(first)} and {describe_shape(value.shape)}")
        keep_rows_apart(value.shape, dim, "joins tensors along")
        total += value.shape[dim].count
    return _joined(values).with_shape((*first[:dim], Extent(total), *first[dim + 1 :]))


def stack(call: Call) -> Value:
    """Tensors side by side along a new dimension."""
    values = _same_kind(*call.tensors("tensors"))
    first = values[0].shape
    if any(value.shape != first for value in values):
        raise RuleBroken("stacks tensors of different shapes")
    dim = normal_dim(call.integer("dim"), len(first) + 1)
    return _joined(values).with_shape(check_shape((*first[:dim], Extent(len(values)), *first[dim:])))


def split(call: Call) -> list[Value]:
    """Pieces of one size along a dimension; the last may be smaller."""
    value, dim = _divisible(call)
    size = call.integer("split_size")
    if size < 1:
        raise RuleBroken(f"splits into pieces of {size}")
    total = value.shape[dim].count
    _bounded(-(-total // size))
    return _pieces(value, dim, [min(size, total - start) for start in range(0, max(total, 1), size)])


def split_sizes(call: Call) -> list[Value]:
    """Pieces of given sizes along a dimension."""
    value, dim = _divisible(call)
    sizes = call.integers("split_sizes")
    _bounded(len(sizes))
    if sum(sizes) != value.shape[dim].count or min(sizes, default=0) < 0:
        raise RuleBroken(f"splits a dimension of {value.shape[dim]} into {sizes[:16]}")
    return _pieces(value, dim, sizes)


def chunk(call: Call) -> list[Value]:
    """A number of pieces along a dimension, as equal as may be."""
    value, dim = _divisible(call)
    chunks, total = call.integer("chunks"), value.shape[dim].count
    if chunks < 1 or not total:
        raise RuleBroken(f"splits a dimension of {total} into {chunks} pieces")
    size = -(-total // chunks)
    _bounded(-(-total // size))
    return _pieces(value, dim, [min(size, total - start) for start in range(0, total, size)])


def unbind(call: Call) -> list[Value]:
    """All positions along a dimension, one by one."""
    value, dim = _divisible(call)
    piece = value.with_shape((*value.shape[:dim], *value.shape[dim + 1 :]))
    return [piece] * _bounded(value.shape[dim].count)


def pad(call: Call) -> Value:
    """Constants before and after, from the last dimension on; negative numbers cut off."""
    value = call.tensor("self")
    amounts = call.integers("pad")
    if "mode" in call.bound and call.text("mode") != "constant":
        raise RuleBroken(
            f"pads by {call.text('mode')!r}; only 'constant' is allowed, or joining slices with torch.cat"
        )
    filler = 0 if call.bound["value"] is None else call.number("value")
    if len(amounts) % 2 or len(amounts) > 2 * len(value.shape):
        raise RuleBroken(f"pads {len(value.shape)} dimensions by {len(amounts)} numbers")
    shape = list(value.shape)
    for pair in range(len(amounts) // 2):
        dim = len(shape) - 1 - pair
        change = amounts[2 * pair] + amounts[2 * pair + 1]
        if amounts[2 * pair] or amounts[2 * pair + 1]:
            keep_rows_apart(value.shape, dim, "pads")
            shape[dim] = Extent(shape[dim].count + change)
            if shape[dim].count < 0:
                raise RuleBroken("cuts off more than there is")
    if value.kind is Kind.FLOAT:
        if abs(filler) > NUMBER_LIMIT:
            raise RuleBroken(f"has the number {filler:g}; {NUMBER_LIMIT:g} is the limit")
        return floats(tuple(shape))
    if filler != int(filler):
        raise RuleBroken("pads integers with a float")
    return integers(tuple(shape), min(value.low, int(filler)), max(value.high, int(filler)))


def roll(call: Call) -> Value:
    """Shift along dimensions, what falls off comes in at the other end."""
    value = call.tensor("self")
    dims, shifts = call.integers("dims"), call.integers("shifts")
    if not dims or len(dims) != len(shifts):
        raise RuleBroken("shifts without naming a dimension for each shift")
    for dim in dims:
        keep_rows_apart(value.shape, normal_dim(dim, len(value.shape)), "shifts")
    return value


def flip(call: Call) -> Value:
    """Reverse dimensions."""
    value = call.tensor("self")
    dims = [normal_dim(dim, len(value.shape)) for dim in call.integers("dims")]
    if len(set(dims)) != len(dims):
        raise RuleBroken("reverses a dimension twice")
    for dim in dims:
        keep_rows_apart(value.shape, dim, "reverses")
    return value


def unfold(call: Call) -> Value:
    """Windows along a dimension, in a new last dimension."""
    value = call.tensor("self")
    dim = normal_dim(call.integer("dimension"), len(value.shape))
    size, step, total = call.integer("size"), call.integer("step"), value.shape[dim].count
    keep_rows_apart(value.shape, dim, "takes windows over")
    if not 0 < size <= total or step < 1:
        raise RuleBroken(f"takes windows of {size} at steps of {step} from a dimension of {total}")
    windows = Extent((total - size) // step + 1)
    return value.with_shape(check_shape((*value.shape[:dim], windows, *value.shape[dim + 1 :], Extent(size))))


def diagonal(call: Call) -> Value:
    """A diagonal of two dimensions, as the last one."""
    value = call.tensor("self")
    rank = len(value.shape)
    dims = (normal_dim(call.integer("dim1"), rank), normal_dim(call.integer("dim2"), rank))
    offset = call.integer("offset")
    for dim in dims:
        keep_rows_apart(value.shape, dim, "takes the diagonal of")
    rows, columns = value.shape[dims[0]].count, value.shape[dims[1]].count
    length = min(rows + min(offset, 0), columns - max(offset, 0))
    if dims[0] == dims[1] or length < 0:
        raise RuleBroken("takes a diagonal that is not there")
    kept = [extent for dim, extent in enumerate(value.shape) if dim not in dims]
    return value.with_shape((*kept, Extent(length)))


def triangle(call: Call) -> Value:
    """The lower or upper triangle of the last two dimensions; zeros elsewhere."""
    value = call.tensor("self")
    call.integer("diagonal")
    if len(value.shape) < 2:
        raise RuleBroken("takes the triangle of something that is no matrix")
    for dim in (-1, -2):
        keep_rows_apart(value.shape, dim, "takes a triangle over")
    if value.kind is Kind.INTEGER:
        return integers(value.shape, min(value.low, 0), max(value.high, 0))
    return value


def _check_bounds(indices: Value, extent: Extent, *, may_be_negative: bool) -> None:
    if extent.per_row:
        raise RuleBroken("chooses among the rows of the batch; a row's logits must depend on that row alone")
    least = -extent.count if may_be_negative else 0
    if indices.low < least or indices.high >= extent.count:
        raise RuleBroken(
            f"may look up {indices.low} to {indices.high} in a dimension of {extent.count}; make the "
            "table large enough for every index that the integers may reach"
        )


def _check_position(value: Value, dim: int, position: int) -> None:
    keep_rows_apart(value.shape, dim, "selects among")
    count = value.shape[dim].count
    if not -count <= position < count:
        raise RuleBroken(f"selects position {position} of {count}")


def _slice_extent(call: Call, extent: Extent) -> Extent:
    start, step = call.optional_integer("start") or 0, call.integer("step")
    end = call.bound["end"]
    if extent.per_row:
        whole = end is None or end == extent or (type(end) is int and end >= (1 << 63) - 1)
        if start or step != 1 or not whole:
            keep_rows_apart((extent,), 0, "selects among")
        return extent
    if step < 1:
        raise RuleBroken(f"has the step {step}")
    first, last, _ = slice(start, call.optional_integer("end")).indices(extent.count)
    return Extent(max(0, -(-(last - first) // step)))


def _with_extent(value: Value, dim: int, extent: Extent) -> Value:
    return value.with_shape((*value.shape[:dim], extent, *value.shape[dim + 1 :]))


def _replace(value: Value, source: Value, expected: Value) -> Value:
    if source.shape != expected.shape:
        raise RuleBroken(f"puts {describe_shape(source.shape)} where {describe_shape(expected.shape)} fits")
    return _joined([value, source]).with_shape(value.shape)


def _same_kind(*values: Value) -> list[Value]:
    if len({value.kind for value in values}) > 1:
        raise RuleBroken(
            "puts integers and floats into one tensor; turn the integers into floats with .float()"
        )
    return list(values)


def _joined(values: list[Value]) -> Value:
    """A tensor whose elements come from all of them."""
    low, high = min(value.low for value in values), max(value.high for value in values)
    return Value(values[0].kind, (ONE,), low, high)


def _divisible(call: Call) -> tuple[Value, int]:
    value = call.tensor("self")
    dim = normal_dim(call.integer("dim"), len(value.shape))
    keep_rows_apart(value.shape, dim, "splits")
    return value, dim


def _pieces(value: Value, dim: int, sizes: list[int]) -> list[Value]:
    return [_with_extent(value, dim, Extent(size)) for size in sizes]


def _bounded(pieces: int) -> int:
    if pieces > 4096:
        raise RuleBroken(f"makes {pieces} tensors; 4096 is the limit")
    return pieces
