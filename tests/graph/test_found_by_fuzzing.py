"""The least input for each fault that fuzzing found in reading and checking graphs."""

from pathlib import Path
from typing import Any

import pytest

from scorer_service.graph import ArchiveError, GraphRefused
from tests.graph.archive_editing import MODEL, WEIGHTS, edit_json
from tests.graph.conftest import judge


def call(target: str, output: dict[str, Any], **arguments: dict[str, Any]) -> dict[str, Any]:
    """A node as the exporter writes it."""
    return {
        "target": f"torch.ops.{target}" if target.startswith("aten") else target,
        "inputs": [{"name": name, "arg": argument, "kind": 1} for name, argument in arguments.items()],
        "outputs": [output],
        "metadata": {},
        "is_hop_single_tensor_return": None,
    }


def with_nodes(archive: Path, target: Path, *nodes: dict[str, Any], **sizes: list[dict[str, int]]) -> Path:
    """The archive with nodes before its own; `sizes` is what it claims of their tensors."""

    def add(document: Any) -> None:
        graph = document["graph_module"]["graph"]
        graph["nodes"][:0] = nodes
        like = next(iter(graph["tensor_values"].values()))
        for name, shape in sizes.items():
            graph["tensor_values"][name] = {**like, "dtype": 7, "sizes": shape}

    return edit_json(archive, target, MODEL, add)


def tokens_of(archive: Path) -> dict[str, Any]:
    """The graph's input, as an argument."""
    found: list[str] = []
    edit_json(archive, Path("/dev/null"), MODEL, lambda document: found.append(input_name(document)))
    return {"as_tensor": {"name": found[0]}}


def input_name(document: Any) -> str:
    specs = document["graph_module"]["signature"]["input_specs"]
    name: str = next(x["user_input"]["arg"]["as_tensor"]["name"] for x in specs if "user_input" in x)
    return name


def named(name: str) -> dict[str, Any]:
    return {"as_sym_int": {"as_name": name}}


def test_a_size_that_is_squared_again_and_again_is_refused(gpt_archive: Path, tmp_path: Path) -> None:
    # The fiftieth would have 2**52 bits.
    squares = [
        call("_operator.mul", named(f"s{number + 1}"), a=named(f"s{number}"), b=named(f"s{number}"))
        for number in range(50)
    ]
    first = call("aten.sym_size.int", named("s0"), self=tokens_of(gpt_archive), dim={"as_int": 1})
    with pytest.raises(GraphRefused, match="makes a size over"):
        judge(with_nodes(gpt_archive, tmp_path / "squared.pt2", first, *squares))


def test_thousands_of_sizes_are_refused_in_few_words(gpt_archive: Path, tmp_path: Path) -> None:
    shape = {"as_ints": [(1 << 62) - 1] * 4000}
    node = call(
        "aten.reshape.default", {"as_tensor": {"name": "new"}}, self=tokens_of(gpt_archive), shape=shape
    )
    with pytest.raises(GraphRefused) as refused:
        judge(with_nodes(gpt_archive, tmp_path / "sizes.pt2", node, new=[]))
    assert max(len(refusal.reason) for refusal in refused.value.refusals) < 500


def test_a_stored_tensor_of_thousands_of_sizes_is_malformed(gpt_archive: Path, tmp_path: Path) -> None:
    def stretch(table: Any) -> None:
        meta = next(iter(table["config"].values()))["tensor_meta"]
        meta["sizes"] = meta["strides"] = [{"as_int": (1 << 62) - 1}] * 4000

    with pytest.raises(ArchiveError, match="4000 sizes"):
        judge(edit_json(gpt_archive, tmp_path / "stored.pt2", WEIGHTS, stretch))


@pytest.mark.parametrize(
    ("count", "error", "told"), [(64, GraphRefused, "takes floats"), (65, ArchiveError, "65 dimensions")]
)
def test_a_claim_of_more_sizes_than_torch_has_is_malformed(
    gpt_archive: Path, tmp_path: Path, count: int, error: type[Exception], told: str
) -> None:
    node = call("aten.relu.default", {"as_tensor": {"name": "new"}}, self=tokens_of(gpt_archive))
    with pytest.raises(error, match=told):
        judge(with_nodes(gpt_archive, tmp_path / "claim.pt2", node, new=[{"as_int": 1}] * count))


def test_padding_with_a_number_over_the_limit_is_refused(gpt_archive: Path, tmp_path: Path) -> None:
    made = call(
        "aten.zeros.default",
        {"as_tensor": {"name": "zeros"}},
        size={"as_ints": [2]},
        dtype={"as_scalar_type": 7},
    )
    padded = call(
        "aten.constant_pad_nd.default",
        {"as_tensor": {"name": "padded"}},
        self={"as_tensor": {"name": "zeros"}},
        pad={"as_ints": [1, 0]},
        value={"as_int": 1 << 62},
    )
    with pytest.raises(GraphRefused, match="65536 is the limit"):
        judge(
            with_nodes(
                *(gpt_archive, tmp_path / "padded.pt2", made, padded),
                zeros=[{"as_int": 2}],
                padded=[{"as_int": 3}],
            )
        )


@pytest.mark.parametrize(("start", "end", "step"), [(0, -3, 1), (3, 0, 1), (0, 3, -1)])
def test_counting_away_from_the_end_is_refused(
    gpt_archive: Path, tmp_path: Path, start: int, end: int, step: int
) -> None:
    # Torch refuses it only when it is run.
    numbers = {"start": {"as_int": start}, "end": {"as_int": end}, "step": {"as_int": step}}
    node = call("aten.arange.start_step", {"as_tensor": {"name": "new"}}, **numbers)
    with pytest.raises(GraphRefused, match="lead away"):
        judge(with_nodes(gpt_archive, tmp_path / "counted.pt2", node, new=[{"as_int": 0}]))
