"""Turns the JSON of an exported graph into a Program.

Field names are those of torch's `_export/serde/schema.py`, version 8. What the schema does not have is an
ArchiveError; what it has and the rules do not allow becomes a complaint or an unreadable argument, so that it
is refused beside everything else.
"""

import re
from typing import Any

from scorer_service.graph.errors import ArchiveError, Refusal, SourceLine
from scorer_service.graph.program import (
    Argument,
    Claim,
    DtypeCode,
    GraphInput,
    Node,
    Placement,
    Program,
    Role,
    SizeName,
    TensorName,
    Unreadable,
)
from scorer_service.graph.strict_json import describe, expect, member, single_member

SCHEMA_MAJOR = 8
NODE_LIMIT = 20_000
_ITEM_LIMIT = 4096
"""Of one list among the arguments of a node."""
_RANK_LIMIT = 64
"""Of a tensor of torch."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,199}")
_FRAME = re.compile(
    r'File "([^"\n]{1,1000})", line ([0-9]{1,7})(?:, in ([^\n]{1,200}))?(?:\n[ ]{4,}([^\n]*))?'
)
_STACK_LIMIT = 20_000
_LIBRARY = re.compile(r"(?:^|/)torch/")

_SIGNATURE_INPUT_REASONS = {
    "custom_obj": "a script object cannot be part of a model",
    "token": "effects cannot be part of a model",
    "constant_input": "`forward` takes the tokens and nothing else",
}
_SIGNATURE_OUTPUT_REASONS = {
    "buffer_mutation": "changes a buffer; a model keeps nothing from one batch to the next",
    "parameter_mutation": "changes a parameter; a model keeps nothing from one batch to the next",
    "user_input_mutation": "changes its input in place; make a new tensor",
    "gradient_to_parameter": "computes gradients; export the forward pass of the trained model",
    "gradient_to_user_input": "computes gradients; export the forward pass of the trained model",
    "loss_output": "returns a loss; return the logits",
    "token": "effects cannot be part of a model",
}


def parse_program(document: dict[str, Any]) -> Program:
    """Parse the document of `Archive.read_graph_json`. Raises ArchiveError."""
    version = member(document, "schema_version", dict, "model.json")
    if member(version, "major", int, "schema_version") != SCHEMA_MAJOR:
        raise ArchiveError(
            f"the graph is of schema version {version['major']}; export it with torch 2.11 to 2.15, which "
            f"write version {SCHEMA_MAJOR}"
        )
    module = member(document, "graph_module", dict, "model.json")
    graph = member(module, "graph", dict, "graph_module")
    signature = member(module, "signature", dict, "graph_module")
    nodes = member(graph, "nodes", list, "graph")
    if len(nodes) > NODE_LIMIT:
        raise ArchiveError(f"the graph has {len(nodes)} nodes; {NODE_LIMIT} is the limit")
    complaints: list[Refusal] = []
    inputs = _parse_inputs(member(signature, "input_specs", list, "signature"), complaints)
    outputs = _parse_outputs(member(signature, "output_specs", list, "signature"), complaints)
    if member(graph, "custom_obj_values", dict, "graph") if "custom_obj_values" in graph else {}:
        complaints.append(Refusal("custom_obj_values", "a script object cannot be part of a model"))
    return Program(
        inputs=inputs,
        nodes=tuple(_parse_node(node, f"node {index}") for index, node in enumerate(nodes)),
        outputs=outputs,
        claims=_parse_claims(member(graph, "tensor_values", dict, "graph")),
        complaints=tuple(complaints),
    )


def _parse_inputs(specs: list[Any], complaints: list[Refusal]) -> tuple[GraphInput, ...]:
    inputs = []
    for index, spec in enumerate(specs):
        where = f"input {index}"
        role, fields = single_member(spec, where)
        fields = expect(fields, dict, where)
        if role in _SIGNATURE_INPUT_REASONS:
            complaints.append(Refusal(f"signature ({role})", _SIGNATURE_INPUT_REASONS[role]))
        elif role == "user_input":
            kind, argument = single_member(member(fields, "arg", dict, where), where)
            if kind == "as_tensor":
                inputs.append(GraphInput(_tensor_name(argument, where), Role.TOKENS))
            else:
                complaints.append(Refusal("signature (user_input)", "`forward` takes one tensor, the tokens"))
        elif role in ("parameter", "buffer", "tensor_constant"):
            name = _tensor_name(member(fields, "arg", dict, where), where)
            stored_name = member(fields, f"{role}_name", str, where)
            is_constant = role == "tensor_constant"
            if role == "buffer":
                is_constant = not member(fields, "persistent", bool, where)
            inputs.append(GraphInput(name, Role.STORED, stored_name, is_constant))
        else:
            raise ArchiveError(f"{where} is of an unknown kind {role[:60]!r}")
    tokens = sum(value.role is Role.TOKENS for value in inputs)
    if tokens != 1:
        complaints.append(
            Refusal(
                "signature (user_input)", f"`forward` takes one tensor, the tokens; this one takes {tokens}"
            )
        )
    return tuple(inputs)


def _parse_outputs(specs: list[Any], complaints: list[Refusal]) -> tuple[str, ...]:
    outputs = []
    for index, spec in enumerate(specs):
        where = f"output {index}"
        role, fields = single_member(spec, where)
        fields = expect(fields, dict, where)
        if role in _SIGNATURE_OUTPUT_REASONS:
            changed = fields.get("buffer_name") or fields.get("parameter_name") or ""
            detail = f" ({_printable(changed)!r})" if isinstance(changed, str) and changed else ""
            complaints.append(Refusal(f"signature ({role})", _SIGNATURE_OUTPUT_REASONS[role] + detail))
        elif role == "user_output":
            kind, argument = single_member(member(fields, "arg", dict, where), where)
            if kind == "as_tensor":
                outputs.append(_tensor_name(argument, where))
            else:
                complaints.append(
                    Refusal("signature (user_output)", "`forward` returns one tensor, the logits")
                )
        else:
            raise ArchiveError(f"{where} is of an unknown kind {role[:60]!r}")
    if len(outputs) != 1:
        complaints.append(
            Refusal(
                "signature (user_output)", f"`forward` returns one tensor, the logits, not {len(outputs)}"
            )
        )
    return tuple(outputs)


def _parse_node(node: object, where: str) -> Node:
    node = expect(node, dict, where)
    operator = _printable(member(node, "target", str, where)).removeprefix("torch.ops.")
    where = f"{where} ({operator})"
    inputs = member(node, "inputs", list, where)
    if len(inputs) > 64:
        raise ArchiveError(f"{where} has {len(inputs)} arguments")
    arguments = []
    for position, named in enumerate(inputs):
        named = expect(named, dict, where)
        name = _printable(member(named, "name", str, where))
        arguments.append((name, _parse_argument(named.get("arg"), f"{where}, argument {name or position}")))
    outputs: list[str] = []
    for output in member(node, "outputs", list, where):
        outputs += _output_names(output, where)
    metadata = member(node, "metadata", dict, where)
    return Node(operator, tuple(arguments), tuple(outputs), _source(metadata.get("stack_trace")))


def _parse_argument(value: object, where: str) -> Argument:
    kind, content = single_member(value, where)
    if isinstance(content, list) and len(content) > _ITEM_LIMIT:
        raise ArchiveError(f"{where} has {len(content)} items; {_ITEM_LIMIT} is the limit")
    match kind:
        case "as_none":
            return None
        case "as_tensor":
            return TensorName(_tensor_name(content, where))
        case "as_int":
            return expect(content, int, where)
        case "as_bool":
            return expect(content, bool, where)
        case "as_float":
            return _float(content, where)
        case "as_string":
            return _printable(expect(content, str, where))
        case "as_sym_int":
            return _size(content, where)
        case "as_sym_float" | "as_sym_bool":
            name_kind, name = single_member(content, where)
            return SizeName(_name(name, where)) if name_kind == "as_name" else Unreadable(kind)
        case "as_scalar_type":
            return DtypeCode(expect(content, int, where))
        case "as_device" | "as_layout" | "as_memory_format":
            return Placement(kind.removeprefix("as_"))
        case "as_tensors":
            return tuple(TensorName(_tensor_name(item, where)) for item in expect(content, list, where))
        case "as_optional_tensors":
            return tuple(_optional_tensor(item, where) for item in expect(content, list, where))
        case "as_optional_tensor":
            return _optional_tensor(content, where)
        case "as_ints":
            return tuple(expect(item, int, where) for item in expect(content, list, where))
        case "as_bools":
            return tuple(expect(item, bool, where) for item in expect(content, list, where))
        case "as_sym_ints":
            return tuple(_size(item, where) for item in expect(content, list, where))
    return Unreadable(_printable(kind).removeprefix("as_"))


def _float(content: object, where: str) -> Argument:
    """A number; infinities and NaN are written as texts, and stay unreadable so that they are refused."""
    if isinstance(content, str):
        return Unreadable(f"number {_printable(content)}")
    if type(content) is int:
        return float(content)
    return expect(content, float, where)


def _size(content: object, where: str) -> int | SizeName:
    kind, value = single_member(content, where)
    if kind == "as_int":
        return expect(value, int, where)
    if kind == "as_name":
        return SizeName(_name(value, where))
    raise ArchiveError(f"{where} has a size of an unknown kind {kind[:60]!r}")


def _optional_tensor(content: object, where: str) -> TensorName | None:
    kind, value = single_member(content, where)
    if kind == "as_none":
        return None
    if kind == "as_tensor":
        return TensorName(_tensor_name(value, where))
    raise ArchiveError(f"{where} has a tensor of an unknown kind {kind[:60]!r}")


def _output_names(output: object, where: str) -> list[str]:
    kind, content = single_member(output, f"{where}, output")
    if kind == "as_tensor":
        return [_tensor_name(content, where)]
    if kind == "as_tensors":
        return [_tensor_name(item, where) for item in expect(content, list, where)]
    if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
        name_kind, name = single_member(content, where)
        return [_name(name, where)] if name_kind == "as_name" else []
    return []


def _parse_claims(values: dict[str, Any]) -> dict[str, Claim]:
    claims = {}
    for name, meta in values.items():
        where = f"tensor {_printable(name)!r}"
        meta = expect(meta, dict, where)
        sizes: list[int | None] = []
        listed = member(meta, "sizes", list, where)
        if len(listed) > _RANK_LIMIT:
            raise ArchiveError(f"{where} has {len(listed)} dimensions; torch has at most {_RANK_LIMIT}")
        for size in listed:
            kind, value = single_member(size, where)
            sizes.append(expect(value, int, where) if kind == "as_int" else None)
        claims[name] = Claim(member(meta, "dtype", int, where), tuple(sizes))
    return claims


def _tensor_name(content: object, where: str) -> str:
    return _name(member(expect(content, dict, where), "name", str, where), where)


def _name(value: object, where: str) -> str:
    name = expect(value, str, where)
    if not _NAME.fullmatch(name):
        raise ArchiveError(f"{where} has a name that is none: {describe(_printable(name))}")
    return name


def _source(stack_trace: object) -> SourceLine | None:
    """The innermost recorded line that is not torch's own; torch's where there is no other."""
    if not isinstance(stack_trace, str):
        return None
    frames = _FRAME.findall(stack_trace[-_STACK_LIMIT:])
    own = [frame for frame in frames if not _LIBRARY.search(frame[0])]
    for file, line, function, text in reversed(own or frames):
        return SourceLine(_printable(file), int(line), _printable(function), _printable(text).strip())
    return None


def _printable(text: str) -> str:
    """Text for a message: one line, at most 200 characters, nothing that a terminal would act on."""
    return "".join(character if character.isprintable() else "?" for character in text[:200])
