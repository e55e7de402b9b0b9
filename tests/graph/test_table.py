"""The table of operators, the page made from it, and the list of reasons agree with each other."""

from pathlib import Path

from scorer_service.graph.document import page
from scorer_service.graph.refused import GENERAL_REASON, reason_for, reasons_by_operators
from scorer_service.graph.table import ALLOWED, FAMILIES


def test_the_page_of_operators_is_current(repository: Path) -> None:
    written = (repository / "docs" / "allowed-operators.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m scorer_service.graph.document docs/allowed-operators.md"


def test_no_operator_has_two_rows() -> None:
    assert len(ALLOWED) == sum(len(family.operators) for family in FAMILIES)


def test_every_row_has_a_reason() -> None:
    assert all(operator.reason for operator in ALLOWED.values())


def test_no_operator_is_allowed_and_listed_as_refused() -> None:
    refused = {name for _, names in reasons_by_operators() for name in names}
    assert not {name.split(".")[1] for name in ALLOWED} & refused


def test_no_operator_is_refused_for_two_reasons() -> None:
    names = [name for _, names in reasons_by_operators() for name in names]
    assert len(names) == len(set(names))


def test_reasons_name_the_way_out() -> None:
    assert "x * x" in reason_for("aten.pow.Tensor_Scalar")
    assert "in place" in reason_for("aten.mul_.Tensor")
    assert "divides" in reason_for("aten.div_.Tensor")
    assert "custom operator" in reason_for("mine.anything.default")
    assert "graph of its own" in reason_for("higher_order.cond")
    assert reason_for("aten.something_new.default") == GENERAL_REASON
