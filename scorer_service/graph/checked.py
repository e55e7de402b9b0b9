"""A graph that keeps to the rules, ready to be run, and how much memory running it takes."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scorer_service.graph.archive import StoredTensor
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.program import Node
from scorer_service.graph.shapes import elements
from scorer_service.graph.table import Operator
from scorer_service.graph.values import Value


@dataclass(frozen=True)
class ModelInterface:
    """What a model takes and makes: tokens [batch, sequence_length] to logits [batch, sequence_length,
    vocabulary]."""

    sequence_length: int
    vocabulary: int
    """Of the logits. Tokens are under it too, unless `token_limit` says otherwise."""
    batch_rows: int
    """The most rows that will be asked for at once."""
    memory_limit_bytes: int
    """Of the weights as float32 and of the tensors that live at once at `batch_rows`."""
    token_limit: int | None = None
    """Tokens are under this; a mask token may lie outside of the vocabulary."""


@dataclass(frozen=True)
class Tensor:
    """A value of a checked graph, by its slot: its position among all of them."""

    slot: int


@dataclass(frozen=True)
class Step:
    """One call to carry out."""

    operator: Operator
    arguments: tuple[object, ...]
    """In the order of the table's parameters without those that are ignored. Tensors are `Tensor`, sizes are
    integers or `Extent`, everything else is as the archive has it."""
    outputs: tuple[int, ...]
    """The slots that it fills."""
    results: tuple[Value, ...]
    """What is known of each output."""
    node: Node
    scratch_bytes: int
    """Of tensors that exist only while it runs, at the most rows."""


@dataclass(frozen=True)
class CheckedGraph:
    """A graph that keeps to the rules. Only what its output depends on is left in it."""

    interface: ModelInterface
    steps: tuple[Step, ...]
    tokens_slot: int
    stored: tuple[tuple[int, StoredTensor], ...]
    """Slots and tensors of what is stored."""
    output_slot: int
    slots: int
    weight_bytes: int
    """Of the stored tensors as float32 and int64."""
    peak_bytes: int
    """Of the tensors that live at once at the most rows, beside the weights; an upper estimate."""


def slots_of(argument: object) -> Iterator[int]:
    """The slots of all tensors in an argument, or in a tuple of them."""
    if isinstance(argument, Tensor):
        yield argument.slot
    elif isinstance(argument, tuple):
        for item in argument:
            yield from slots_of(item)


def live_steps(steps: Sequence[Step], output_slot: int) -> tuple[tuple[Step, ...], set[int]]:
    """The steps that the output depends on, and the slots of all that they use."""
    needed = {output_slot}
    kept = []
    for step in reversed(steps):
        if needed.intersection(step.outputs):
            needed.update(slots_of(step.arguments))
            kept.append(step)
    return tuple(reversed(kept)), needed


def size_bytes(value: Value, rows: int) -> int:
    """Of a tensor, in a batch of that many rows."""
    return elements(value.shape, rows) * (4 if value.kind is Kind.FLOAT else 8)


def weight_bytes(tensors: Iterable[StoredTensor]) -> int:
    """Of stored tensors once they are loaded; those that share an entry are loaded once.

    One that shows elements more than once counts as what a product of it copies.
    """
    loaded: dict[tuple[str, str], int] = {}
    stretched = 0
    for tensor in tensors:
        loaded_size = 4 if tensor.dtype.kind is Kind.FLOAT else 8
        stored, shown = tensor.entry.size_bytes // tensor.dtype.size_bytes, math.prod(tensor.shape)
        loaded[tensor.entry.name, tensor.dtype.name] = stored * loaded_size
        stretched += shown * loaded_size if shown > stored else 0
    return sum(loaded.values()) + stretched


def peak_bytes(steps: Sequence[Step], output_slot: int, rows: int) -> int:
    """The most that the steps' tensors take at once, in a batch of that many rows.

    A view keeps the tensor alive that it looks into, and takes nothing of its own.
    """
    storage_of: dict[int, int] = {}
    sizes: dict[int, int] = {}
    last_use: dict[int, int] = {}
    for position, step in enumerate(steps):
        inputs = list(slots_of(step.arguments))
        for slot in inputs:
            last_use[storage_of.get(slot, slot)] = position
        for slot, value in zip(step.outputs, step.results, strict=True):
            if step.operator.is_view and inputs:
                storage_of[slot] = storage_of.get(inputs[0], inputs[0])
            else:
                storage_of[slot] = slot
                sizes[slot] = size_bytes(value, rows)
            last_use[storage_of[slot]] = position
    last_use[storage_of.get(output_slot, output_slot)] = len(steps)
    freed_at: dict[int, list[int]] = {}
    for storage, position in last_use.items():
        freed_at.setdefault(position, []).append(storage)
    live = peak = 0
    for position, step in enumerate(steps):
        live += sum(sizes.get(slot, 0) for slot in step.outputs)
        peak = max(peak, live + step.scratch_bytes)
        live -= sum(sizes.get(storage, 0) for storage in freed_at.get(position, ()))
    return peak
