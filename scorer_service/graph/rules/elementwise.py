"""Addition, multiplication and relu, element by element, and sums."""

import math

from scorer_service.graph.call import NUMBER_LIMIT, Call
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.shapes import (
    ONE,
    Extent,
    RuleBroken,
    Shape,
    broadcast,
    keep_rows_apart,
    normal_dim,
)
from scorer_service.graph.values import Value, floats, integers, require_exact


def add(call: Call) -> Value:
    """self + alpha * other."""
    return _sum_of(call.tensor("self"), call.operand("other"), _whole(call, "alpha"))


def subtract(call: Call) -> Value:
    """self - alpha * other."""
    return _sum_of(call.tensor("self"), call.operand("other"), -_whole(call, "alpha"))


def subtract_reversed(call: Call) -> Value:
    """other - alpha * self."""
    value, alpha = call.tensor("self"), _whole(call, "alpha")
    if value.kind is Kind.INTEGER:
        if type(alpha) is not int:
            raise RuleBroken("scales integers by a float")
        value = integers(value.shape, *sorted((-alpha * value.low, -alpha * value.high)))
    return _sum_of(value, call.operand("other"), 1)


def multiply(call: Call) -> Value:
    """self * other."""
    first, other = call.tensor("self"), call.operand("other")
    if _is_float(first) or _is_float(other):
        return floats(_float_shape(first, other))
    second = _as_integers(other)
    corners = [a * b for a in (first.low, first.high) for b in (second.low, second.high)]
    return integers(broadcast(first.shape, second.shape), min(corners), max(corners))


def negate(call: Call) -> Value:
    """-self."""
    value = call.tensor("self")
    return integers(value.shape, -value.high, -value.low) if value.kind is Kind.INTEGER else value


def relu(call: Call) -> Value:
    """max(self, 0), of floats."""
    return call.float_tensor("self")


def sum_all(call: Call) -> Value:
    """The sum of all elements."""
    value = call.tensor("self")
    return _sum_over(value, list(range(len(value.shape))), keep=False, kind=call.kind("dtype", value.kind))


def sum_dims(call: Call) -> Value:
    """The sum along some dimensions, along all where none is given."""
    value = call.tensor("self")
    rank = len(value.shape)
    given = [] if call.bound["dim"] is None else call.integers("dim")
    dims = [normal_dim(dim, rank) for dim in given] or list(range(rank))
    return _sum_over(value, dims, keep=call.flag("keepdim"), kind=call.kind("dtype", value.kind))


def _sum_over(value: Value, dims: list[int], *, keep: bool, kind: Kind) -> Value:
    if len(set(dims)) != len(dims):
        raise RuleBroken("sums over a dimension twice")
    for dim in dims:
        keep_rows_apart(value.shape, dim, "sums over")
    shape: list[Extent] = []
    for dim, extent in enumerate(value.shape):
        if dim not in dims:
            shape.append(extent)
        elif keep:
            shape.append(ONE)
    if kind is Kind.FLOAT:
        require_exact(value)
        return floats(tuple(shape))
    if value.kind is Kind.FLOAT:
        raise RuleBroken("sums floats into integers, which rounds them; rounding is no allowed operation")
    terms = math.prod(value.shape[dim].count for dim in dims)
    return integers(tuple(shape), terms * value.low, terms * value.high)


def _sum_of(first: Value, other: Value | int | float, alpha: int | float) -> Value:
    if _is_float(first) or _is_float(other):
        return floats(_float_shape(first, other))
    if type(alpha) is not int:
        raise RuleBroken("scales integers by a float")
    return _combine(first, 1, _as_integers(other), alpha)


def _combine(first: Value, first_factor: int, second: Value, second_factor: int) -> Value:
    """first * first_factor + second * second_factor, of integers."""
    low, high = 0, 0
    for value, factor in ((first, first_factor), (second, second_factor)):
        ends = (value.low * factor, value.high * factor)
        integers((), min(ends), max(ends))
        low, high = low + min(ends), high + max(ends)
    return integers(broadcast(first.shape, second.shape), low, high)


def _whole(call: Call, name: str) -> int | float:
    """A number; 1.0 and the like as integers, since the exporter writes either."""
    number = call.number(name)
    if abs(number) > NUMBER_LIMIT:
        raise RuleBroken(f"scales by {number:g}; {NUMBER_LIMIT:g} is the limit")
    return int(number) if number == int(number) else number


def _is_float(value: Value | int | float) -> bool:
    return value.kind is Kind.FLOAT if isinstance(value, Value) else isinstance(value, float)


def _as_integers(value: Value | int | float) -> Value:
    if isinstance(value, Value):
        return value
    return integers((), int(value), int(value))


def _float_shape(*operands: Value | int | float) -> Shape:
    shapes = []
    for operand in operands:
        if isinstance(operand, Value):
            shapes.append(require_exact(operand).shape)
        elif abs(operand) > NUMBER_LIMIT:
            raise RuleBroken(f"has the number {operand:g}; {NUMBER_LIMIT:g} is the limit")
    return broadcast(*shapes)
