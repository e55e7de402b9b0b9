"""Runs a checked graph on a torch device, by implementations of our own choosing. The only file that needs
torch.

No operator is looked up by a name from an archive: a step has a row of the table, and the row's name is a key
of the tables here, which hold exactly the rows of the table.
"""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from scorer_service.graph.archive import Archive
from scorer_service.graph.checked import CheckedGraph, Step, Tensor, slots_of
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.errors import ModelFailed, Refusal
from scorer_service.graph.implementations import CREATORS, FUNCTIONS, RESHAPES
from scorer_service.graph.shapes import Extent
from scorer_service.graph.values import Value
from scorer_service.graph.weights import load_weights

MAGNITUDE_LIMIT = 1e30
"""What no intermediate number of an honest model comes near; float32 overflows at 3.4e38."""

_NOISE_RELATIVE = 2.0**-23
"""From the least to the greatest of the noise on a number: what lies between two neighbours in float32."""
_NOISE_ABSOLUTE = 1e-30
"""The same for numbers near zero. Float32 rounds below 1.2e-38 to whole multiples of 1.4e-45."""


@dataclass(frozen=True)
class _Prepared:
    """A step with its arguments in place for one size of batch."""

    function: Callable[..., Any]
    arguments: tuple[object, ...]
    keywords: dict[str, object]
    tensor_positions: tuple[tuple[int, int | tuple[int | None, ...]], ...]
    """Where in `arguments` tensors go, and their slots."""
    outputs: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    """Of the outputs, as the checker derived them."""
    is_list: bool
    dead: tuple[int, ...]
    """Slots that nothing reads after this step."""
    step: Step


class RunnableModel:
    """A checked graph with its weights on a device. Keeps nothing from one run to the next."""

    def __init__(
        self,
        graph: CheckedGraph,
        archive: Archive,
        device: torch.device | str = "cpu",
        float_dtype: torch.dtype = torch.float32,
        noise: bool = False,
    ) -> None:
        """Load the weights. Raises ArchiveError, and GraphRefused for weights that are out of range.

        Scores are of float32. A model whose logits differ much in float64 makes use of float32's rounding or
        overflow, which no rule about operators can see. It can be made to round alike in both precisions,
        though. With `noise`, each weight and each result is changed at random by about as much as float32
        rounds: of whatever is rounded away, the mean is then what it would be if nothing were rounded. In
        float32 itself the noise would be rounded away.
        """
        if noise and float_dtype == torch.float32:
            raise ValueError("noise as small as the rounding of float32 needs a wider type")
        if torch.get_default_dtype() != torch.float32 or torch.get_float32_matmul_precision() != "highest":
            raise ValueError("this process computes in another precision than float32; keep torch's defaults")
        self._graph = graph
        self._device = torch.device(device)
        self._dtypes = {Kind.FLOAT: float_dtype, Kind.INTEGER: torch.int64}
        self._noise = noise
        self._weights = load_weights(graph.stored, archive, self._device, self._dtypes, self._disturbed)
        self._prepared: dict[int, list[_Prepared]] = {}

    def run(
        self, tokens: torch.Tensor, *, magnitude_limit: float | None = None, deadline_s: float | None = None
    ) -> torch.Tensor:
        """Compute logits, float32 [batch, sequence_length, vocabulary], of int64 [batch, sequence_length].

        With `magnitude_limit` every intermediate must stay finite and within it, which costs a pass over
        each. `deadline_s` is a time of `time.monotonic` after which no further step is begun.

        Raises ValueError for tokens that are none, and ModelFailed where an intermediate is out of range,
        where an operator fails on the device, or where the deadline passes.
        """
        self._check_tokens(tokens)
        rows = tokens.shape[0]
        if rows not in self._prepared:
            self._prepared.clear()
            self._prepared[rows] = self._prepare(rows)
        values: list[Any] = [None] * self._graph.slots
        for slot, weight in self._weights.items():
            values[slot] = weight
        values[self._graph.tokens_slot] = tokens
        with torch.inference_mode(), torch.autocast(self._device.type, enabled=False):
            for prepared in self._prepared[rows]:
                if deadline_s is not None and time.monotonic() > deadline_s:
                    raise ModelFailed("the model takes too long")
                self._carry_out(prepared, values)
                if magnitude_limit is not None:
                    _check_magnitudes(prepared, values, magnitude_limit)
                for slot in prepared.dead:
                    values[slot] = None
        logits: torch.Tensor = values[self._graph.output_slot]
        return logits

    def _carry_out(self, prepared: _Prepared, values: list[Any]) -> None:
        arguments = list(prepared.arguments)
        for position, slots in prepared.tensor_positions:
            if isinstance(slots, int):
                arguments[position] = values[slots]
            else:
                arguments[position] = [None if slot is None else values[slot] for slot in slots]
        try:
            result = prepared.function(*arguments, **prepared.keywords)
            results = list(zip(prepared.outputs, result if prepared.is_list else (result,), strict=True))
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            raise _failed(prepared, f"failed: {str(error).partition(chr(10))[0][:300]}") from error
        for slot, item in results:
            values[slot] = item
        for slot, shape in zip(prepared.outputs, prepared.shapes, strict=True):
            if values[slot].shape != shape:
                # That rows stay apart was derived for the other shape.
                raise _failed(prepared, f"made {list(values[slot].shape)}, not {list(shape)}")
        if self._dtypes[Kind.FLOAT] != torch.float32:
            for slot in prepared.outputs:  # integers become float32 first, whatever they meet later
                if values[slot].is_floating_point():
                    values[slot] = values[slot].to(self._dtypes[Kind.FLOAT])
            if self._noise and not prepared.step.operator.is_view:
                for slot in prepared.outputs:
                    values[slot] = self._disturbed(values[slot])

    def _disturbed(self, tensor: torch.Tensor) -> torch.Tensor:
        """The same, or with noise on each of its floats."""
        if not self._noise or not tensor.is_floating_point():
            return tensor
        noise = torch.rand_like(tensor).sub_(0.5).mul_(_NOISE_RELATIVE)
        noise.mul_(tensor).add_(tensor)
        return noise.add_(torch.rand_like(tensor).sub_(0.5).mul_(_NOISE_ABSOLUTE))

    def _check_tokens(self, tokens: torch.Tensor) -> None:
        interface = self._graph.interface
        if tokens.dtype != torch.int64 or tokens.dim() != 2 or tokens.shape[1] != interface.sequence_length:
            raise ValueError(
                f"tokens are {tokens.dtype} of shape {list(tokens.shape)}, not int64 of shape [batch, "
                f"{interface.sequence_length}]"
            )
        if not 0 < tokens.shape[0] <= interface.batch_rows:
            raise ValueError(f"a batch has 1 to {interface.batch_rows} rows, not {tokens.shape[0]}")
        limit = interface.token_limit or interface.vocabulary
        low, high = torch.aminmax(tokens)
        if int(low) < 0 or int(high) >= limit:
            raise ValueError(f"tokens are 0 to {limit - 1}, not {int(low)} to {int(high)}")

    def _prepare(self, rows: int) -> list[_Prepared]:
        steps = self._graph.steps
        kept = {self._graph.output_slot}
        dead: list[tuple[int, ...]] = []
        for step in reversed(steps):
            ending = {*slots_of(step.arguments), *step.outputs} - kept
            kept |= ending
            dead.append(tuple(ending))
        dead.reverse()
        return [self._prepare_step(step, rows, ending) for step, ending in zip(steps, dead, strict=True)]

    def _prepare_step(self, step: Step, rows: int, dead: tuple[int, ...]) -> _Prepared:
        name = step.operator.name
        keywords: dict[str, object] = {}
        arguments = step.arguments
        if name in RESHAPES:
            function = RESHAPES[name]
            arguments = (arguments[0], _shape_at(step.results[0], rows))
        elif name in CREATORS:
            function = CREATORS[name]
            value = step.results[0]
            arguments = (*step.arguments, _shape_at(value, rows))
            keywords = {"dtype": self._dtypes[value.kind], "device": self._device}
        else:
            function = FUNCTIONS[name]
            if name == "aten.einsum.default":
                # Of more than two tensors it is several products, and each makes numbers of its own.
                function = functools.partial(function, change=self._disturbed)
        placed: list[object] = []
        positions: list[tuple[int, int | tuple[int | None, ...]]] = []
        for position, argument in enumerate(arguments):
            if isinstance(argument, Tensor):
                positions.append((position, argument.slot))
                placed.append(None)
            elif isinstance(argument, tuple) and any(isinstance(item, Tensor) for item in argument):
                slots = tuple(item.slot if isinstance(item, Tensor) else None for item in argument)
                positions.append((position, slots))
                placed.append(None)
            else:
                placed.append(_at(argument, rows))
        return _Prepared(
            function,
            tuple(placed),
            keywords,
            tuple(positions),
            step.outputs,
            tuple(_shape_at(value, rows) for value in step.results),
            step.operator.makes_list,
            dead,
            step,
        )


def _failed(prepared: _Prepared, reason: str) -> ModelFailed:
    node = prepared.step.node
    return ModelFailed(str(Refusal(node.operator, reason, node.source)))


def _check_magnitudes(prepared: _Prepared, values: Sequence[Any], limit: float) -> None:
    for slot in prepared.outputs:
        value = values[slot]
        if value.dtype != torch.float32 or not value.numel():
            continue
        # Without a tensor of absolutes, which is as large as the logits. A NaN is its own extreme.
        low, high = torch.aminmax(value)
        largest = max(abs(float(low)), abs(float(high)))
        if not largest <= limit:
            raise _failed(
                prepared, f"reaches {largest:g}; intermediate numbers must stay finite and at most {limit:g}"
            )


def _shape_at(value: Value, rows: int) -> tuple[int, ...]:
    return tuple(extent.at(rows) for extent in value.shape)


def _at(argument: object, rows: int) -> object:
    if isinstance(argument, Extent):
        return argument.at(rows)
    if isinstance(argument, tuple):
        return tuple(_at(item, rows) for item in argument)
    return argument
