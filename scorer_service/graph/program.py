"""A model as data: the graph of an exported model in a small representation of our own."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from scorer_service.graph.errors import Refusal, SourceLine


@dataclass(frozen=True)
class TensorName:
    """An argument that is the tensor of that name."""

    name: str


@dataclass(frozen=True)
class SizeName:
    """An argument that is a symbolic size, such as the batch's, of that name."""

    name: str


@dataclass(frozen=True)
class DtypeCode:
    """An argument that names a data type, by the number that the exporter's schema gives it."""

    code: int


@dataclass(frozen=True)
class Placement:
    """A device, a layout or a memory format: where a tensor lies, never what it holds."""

    kind: str


@dataclass(frozen=True)
class Unreadable:
    """An argument of a kind that no allowed operator takes, such as a subgraph or a script object."""

    kind: str


Scalar: TypeAlias = bool | int | float | str | None
Argument: TypeAlias = (
    TensorName
    | SizeName
    | DtypeCode
    | Placement
    | Unreadable
    | Scalar
    | tuple[TensorName | None, ...]
    | tuple[int | SizeName, ...]
    | tuple[Scalar, ...]
)


@dataclass(frozen=True)
class Node:
    """One call of an operator."""

    operator: str
    """The overload, such as `aten.add.Tensor`; for arithmetic on sizes `_operator.mul` and the like."""
    arguments: tuple[tuple[str, Argument], ...]
    """By the names of the operator's own schema; those that have their default are left out."""
    outputs: tuple[str, ...]
    """Names of the tensors or sizes that it makes."""
    source: SourceLine | None


class Role(Enum):
    """What a value is that comes into the graph from outside."""

    TOKENS = "tokens"
    """What the model is asked about: the only input that changes."""
    STORED = "stored"
    """A parameter, a buffer or a constant, with its values in the archive."""


@dataclass(frozen=True)
class GraphInput:
    """One value that comes into the graph from outside."""

    name: str
    role: Role
    stored_name: str = ""
    """For stored ones: the name in the model, such as `layers.0.weight`."""
    is_constant: bool = False
    """For stored ones: it lies with the archive's constants, not with its weights."""


@dataclass(frozen=True)
class Claim:
    """What the archive says of a tensor. Never relied on, only compared with what the checker derives."""

    dtype: int
    sizes: tuple[int | None, ...]
    """None stands for a symbolic size."""


@dataclass(frozen=True)
class Program:
    """An exported model: what comes in, what is computed, what goes out."""

    inputs: tuple[GraphInput, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    claims: dict[str, Claim]
    complaints: tuple[Refusal, ...]
    """What of its signature breaks the rules: several inputs, changed buffers, and so on."""
