"""Every model of the corpus gets the answer that its file says, at the lines that it says."""

import re
from pathlib import Path

import pytest

from scorer_service.graph import GraphRefused, open_archive
from scorer_service.graph.parse import parse_program
from scorer_service.graph.table import ALLOWED as ALLOWED_OPERATORS
from tests.graph.conftest import CORPUS, ExportedCorpus, judge

pytestmark = pytest.mark.xdist_group("graph")

ALLOWED = [path.stem for path in CORPUS if path.stem.startswith("allowed_")]
REFUSED = [path for path in CORPUS if path.stem.startswith("refused_")]
IN_PLACE = "allowed_in_place"


@pytest.mark.parametrize("functional", [False, True], ids=["as exported", "functional"])
@pytest.mark.parametrize("model", [model for model in ALLOWED if model != IN_PLACE])
def test_a_model_within_the_rules_is_accepted(exported: ExportedCorpus, model: str, functional: bool) -> None:
    assert judge(exported.archive(model, functional=functional)).steps


def test_changes_in_place_are_accepted_once_they_are_functions(exported: ExportedCorpus) -> None:
    assert judge(exported.archive(IN_PLACE, functional=True)).steps
    with pytest.raises(GraphRefused, match="in place"):
        judge(exported.archive(IN_PLACE))


def test_every_row_of_the_table_is_used_by_a_model_within_the_rules(exported: ExportedCorpus) -> None:
    used: set[str] = set()
    for model in ALLOWED:
        for functional in (False, True):
            with open_archive(exported.archive(model, functional=functional)) as archive:
                used.update(node.operator for node in parse_program(archive.read_graph_json()).nodes)
    assert not set(ALLOWED_OPERATORS) - used


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_every_marked_line_is_refused_by_the_operators_it_names_and_no_other(
    exported: ExportedCorpus, path: Path
) -> None:
    with pytest.raises(GraphRefused) as refused:
        judge(exported.archive(path.stem))
    found = {(refusal.source.line, refusal.operator) for refusal in refused.value.refusals if refusal.source}
    assert found == marked(path)
    assert len(refused.value.refusals) >= len(found)
    for refusal in refused.value.refusals:
        assert refusal.source
        assert Path(refusal.source.file).name == path.name
        assert len(refusal.reason) > 20


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_turning_changes_in_place_into_functions_hides_nothing(exported: ExportedCorpus, path: Path) -> None:
    with pytest.raises(GraphRefused) as refused:
        judge(exported.archive(path.stem, functional=True))
    lines = {refusal.source.line for refusal in refused.value.refusals if refusal.source}
    if path.stem == "refused_in_place":
        assert any("buffer" in refusal.operator for refusal in refused.value.refusals)
    else:
        assert lines == {line for line, _ in marked(path)}


def marked(path: Path) -> set[tuple[int, str]]:
    """The lines that say that they are refused, with the operators that they name."""
    found: set[tuple[int, str]] = set()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        mark = re.search(r"# refused: (.+)", line)
        if mark:
            found.update((number, full_name(operator)) for operator in mark.group(1).split())
    assert found, f"{path.name} marks no line"
    return found


def full_name(operator: str) -> str:
    """Marks leave out the namespace of ATen."""
    return operator if operator.count(".") == 2 or operator.startswith("_operator.") else f"aten.{operator}"
