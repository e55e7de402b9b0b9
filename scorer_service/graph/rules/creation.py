"""Tensors of constants that the code makes itself."""

from scorer_service.graph.call import NUMBER_LIMIT, Call
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.shapes import Extent, RuleBroken, Shape, check_shape
from scorer_service.graph.values import Value, floats, integers


def zeros(call: Call) -> Value:
    """Zeros of a given size."""
    return _filled(call.shape("size"), call.kind("dtype", Kind.FLOAT), 0)


def ones(call: Call) -> Value:
    """Ones of a given size."""
    return _filled(call.shape("size"), call.kind("dtype", Kind.FLOAT), 1)


def full(call: Call) -> Value:
    """One number throughout."""
    number = call.number("fill_value")
    default = Kind.FLOAT if isinstance(number, float) else Kind.INTEGER
    return _filled(call.shape("size"), call.kind("dtype", default), number)


def zeros_like(call: Call) -> Value:
    """Zeros in the shape of another tensor."""
    return _like(call, 0)


def ones_like(call: Call) -> Value:
    """Ones in the shape of another tensor."""
    return _like(call, 1)


def full_like(call: Call) -> Value:
    """One number in the shape of another tensor."""
    return _like(call, call.number("fill_value"))


def new_zeros(call: Call) -> Value:
    """Zeros of a given size, of the kind of another tensor."""
    return _filled(call.shape("size"), call.kind("dtype", call.tensor("self").kind), 0)


def new_ones(call: Call) -> Value:
    """Ones of a given size, of the kind of another tensor."""
    return _filled(call.shape("size"), call.kind("dtype", call.tensor("self").kind), 1)


def new_full(call: Call) -> Value:
    """One number throughout, of the kind of another tensor."""
    return _filled(
        call.shape("size"), call.kind("dtype", call.tensor("self").kind), call.number("fill_value")
    )


def arange(call: Call) -> Value:
    """Numbers at equal steps."""
    start = call.number("start") if "start" in call.bound else 0
    step = call.number("step") if "step" in call.bound else 1
    end = call.number("end")
    whole = all(isinstance(number, int) for number in (start, step, end))
    kind = call.kind("dtype", Kind.INTEGER if whole else Kind.FLOAT)
    if not isinstance(start, int) or not isinstance(step, int) or not isinstance(end, int) or step == 0:
        raise RuleBroken("counts by something else than whole numbers; multiply a whole range by a number")
    if (end - start) * step < 0:
        raise RuleBroken(f"counts from {start} to {end} in steps of {step}, which lead away from it")
    numbers = range(start, end, step)
    count = len(numbers) if abs(end - start) < 1 << 32 else 1 << 32
    if count > 1 << 24 or max(abs(start), abs(end)) > 1 << 24:
        raise RuleBroken(f"counts {start} to {end}; {1 << 24} is the limit")
    low, high = (min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1])) if numbers else (0, 0)
    shape = (Extent(count),)
    return integers(shape, low, high) if kind is Kind.INTEGER else floats(shape)


def linspace(call: Call) -> Value:
    """Numbers at equal distances."""
    _limited(call.number("start"))
    _limited(call.number("end"))
    steps = call.integer("steps")
    if steps < 0 or call.kind("dtype", Kind.FLOAT) is not Kind.FLOAT:
        raise RuleBroken("makes something else than floats")
    return floats((Extent(steps),))


def eye(call: Call) -> Value:
    """The identity matrix."""
    rows = call.extent("n")
    columns = call.extent("m") if "m" in call.bound else rows
    if rows.per_row or columns.per_row:
        raise RuleBroken("tells the rows of the batch apart; a row's logits must depend on that row alone")
    kind = call.kind("dtype", Kind.FLOAT)
    return Value(kind, (rows, columns), 0, 1)


def _like(call: Call, number: int | float) -> Value:
    value = call.tensor("self")
    return _filled(value.shape, call.kind("dtype", value.kind), number)


def _filled(shape: Shape, kind: Kind, number: int | float) -> Value:
    check_shape(shape)
    if kind is Kind.FLOAT:
        _limited(number)
        return floats(shape)
    if number != int(number):
        raise RuleBroken("fills integers with a float")
    return integers(shape, int(number), int(number))


def _limited(number: int | float) -> None:
    if abs(number) > NUMBER_LIMIT:
        raise RuleBroken(f"has the number {number:g}; {NUMBER_LIMIT:g} is the limit")
