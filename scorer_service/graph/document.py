"""Writes the page of allowed operators from the table: `python -m scorer_service.graph.document
docs/allowed-operators.md`."""

import sys
from pathlib import Path

from scorer_service.graph.call import Parameter
from scorer_service.graph.refused import reasons_by_operators
from scorer_service.graph.table import FAMILIES, Operator

_HEAD = """# Operators of restricted_mlm

Made from `scorer_service/graph/table.py` by
`python -m scorer_service.graph.document docs/allowed-operators.md`; a test compares the two.

A model is exported with `torch.export` and judged as data. Every operator of its graph must be in a table
below, with arguments as the table's condition asks; everything else is refused, whatever the Python code
called it. What counts is what an operator computes: a class named `Linear` that divides is a division.
Arguments in brackets may be left out; those that only say where a tensor lies (device, layout, memory format)
are ignored and not shown.
"""

_REFUSED_HEAD = """## Refused, and why

Every operator that is not above is refused. For well-known ones the refusal says what to write in their
place. Changes in place are allowed where the exporter turns them into functions, which
`exported_program.run_decompositions({})` does; changed buffers, parameters and inputs never are.

| why | operators |
|---|---|
"""


def page() -> str:
    """The whole page, in Markdown."""
    parts = [_HEAD]
    for family in FAMILIES:
        rows = "\n".join(
            f"| `{operator.name}` | {_arguments(operator)} | {operator.reason} |"
            for operator in family.operators
        )
        head = "| operator | arguments | why it is allowed |\n|---|---|---|"
        parts.append(f"## {family.title}\n\n{family.condition}\n\n{head}\n{rows}\n")
    rows = "\n".join(f"| {reason} | {', '.join(names)} |" for reason, names in reasons_by_operators())
    parts.append(_REFUSED_HEAD + rows + "\n")
    return "\n".join(parts)


def _arguments(operator: Operator) -> str:
    return ", ".join(_argument(parameter) for parameter in operator.parameters if not parameter.is_ignored)


def _argument(parameter: Parameter) -> str:
    return parameter.name if parameter.is_required else f"[{parameter.name}]"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
