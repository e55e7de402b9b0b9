"""Checks a Program against the table: every refusal at once, or a graph that is ready to be run.

Shapes, kinds and the ranges of integers are derived from the inputs on, operator by operator. What the
archive claims of them is compared, never used.
"""

from collections.abc import Iterator

from scorer_service.graph.archive import Archive, StoredTensor
from scorer_service.graph.call import Call, Result
from scorer_service.graph.checked import (
    CheckedGraph,
    ModelInterface,
    Step,
    Tensor,
    live_steps,
    peak_bytes,
    size_bytes,
    weight_bytes,
)
from scorer_service.graph.dtypes import DTYPES, FLOAT32_CODE, Kind, dtype_name
from scorer_service.graph.errors import ArchiveError, GraphRefused, Refusal
from scorer_service.graph.parse import parse_program
from scorer_service.graph.program import Claim, Node, Program, Role, SizeName, TensorName
from scorer_service.graph.refused import reason_for
from scorer_service.graph.shapes import (
    BATCH,
    Extent,
    RuleBroken,
    check_shape,
    describe_shape,
    elements,
    plain,
)
from scorer_service.graph.table import ALLOWED, Operator
from scorer_service.graph.values import Value, integers

REFUSAL_LIMIT = 200
"""Of those listed; a graph of more is refused for these, and for how many more there are."""


def check_archive(archive: Archive, interface: ModelInterface) -> CheckedGraph:
    """Read an archive's graph and check it.

    Raises ArchiveError for a malformed graph and GraphRefused with everything that breaks the rules.
    """
    return GraphChecker(parse_program(archive.read_graph_json()), archive, interface).check()


class GraphChecker:
    """Goes through a program once, node by node, and collects what it refuses."""

    def __init__(self, program: Program, archive: Archive, interface: ModelInterface) -> None:
        self._program = program
        self._archive = archive
        self._interface = interface
        self._refusals: list[Refusal] = list(program.complaints)
        self._values: dict[str, Value | Extent | None] = {}
        """None stands for what a refused operator made: nothing is known of it."""
        self._slots: dict[str, int] = {}
        self._stored: dict[str, StoredTensor] = {}
        self._steps: list[Step] = []

    def check(self) -> CheckedGraph:
        """Check everything, and build the graph."""
        self._bind_inputs()
        for node in self._program.nodes:
            self._check_node(node)
        if not self._refusals:
            self._check_output()
        if self._refusals:
            rest = len(self._refusals) - REFUSAL_LIMIT
            more = [Refusal("graph", f"has {rest} more refusals")] if rest > 0 else []
            raise GraphRefused(self._refusals[:REFUSAL_LIMIT] + more)
        return self._build()

    def _refuse(self, node: Node, reason: str) -> None:
        self._refusals.append(Refusal(node.operator, reason, node.source))

    def _bind_inputs(self) -> None:
        used = {name for node in self._program.nodes for _, value in node.arguments for name in _names(value)}
        used.update(self._program.outputs)
        token_limit = self._interface.token_limit or self._interface.vocabulary
        for graph_input in self._program.inputs:
            name = graph_input.name
            if graph_input.role is Role.TOKENS:
                shape = (BATCH, *plain(self._interface.sequence_length))
                self._define(name, integers(shape, 0, token_limit - 1))
                self._check_tokens_claim(self._program.claims.get(name))
                continue
            table = self._archive.constants if graph_input.is_constant else self._archive.weights
            if graph_input.stored_name not in table:
                raise ArchiveError(f"the archive has no values for {graph_input.stored_name[:200]!r}")
            tensor = table[graph_input.stored_name]
            self._stored[name] = tensor
            low, high = 0, 0
            if tensor.dtype.kind is Kind.INTEGER and name in used:
                low, high = self._archive.integer_range(tensor)
            self._define(name, Value(tensor.dtype.kind, plain(*tensor.shape), low, high))

    def _check_tokens_claim(self, claim: Claim | None) -> None:
        if claim is None:
            raise ArchiveError("the archive does not say what the model's input is")
        length = self._interface.sequence_length
        if claim.dtype != 5 or claim.sizes != (None, length):
            shown = ["batch" if size is None else size for size in claim.sizes]
            self._refusals.append(
                Refusal(
                    "input",
                    f"takes {dtype_name(claim.dtype)} of shape {shown}; tokens are int64 of shape [batch, "
                    f"{length}], and the model must be exported with a dynamic batch",
                )
            )

    def _check_node(self, node: Node) -> None:
        operator = ALLOWED.get(node.operator)
        if operator is None:
            self._refuse(node, reason_for(node.operator))
            self._define_unknown(node)
            return
        try:
            call = self._bind(node, operator)
            if call is None:
                self._define_unknown(node)
                return
            self._record(node, operator, call, operator.rule(call))
        except RuleBroken as broken:
            self._refuse(node, str(broken))
            self._define_unknown(node)

    def _bind(self, node: Node, operator: Operator) -> Call | None:
        """Bind the arguments, or return None where one comes from an operator that was refused."""
        given = dict(node.arguments)
        if len(given) != len(node.arguments):
            raise ArchiveError(f"a call of {node.operator} has an argument twice")
        names = {parameter.name for parameter in operator.parameters}
        for name in given:
            if name not in names:
                raise RuleBroken(f"has an argument {name!r}, which is not allowed")
        bound: dict[str, object] = {}
        for parameter in operator.parameters:
            if parameter.is_ignored:
                continue
            if parameter.name not in given and parameter.is_required:
                raise RuleBroken(f"lacks its argument {parameter.name!r}")
            argument = given.get(parameter.name, parameter.default)
            if any(self._known(name, node) is None for name in _names(argument)):
                return None
            bound[parameter.name] = self._resolve(argument, node)
        return Call(bound)

    def _resolve(self, argument: object, node: Node) -> object:
        if isinstance(argument, tuple):
            return tuple(self._resolve(item, node) for item in argument)
        if not isinstance(argument, (TensorName, SizeName)):
            return argument
        value = self._known(argument.name, node)
        if isinstance(value, Value) is not isinstance(argument, TensorName):
            raise ArchiveError(f"a call of {node.operator} takes {argument.name} as something that it is not")
        return value

    def _known(self, name: str, node: Node) -> Value | Extent | None:
        if name not in self._values:
            raise ArchiveError(f"a call of {node.operator} uses {name} before it is made")
        return self._values[name]

    def _record(self, node: Node, operator: Operator, call: Call, result: Result) -> None:
        results = result if isinstance(result, list) else [] if result is None else [result]
        if len(results) != len(node.outputs):
            raise ArchiveError(f"a call of {node.operator} makes {len(results)}, not {len(node.outputs)}")
        for name, value in zip(node.outputs, results, strict=True):
            if isinstance(value, Value):
                self._compare_claim(name, value)
                self._limit_memory(value)
            self._define(name, value)
        values = tuple(value for value in results if isinstance(value, Value))
        if not values:
            return
        given = dict(node.arguments)
        arguments = tuple(
            self._refer(given.get(parameter.name, parameter.default))
            for parameter in operator.parameters
            if not parameter.is_ignored
        )
        outputs = tuple(self._slots[name] for name in node.outputs)
        scratch_bytes = sum(4 * elements(shape, self._interface.batch_rows) for shape in call.scratch)
        self._steps.append(Step(operator, arguments, outputs, values, node, scratch_bytes))

    def _refer(self, argument: object) -> object:
        if isinstance(argument, tuple):
            return tuple(self._refer(item) for item in argument)
        if isinstance(argument, TensorName):
            return Tensor(self._slots[argument.name])
        if isinstance(argument, SizeName):
            return self._values[argument.name]
        return argument

    def _compare_claim(self, name: str, value: Value) -> None:
        claim = self._program.claims.get(name)
        if claim is None:
            raise ArchiveError(f"the archive does not say what {name} is")
        dtype = DTYPES.get(claim.dtype)
        if value.kind is Kind.FLOAT and claim.dtype != FLOAT32_CODE:
            raise RuleBroken(
                f"computes {dtype_name(claim.dtype)}; models compute in float32, so turn weights of "
                "another type into float32, with .float(), before anything else"
            )
        if value.kind is Kind.INTEGER:
            if dtype is None or dtype.kind is not Kind.INTEGER:
                raise RuleBroken(f"computes {dtype_name(claim.dtype)} from integers; use int64")
            low, high = dtype.integer_bounds
            if value.low < low or value.high > high:
                raise RuleBroken(
                    f"may reach {max(-value.low, value.high)}, which wraps around in {dtype.name}"
                )
        if len(claim.sizes) != len(value.shape) or any(
            size is not None and (extent.per_row or extent.count != size)
            for size, extent in zip(claim.sizes, value.shape, strict=True)
        ):
            sizes = ["batch" if size is None else size for size in claim.sizes]
            raise RuleBroken(f"makes {describe_shape(value.shape)}, while the archive says {sizes}")

    def _limit_memory(self, value: Value) -> None:
        check_shape(value.shape)
        needed_bytes = size_bytes(value, self._interface.batch_rows)
        if needed_bytes > self._interface.memory_limit_bytes:
            raise RuleBroken(
                f"makes a tensor of {needed_bytes} bytes at {self._interface.batch_rows} rows; "
                f"{self._interface.memory_limit_bytes} is the limit"
            )

    def _define_unknown(self, node: Node) -> None:
        for _, argument in node.arguments:
            for name in _names(argument):
                self._known(name, node)
        for name in node.outputs:
            self._define(name, None)

    def _define(self, name: str, value: Value | Extent | None) -> None:
        if name in self._values:
            raise ArchiveError(f"{name} is made twice")
        self._values[name] = value
        self._slots[name] = len(self._slots)

    def _check_output(self) -> None:
        name = self._program.outputs[0]
        if name not in self._values:
            raise ArchiveError(f"the output {name} is never made")
        value = self._values[name]
        wanted = (BATCH, *plain(self._interface.sequence_length, self._interface.vocabulary))
        if not isinstance(value, Value):
            raise ArchiveError(f"the output {name} is no tensor")
        if value.kind is not Kind.FLOAT or value.shape != wanted:
            self._refusals.append(
                Refusal(
                    "output",
                    f"is {value.kind.value} of shape {describe_shape(value.shape)}; logits are float32 of "
                    f"shape {describe_shape(wanted)}",
                )
            )

    def _build(self) -> CheckedGraph:
        interface = self._interface
        output_slot = self._slots[self._program.outputs[0]]
        steps, needed = live_steps(self._steps, output_slot)
        stored = tuple(
            (self._slots[name], tensor)
            for name, tensor in self._stored.items()
            if self._slots[name] in needed
        )
        weights = weight_bytes(tensor for _, tensor in stored)
        peak = peak_bytes(steps, output_slot, interface.batch_rows)
        if weights + peak > interface.memory_limit_bytes:
            reason = (
                f"needs {weights} bytes for weights and {peak} for a batch of {interface.batch_rows} rows; "
                f"{interface.memory_limit_bytes} is the limit"
            )
            raise GraphRefused([Refusal("graph", reason)])
        return CheckedGraph(
            interface=interface,
            steps=steps,
            tokens_slot=next(self._slots[x.name] for x in self._program.inputs if x.role is Role.TOKENS),
            stored=stored,
            output_slot=output_slot,
            slots=len(self._slots),
            weight_bytes=weights,
            peak_bytes=peak,
        )


def _names(argument: object) -> Iterator[str]:
    """The names of all tensors and sizes in an argument."""
    if isinstance(argument, (TensorName, SizeName)):
        yield argument.name
    elif isinstance(argument, tuple):
        for item in argument:
            yield from _names(item)
