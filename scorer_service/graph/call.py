"""A call of an operator with its arguments bound to the names of its row in the table, for the rules to
read."""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from scorer_service.graph.dtypes import DTYPES, Kind, dtype_name
from scorer_service.graph.program import DtypeCode, Placement, Unreadable
from scorer_service.graph.shapes import Extent, RuleBroken, Shape
from scorer_service.graph.values import Value

NUMBER_LIMIT = 65_536.0
"""Of numbers in the code and of weights, in magnitude. No float16 weight is larger, and it takes a long
product to reach infinity."""

_INTEGER_LIMIT = 1 << 40
"""Of positions, shifts and the like, in magnitude; ends of slices may be as large as 64 bits allow."""

Bound: TypeAlias = object
Result: TypeAlias = Value | Extent | list[Value] | None
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator: its name, and its default where it has one."""

    name: str
    default: object = None
    is_required: bool = True
    is_ignored: bool = False
    """It says where a tensor lies, which the worker decides by itself."""


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse a table's notation: names, `name=default`, and `~name` for what is ignored."""
    parameters = []
    for word in text.split():
        name, equals, default = word.lstrip("~").partition("=")
        is_ignored = word.startswith("~")
        parameters.append(
            Parameter(
                name,
                default=ast.literal_eval(default) if equals else None,
                is_required=not equals and not is_ignored,
                is_ignored=is_ignored,
            )
        )
    return tuple(parameters)


class Call:
    """The bound arguments of one call. Getters raise RuleBroken for a value of another type."""

    def __init__(self, bound: Mapping[str, Bound]) -> None:
        self.bound = dict(bound)
        self.scratch: list[Shape] = []
        """Tensors that exist only while the operator runs."""

    def tensor(self, name: str) -> Value:
        """Return a tensor of numbers."""
        value = self.bound[name]
        if not isinstance(value, Value):
            raise self._unexpected(name, "a tensor")
        return _numeric(value)

    def float_tensor(self, name: str) -> Value:
        """Return a tensor of float32."""
        value = self.tensor(name)
        if value.kind is not Kind.FLOAT:
            raise RuleBroken(f"takes floats as {name!r}, not integers; turn them into floats with .float()")
        return value

    def integer_tensor(self, name: str) -> Value:
        """Return a tensor of integers."""
        value = self.tensor(name)
        if value.kind is not Kind.INTEGER:
            raise RuleBroken(f"takes integers as {name!r}, made from tokens and constants alone")
        return value

    def optional_float_tensor(self, name: str) -> Value | None:
        """Return a tensor of float32, or None."""
        return None if self.bound[name] is None else self.float_tensor(name)

    def tensors(self, name: str) -> list[Value]:
        """Return a list of at least one tensor."""
        values = self._tuple(name, lambda item: isinstance(item, Value), "a list of tensors")
        if not values:
            raise self._unexpected(name, "a list of at least one tensor")
        return [_numeric(value) for value in values if isinstance(value, Value)]

    def indices(self, name: str) -> list[Value | None]:
        """Return a list of integer tensors, None standing for a dimension that is kept."""
        values = self._tuple(name, lambda item: item is None or isinstance(item, Value), "a list of indices")
        for value in values:
            if isinstance(value, Value) and value.kind is not Kind.INTEGER:
                raise RuleBroken("indexes by something else than integers made from tokens and constants")
        return [value if isinstance(value, Value) else None for value in values]

    def operand(self, name: str) -> Value | int | float:
        """Return a tensor or a number."""
        value = self.bound[name]
        return _numeric(value) if isinstance(value, Value) else self.number(name)

    def number(self, name: str) -> int | float:
        """Return an integer, or a finite float of at most NUMBER_LIMIT."""
        value = self.bound[name]
        if isinstance(value, Extent):
            raise RuleBroken(
                "computes with the size of the batch; a row's logits must depend on that row alone"
            )
        if type(value) is int:
            return value
        if type(value) is float:
            if not math.isfinite(value) or abs(value) > NUMBER_LIMIT:
                raise RuleBroken(f"has the number {value:g}; {NUMBER_LIMIT:g} is the limit")
            return value
        raise self._unexpected(name, "a finite number")

    def integer(self, name: str) -> int:
        """Return an integer."""
        value = self.bound[name]
        if type(value) is not int or value < -_INTEGER_LIMIT:
            raise self._unexpected(name, "an integer that does not depend on the batch")
        return value

    def optional_integer(self, name: str) -> int | None:
        """Return an integer, or None."""
        return None if self.bound[name] is None else self.integer(name)

    def integers(self, name: str) -> list[int]:
        """Return a list of integers; a single one counts as a list."""
        if _is_moderate(self.bound[name]):
            return [self.integer(name)]
        values = self._tuple(name, _is_moderate, "a list of integers")
        return [value for value in values if isinstance(value, int)]

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.bound[name]
        if type(value) is not bool:
            raise self._unexpected(name, "true or false")
        return value

    def text(self, name: str) -> str:
        """Return a text."""
        value = self.bound[name]
        if not isinstance(value, str):
            raise self._unexpected(name, "a text")
        return value

    def extent(self, name: str) -> Extent:
        """Return a size, which may be the batch's."""
        return self._extent(name, self.bound[name])

    def sizes(self, name: str) -> list[Extent | None]:
        """Return a list of sizes; None stands for -1."""
        values = self.bound[name]
        if not isinstance(values, tuple):
            raise self._unexpected(name, "a list of sizes")
        return [None if value == -1 else self._extent(name, value) for value in values]

    def shape(self, name: str) -> Shape:
        """Return a list of sizes, none of them open."""
        sizes = self.sizes(name)
        if None in sizes:
            raise self._unexpected(name, "a list of sizes without -1")
        return tuple(size for size in sizes if size is not None)

    def kind(self, name: str, default: Kind) -> Kind:
        """Return what a dtype asks for, which must be one that graphs compute with."""
        value = self.bound[name]
        if value is None:
            return default
        if not isinstance(value, DtypeCode):
            raise self._unexpected(name, "a data type")
        dtype = DTYPES.get(value.code)
        if dtype is None or dtype.name not in ("float32", "int64"):
            raise RuleBroken(
                f"makes {dtype_name(value.code)}; models compute in float32 and int64, since a narrower "
                "type rounds, which is no allowed operation"
            )
        return dtype.kind

    def _tuple(self, name: str, accepts: Callable[[object], bool], wanted: str) -> tuple[object, ...]:
        values = self.bound[name]
        if not isinstance(values, tuple) or not all(accepts(value) for value in values):
            raise self._unexpected(name, wanted)
        return values

    def _extent(self, name: str, value: object) -> Extent:
        if isinstance(value, Extent):
            return value
        if type(value) is not int or value < 0:
            raise self._unexpected(name, "a size")
        return Extent(value)

    def _unexpected(self, name: str, wanted: str) -> RuleBroken:
        return RuleBroken(f"takes {wanted} as {name!r}, not {_describe(self.bound[name])}")


def _is_moderate(value: object) -> bool:
    return isinstance(value, int) and type(value) is int and abs(value) <= _INTEGER_LIMIT


def _numeric(value: Value) -> Value:
    if value.kind is Kind.BOOLEAN:
        raise RuleBroken("takes a tensor of truth values; keep it as a float32 buffer of zeros and ones")
    return value


def _describe(value: object) -> str:
    match value:
        case Value():
            return "a tensor"
        case Extent(per_row=True):
            return "a multiple of the batch's size"
        case Unreadable(kind) | Placement(kind):
            return kind
        case DtypeCode(code):
            return f"the data type {dtype_name(code)}"
        case None:
            return "nothing"
        case tuple():
            return "a list"
    return repr(value)[:60]
