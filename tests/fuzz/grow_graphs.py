"""Grows graphs that the checker accepts, and runs them where torch is.

`grow_graphs.py SEED COUNT LIMIT_S ARCHIVE` grows so many at most, for so long at most.

Node after node is drawn at random and kept where the checker takes it, so that what is run is much further
from an honest model than any change of one. Each must run or fail as a model may, make what was derived
(shapes, types, ranges of integers), and keep the rows of a batch apart. Prints a report as JSON.
"""

import json
import random
import resource
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer_service.graph import (
    Archive,
    ArchiveError,
    CheckedGraph,
    GraphRefused,
    ModelFailed,
    ModelInterface,
    open_archive,
)
from scorer_service.graph.archive import StoredTensor
from scorer_service.graph.check import GraphChecker
from scorer_service.graph.program import DtypeCode, GraphInput, Node, Program, Role, SizeName, TensorName
from scorer_service.graph.shapes import Extent
from scorer_service.graph.table import ALLOWED
from scorer_service.graph.values import Value
from tests.graph.run_models import ComparedModel

INTERFACE = ModelInterface(sequence_length=16, vocabulary=23, batch_rows=8, memory_limit_bytes=1 << 24)
ROWS = 5
_TENSORS = frozenset(
    "self other input weight bias src tensor indices index a mat1 mat2 batch1 batch2 vec vec2".split()  # noqa: SIM905
)
_LISTS = {"tensors", "indices"}
_EQUATIONS = (
    *("ij->ji", "bi,ij->bj", "bsi,ji->bsj", "...i,i->...", "bi,bj->bij", "bi,bj->b", "ab,bc,cd->ad", "i,i->"),
)
_NUMBERS = (0, 1, -1, 2, -2, 3, 4, 8, 16, 23, 24, 65_536, 1 << 24, 1 << 40, (1 << 63) - 1, -(1 << 63))


class GrowingChecker(GraphChecker):
    """A checker that is given one node at a time, and takes any tensor with a batch as the output."""

    def _compare_claim(self, name: str, value: Value) -> None:
        pass

    def _check_tokens_claim(self, claim: object) -> None:
        pass

    def _check_output(self) -> None:
        pass

    def begin(self) -> None:
        """Bind the inputs."""
        self._bind_inputs()

    def takes(self, node: Node) -> bool:
        """Whether the node is accepted; if not, nothing of it stays."""
        values, slots, steps = dict(self._values), dict(self._slots), len(self._steps)
        try:
            self._check_node(node)
            if not self._refusals:
                return True
        except ArchiveError:
            pass
        self._values, self._slots = values, slots
        self._refusals.clear()
        del self._steps[steps:]
        return False

    def graph(self, output: str) -> CheckedGraph:
        """The graph of what was taken. Raises GraphRefused."""
        self._program = replace(self._program, outputs=(output,))
        return self._build()

    def known(self) -> dict[str, Value | Extent | None]:
        """What was made so far."""
        return self._values


def drawn_argument(name: str, operator: str, known: dict[str, Any], chance: random.Random) -> Any:
    """An argument that may fit a parameter of that name."""
    tensors = [key for key, value in known.items() if isinstance(value, Value)]
    recent = tensors[-6:] if chance.random() < 0.6 else tensors
    if name in _LISTS and operator not in ("aten.embedding.default",):
        count = chance.choice((1, 2, 2, 3))
        if name == "indices":
            integers = [key for key in tensors if known[key].kind.name == "INTEGER"]
            return tuple(
                None if chance.random() < 0.3 else TensorName(chance.choice(integers)) for _ in range(count)
            )
        first = chance.choice(recent)
        return tuple(
            TensorName(first if chance.random() < 0.6 else chance.choice(recent)) for _ in range(count)
        )
    if name in _TENSORS and not (name == "index" and operator.startswith("aten.select")):
        if name == "other" and chance.random() < 0.3:
            return chance.choice((2, -3, 0.5, 1e-3, 1 << 20))
        return TensorName(chance.choice(recent))
    if "dtype" in name:
        return chance.choice((None, DtypeCode(7), DtypeCode(5)))
    if name == "equation":
        return chance.choice(_EQUATIONS)
    if name in ("keepdim", "train", "sparse_grad"):
        return chance.random() < 0.3
    if name == "mode":
        return "constant"
    sizes = [key for key, value in known.items() if isinstance(value, Extent)]
    if name in ("size", "shape", "repeats", "sizes", "dims") and chance.random() < 0.7:
        shape = known[chance.choice(tensors)].shape
        numbers: list[object] = [
            SizeName(chance.choice(sizes)) if extent.per_row and sizes else extent.count for extent in shape
        ]
        if numbers and chance.random() < 0.5:
            numbers[chance.randrange(len(numbers))] = chance.choice((-1, 1, 2, 4))
        if chance.random() < 0.4:
            chance.shuffle(numbers)
        if chance.random() < 0.3:
            numbers.insert(0, chance.choice((1, 2)))
        return tuple(numbers)
    if chance.random() < 0.4:
        return tuple(chance.choice((0, 1, 2, -1, -2, 3)) for _ in range(chance.choice((1, 1, 2, 2, 3, 4))))
    if chance.random() < 0.05:
        return SizeName(chance.choice(sizes)) if sizes else None
    return chance.choice(_NUMBERS if chance.random() < 0.3 else (0, 1, 2, -1, -2, 3, None))


def drawn_node(number: int, known: dict[str, Any], chance: random.Random) -> Node:
    """A call of any operator of the table."""
    operator = chance.choice(_OPERATORS)
    arguments = tuple(
        (parameter.name, drawn_argument(parameter.name, operator.name, known, chance))
        for parameter in operator.parameters
        if not parameter.is_ignored and (parameter.is_required or chance.random() < 0.5)
    )
    count = chance.choice((1, 2, 3, 4)) if operator.makes_list else 1
    return Node(operator.name, arguments, tuple(f"v{number}_{index}" for index in range(count)), None)


_OPERATORS = [ALLOWED[name] for name in sorted(ALLOWED) if name != "aten._assert_tensor_metadata.default"]


_STORED: dict[str, StoredTensor] = {}
"""As the archive has them."""


def strange(tensor: StoredTensor, archive: Archive, chance: random.Random) -> StoredTensor:
    """Another view of the same bytes, as a table of weights may have it."""
    if chance.random() < 0.4:
        return tensor
    shape = tuple(chance.choice((0, 1, 1, 2, 3, 8, 16, 23)) for _ in range(chance.choice((0, 1, 2, 2, 3, 4))))
    strides = tuple(
        chance.choice((0, 1, 1 << 40, (1 << 63) - 1)) if size < 2 else chance.choice((0, 1, 2, 5, 23))
        for size in shape
    )
    changed = replace(tensor, shape=shape, strides=strides, offset=chance.choice((0, 1, 7)))
    try:
        archive._check_bounds(changed, "drawn")
    except ArchiveError:
        return tensor
    return changed


def grown(archive: Archive, chance: random.Random) -> CheckedGraph | None:
    """A graph of a few dozen nodes with the batch in its output; None where none came of it."""
    stored = chance.sample(sorted(_STORED), min(5, len(_STORED)))
    archive.weights = {name: strange(_STORED[name], archive, chance) for name in stored}
    inputs = [GraphInput("tokens", Role.TOKENS)]
    inputs += [GraphInput(f"w{index}", Role.STORED, name) for index, name in enumerate(stored)]
    program = Program(tuple(inputs), (), ("tokens",), {}, ())
    checker = GrowingChecker(program, archive, INTERFACE)
    checker.begin()
    # A few nodes that others need: the batch's size, floats of the tokens, small integers.
    start = (
        Node("aten.sym_size.int", (("self", TensorName("tokens")), ("dim", 0)), ("rows",), None),
        Node(
            "aten.embedding.default",
            (("weight", TensorName("w0")), ("indices", TensorName("tokens"))),
            ("e",),
            None,
        ),
        Node("aten.to.dtype", (("self", TensorName("tokens")), ("dtype", DtypeCode(7))), ("f",), None),
        Node("aten.arange.default", (("end", 4),), ("i",), None),
    )
    for node in start:
        checker.takes(node)
    wanted = chance.randrange(5, 40)
    for number in range(2500):
        if len(checker._steps) >= wanted:
            break
        checker.takes(drawn_node(number, checker.known(), chance))
    outputs = [
        key
        for key, value in checker.known().items()
        if isinstance(value, Value) and any(extent.per_row for extent in value.shape) and key != "tokens"
    ]
    if not outputs:
        return None
    try:
        return checker.graph(chance.choice(outputs[-8:]))
    except GraphRefused:
        return None


def rows_apart(graph: CheckedGraph, archive: Archive, tokens: torch.Tensor) -> None:
    """Run a graph on rows in two orders, and alone. Raises AssertionError, ModelFailed."""
    model = ComparedModel(graph, archive)
    value = next(
        result
        for step in graph.steps
        for slot, result in zip(step.outputs, step.results, strict=True)
        if slot == graph.output_slot
    )
    dim = next(index for index, extent in enumerate(value.shape) if extent.per_row)
    each = value.shape[dim].count

    def rows_of(made: torch.Tensor) -> torch.Tensor:
        return made.movedim(dim, 0).reshape(-1, each, made.numel() // max(1, made.shape[dim]))

    found = model.run(tokens)
    if not found.numel():
        return
    order = torch.randperm(len(tokens))
    moved, alone = model.run(tokens[order]), model.run(tokens[:1])
    for name, one, other in (
        ("order", rows_of(found)[order], rows_of(moved)),
        ("number", rows_of(found)[:1], rows_of(alone)),
    ):
        if found.is_floating_point():
            scale = float(one.abs().max()) or 1.0
            same = not torch.isfinite(one).all() or torch.allclose(one, other, rtol=1e-3, atol=1e-4 * scale)
        else:
            same = bool(torch.equal(one, other))
        if not same:
            raise AssertionError(f"what is made for a row depends on the {name} of the rows")


def main(seed: int, most: int, limit_s: float, path: Path) -> dict[str, Any]:
    """Grow and run until there are enough, or the time is over."""
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    operators: Counter[str] = Counter()
    model_failures: Counter[str] = Counter()
    number = 0
    began_s = time.monotonic()
    first_bytes = 0
    with open_archive(path) as archive:
        _STORED.update(archive.weights)
        while number < most and time.monotonic() - began_s < limit_s:
            chance = random.Random(f"{seed}/{number}")
            torch.manual_seed(number)
            graph: Any = None
            try:
                graph = grown(archive, chance)
                if graph is None:
                    outcomes["no graph"] += 1
                else:
                    operators.update(step.operator.name for step in graph.steps)
                    rows_apart(graph, archive, torch.randint(INTERFACE.vocabulary, (ROWS, 16)))
                    outcomes["ran"] += 1
            except ModelFailed as error:
                outcomes["failed as a model may"] += 1
                model_failures[str(error)[:120]] += 1
            except Exception as error:
                outcomes["FAULT"] += 1
                nodes = "" if graph is None else " | ".join(str(step.node) for step in graph.steps[-6:])
                failures.append(f"input {number}: {type(error).__name__}: {str(error)[:500]} {nodes[:1500]}")
            number += 1
            if not first_bytes and max(number / most, (time.monotonic() - began_s) / limit_s) > 0.1:
                first_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return {
        "tried": number,
        "outcomes": dict(outcomes),
        "failures": failures[:20],
        "operators_run": len(operators),
        "operators_never_run": sorted({operator.name for operator in _OPERATORS} - set(operators)),
        "model_failures": dict(model_failures.most_common(20)),
        "peak_bytes_at_first": first_bytes,
        "peak_bytes_at_last": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))))
