"""Graphs that were edited, or that break a rule of the whole, are refused in words that say what is wrong."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer_service.graph import ArchiveError, GraphRefused
from scorer_service.graph.archive import StoredTensor
from scorer_service.graph.checked import weight_bytes
from scorer_service.graph.dtypes import DTYPES
from scorer_service.graph.table import ALLOWED
from scorer_service.graph.zip_entries import Entry
from tests.graph.archive_editing import MODEL, WEIGHTS, edit_json, read_parts, write_parts
from tests.graph.conftest import INTERFACE, judge

Change = Callable[[Any], object]


def graph_of(document: Any) -> Any:
    return document["graph_module"]["graph"]


def signature_of(document: Any) -> Any:
    return document["graph_module"]["signature"]


def node(document: Any, operator: str, position: int = 0) -> Any:
    target = f"torch.ops.aten.{operator}"
    return [item for item in graph_of(document)["nodes"] if item["target"] == target][position]


def set_argument(operator: str, name: str, value: object) -> Change:
    def change(document: Any) -> None:
        found = node(document, operator)
        kept = [item for item in found["inputs"] if item["name"] != name]
        found["inputs"] = [*kept, {"name": name, "arg": value, "kind": 1}]

    return change


def set_output_spec(role: str, **fields: str) -> Change:
    spec = {role: {"arg": {"name": "linear"}, **fields}}
    return lambda document: signature_of(document)["output_specs"].insert(0, spec)


def add_input(document: Any) -> None:
    claims = graph_of(document)["tensor_values"]
    claims["other"] = claims["tokens"]
    signature_of(document)["input_specs"].append({"user_input": {"arg": {"as_tensor": {"name": "other"}}}})


REFUSED: list[tuple[Change, str]] = [
    (set_output_spec("buffer_mutation", buffer_name="state"), "changes a buffer.*'state'"),
    (set_output_spec("parameter_mutation", parameter_name="head.weight"), "changes a parameter"),
    (set_output_spec("user_input_mutation", user_input_name="tokens"), "changes its input"),
    (set_output_spec("loss_output"), "returns a loss"),
    (
        lambda document: signature_of(document)["output_specs"].append({"token": {"arg": {"name": "t"}}}),
        "effects",
    ),
    (lambda document: signature_of(document)["output_specs"].clear(), "one tensor, the logits"),
    (
        lambda document: signature_of(document)["output_specs"].append(
            signature_of(document)["output_specs"][0]
        ),
        "one tensor, the logits, not 2",
    ),
    (
        lambda document: signature_of(document)["input_specs"].append(
            {"custom_obj": {"arg": {"name": "o", "class_fqn": "x"}, "custom_obj_name": "o"}}
        ),
        "script object",
    ),
    (add_input, "takes 2"),
    (
        lambda document: signature_of(document)["input_specs"].append({"user_input": {"arg": {"as_int": 3}}}),
        "takes one tensor",
    ),
    (
        lambda document: graph_of(document)["tensor_values"]["tokens"].update(
            sizes=[{"as_int": 2}, {"as_int": 16}]
        ),
        "dynamic batch",
    ),
    (lambda document: graph_of(document)["tensor_values"]["tokens"].update(dtype=4), "int64 of shape"),
    (set_argument("embedding.default", "max_norm", {"as_float": 1.0}), "'max_norm'"),
    (set_argument("dropout.default", "train", {"as_bool": True}), "drops at random"),
    (set_argument("mul.Tensor", "other", {"as_float": "Infinity"}), "finite number"),
    (set_argument("mul.Tensor", "other", {"as_float": 65537.0}), "is the limit"),
    (set_argument("mul.Tensor", "other", {"as_complex": {"real": 1.0, "imag": 0.0}}), "not complex"),
    (set_argument("mul.Tensor", "other", {"as_bool": True}), "finite number"),
    (set_argument("relu.default", "self", {"as_tensor": {"name": "tokens"}}), "floats"),
    (set_argument("transpose.int", "dim0", {"as_int": 9}), "no dimension 9"),
    (set_argument("linear.default", "weight", {"as_none": True}), "a tensor as 'weight', not nothing"),
    (set_argument("linear.default", "weight", {"as_graph": {"name": "g", "graph": {}}}), "not graph"),
    (
        lambda document: node(document, "relu.default").update(target="torch.ops.aten.exp.default"),
        "built from exponentials",
    ),
    (lambda document: node(document, "relu.default").update(target="os.system"), "custom operator"),
    (
        lambda document: graph_of(document)["tensor_values"]["linear"].update(dtype=13),
        "computes bfloat16",
    ),
    (
        lambda document: graph_of(document)["tensor_values"]["linear"].update(
            sizes=[{"as_int": 1}, {"as_int": 1}, {"as_int": 1}]
        ),
        "while the archive says",
    ),
    (
        lambda document: signature_of(document)["output_specs"][0]["user_output"]["arg"]["as_tensor"].update(
            name="linear"
        ),
        r"logits are float32 of shape \[batch, 16, 23\]",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_an_edited_graph_is_refused(gpt_archive: Path, tmp_path: Path, change: Change, message: str) -> None:
    with pytest.raises(GraphRefused, match=message):
        judge(edit_json(gpt_archive, tmp_path / "edited.pt2", MODEL, change))


MALFORMED: list[tuple[Change, str]] = [
    (lambda document: document["schema_version"].update(major=9), "schema version 9"),
    (lambda document: document.pop("graph_module"), "no 'graph_module'"),
    (lambda document: graph_of(document).update(nodes={}), "not a list"),
    (lambda document: graph_of(document)["nodes"].append(7), "not an object"),
    (lambda document: graph_of(document)["nodes"].reverse(), "before it is made"),
    (lambda document: graph_of(document)["nodes"].append(graph_of(document)["nodes"][3]), "made twice"),
    (lambda document: graph_of(document)["nodes"].extend([graph_of(document)["nodes"][0]] * 20_000), "nodes"),
    (lambda document: graph_of(document)["tensor_values"].pop("tokens"), "does not say"),
    (lambda document: graph_of(document)["tensor_values"].pop("linear"), "does not say"),
    (lambda document: node(document, "relu.default").update(outputs=[]), "makes 1, not 0"),
    (
        lambda document: node(document, "relu.default")["inputs"].append(
            node(document, "relu.default")["inputs"][0]
        ),
        "twice",
    ),
    (set_argument("relu.default", "self", {"as_tensor": {"name": "a\nb"}}), "name that is none"),
    (set_argument("relu.default", "self", {"as_tensor": {"name": "missing"}}), "before it is made"),
    (set_argument("relu.default", "self", {}), "0 members"),
    (set_argument("view.default", "size", {"as_ints": [1] * 5000}), "5000 items"),
    (set_argument("view.default", "size", {"as_ints": [True, 1]}), "not an integer"),
    (
        set_argument("view.default", "size", {"as_sym_ints": [{"as_name": "linear"}]}),
        "something that it is not",
    ),
    (
        lambda document: signature_of(document)["input_specs"][0]["parameter"].update(parameter_name="none"),
        "no values for 'none'",
    ),
    (lambda document: signature_of(document)["input_specs"].append({"other": {}}), "unknown kind"),
]


@pytest.mark.parametrize(("change", "message"), MALFORMED)
def test_a_malformed_graph_is_an_error_of_the_archive(
    gpt_archive: Path, tmp_path: Path, change: Change, message: str
) -> None:
    with pytest.raises(ArchiveError, match=message):
        judge(edit_json(gpt_archive, tmp_path / "malformed.pt2", MODEL, change))


def test_all_refusals_come_at_once_with_their_lines(gpt_archive: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        for position in (0, 1, 2):
            node(document, "relu.default").update(target=f"torch.ops.aten.forbidden{position}.default")

    with pytest.raises(GraphRefused) as refused:
        judge(edit_json(gpt_archive, tmp_path / "three.pt2", MODEL, change))
    assert [refusal.operator for refusal in refused.value.refusals] == [
        f"aten.forbidden{position}.default" for position in (0, 1, 2)
    ]
    lines = [
        (refusal.source.file, refusal.source.line) for refusal in refused.value.refusals if refusal.source
    ]
    assert lines == [
        ("models/allowed_gpt.py", 32),
        ("models/allowed_gpt.py", 35),
        ("models/allowed_gpt.py", 32),
    ]


def test_a_message_holds_nothing_that_a_terminal_would_act_on(gpt_archive: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        node(document, "relu.default").update(target="torch.ops.aten.\x1b[2Jbad\u202e.default")
        node(document, "relu.default", 0)["metadata"]["stack_trace"] = (
            'File "\x1b[1m\ud800.py", line 7, in f\n    \x07x'
        )

    with pytest.raises(GraphRefused) as refused:
        judge(edit_json(gpt_archive, tmp_path / "terminal.pt2", MODEL, change))
    text = str(refused.value)
    assert text.encode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in text)


def test_memory_is_bounded_before_anything_is_computed(gpt_archive: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        made = copy.deepcopy(node(document, "relu.default"))
        made.update(
            target="torch.ops.aten.zeros.default",
            inputs=[{"name": "size", "arg": {"as_ints": [1 << 20, 1 << 20]}, "kind": 1}],
            outputs=[{"as_tensor": {"name": "bomb"}}],
        )
        graph_of(document)["nodes"].append(made)
        graph_of(document)["tensor_values"]["bomb"] = graph_of(document)["tensor_values"]["linear"] | {
            "sizes": [{"as_int": 1 << 20}, {"as_int": 1 << 20}]
        }

    with pytest.raises(GraphRefused, match="is the limit"):
        judge(edit_json(gpt_archive, tmp_path / "bomb.pt2", MODEL, change))
    with pytest.raises(GraphRefused, match="bytes for weights"):
        judge(gpt_archive, replace(INTERFACE, memory_limit_bytes=100_000 + 1_000_000 // 2))


def test_a_weight_that_shows_elements_many_times_counts_as_what_a_product_copies() -> None:
    entry = Entry("data/weights/weight_0", offset=0, size_bytes=4096, crc32=0)
    whole = StoredTensor("whole", entry, DTYPES[7], 7, shape=(32, 32), strides=(32, 1), offset=0)
    stretched = replace(whole, name="stretched", shape=(8, 1 << 20), strides=(0, 0))
    assert weight_bytes([whole]) == weight_bytes([whole, replace(whole, shape=(32,))]) == 4096
    assert weight_bytes([whole, stretched]) == 4096 + 4 * (8 << 20)


@pytest.mark.parametrize(
    "name", ["expand.default", "broadcast_to.default", "expand_as.default", "unfold.default"]
)
def test_what_shows_elements_many_times_is_no_view_without_memory(name: str) -> None:
    """A product copies all of it, so it must not count as nothing. Views that show less may."""
    assert not ALLOWED[f"aten.{name}"].is_view
    assert ALLOWED["aten.slice.Tensor"].is_view


def test_what_a_model_must_make_is_the_callers_to_say(gpt_archive: Path) -> None:
    with pytest.raises(GraphRefused, match="logits are float32"):
        judge(gpt_archive, replace(INTERFACE, vocabulary=22))
    with pytest.raises(GraphRefused, match="int64 of shape"):
        judge(gpt_archive, replace(INTERFACE, sequence_length=128))
    with pytest.raises(GraphRefused, match="may look up 0 to 23"):
        judge(gpt_archive, replace(INTERFACE, token_limit=24))


def test_weights_that_the_logits_do_not_depend_on_are_not_loaded(gpt_archive: Path, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        last = graph_of(document)["nodes"][-1]
        first = next(
            item for item in graph_of(document)["nodes"] if item["target"].endswith("embedding.default")
        )
        last["inputs"][0]["arg"] = {"as_tensor": {"name": first["outputs"][0]["as_tensor"]["name"]}}

    whole = judge(gpt_archive)
    pruned = judge(edit_json(gpt_archive, tmp_path / "pruned.pt2", MODEL, change))
    assert len(pruned.stored) == 1 < len(whole.stored)
    assert pruned.weight_bytes == 23 * 24 * 4
    assert len(pruned.steps) == 2


def test_a_bool_weight_is_refused_where_it_is_used(gpt_archive: Path, tmp_path: Path) -> None:
    parts = read_parts(gpt_archive)
    table = json.loads(parts[WEIGHTS])
    table["config"]["positions.weight"]["tensor_meta"]["dtype"] = 12
    parts[WEIGHTS] = json.dumps(table).encode()
    with pytest.raises(GraphRefused, match="truth values"):
        judge(write_parts(tmp_path / "bool.pt2", parts))
