"""A checked graph computes what the module computed, and nothing that the checker did not foresee."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.graph.conftest import CORPUS, HERE, ExportedCorpus

pytestmark = pytest.mark.xdist_group("graph")

ALLOWED = [path for path in CORPUS if path.stem.startswith("allowed_")]


def run_script(python: Path, script: str, *arguments: object) -> Any:
    """Run a script of this folder where torch is, and return what it printed."""
    done = subprocess.run(
        [python, HERE / script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_graphs_compute_what_their_modules_compute(torch_python: Path, exported: ExportedCorpus) -> None:
    results = run_script(torch_python, "run_models.py", exported.folder, *ALLOWED)
    assert len(results) == 2 * len(ALLOWED) - 1
    for name, result in results.items():
        assert result["relative difference"] < 1e-5, name
        assert 0 < result["relative rounding"] < 1e-3, name
        assert result["rows agree"], name
        assert result["runs agree"], name


def test_changed_graphs_are_refused_or_run_as_derived(torch_python: Path, exported: ExportedCorpus) -> None:
    archives = [exported.archive(path.stem, functional=True) for path in ALLOWED]
    results = run_script(torch_python, "fuzz_models.py", 7, 40, *archives)
    assert results["refused"] > results["ran"] > 0


def test_every_row_of_the_table_has_one_implementation(torch_python: Path) -> None:
    results = run_script(torch_python, "execute_checks.py", "names")
    assert results == {"missing": [], "superfluous": []}


@pytest.mark.parametrize(
    ("check", "error", "message"),
    [
        ("infinite weight", "GraphRefused", "reaches inf"),
        ("nan weight", "GraphRefused", "reaches nan"),
        ("huge weight", "GraphRefused", "reaches 1e+06"),
        ("damaged weight", "ArchiveError", "damaged"),
        ("overflow", "ModelFailed", "must stay finite"),
        ("deadline", "ModelFailed", "too long"),
        ("token too large", "ValueError", "tokens are 0 to 22"),
        ("negative token", "ValueError", "tokens are 0 to 22"),
        ("wrong length", "ValueError", "int64 of shape"),
        ("floats as tokens", "ValueError", "int64 of shape"),
        ("too many rows", "ValueError", "1 to 64 rows"),
    ],
)
def test_what_is_out_of_range_is_refused(
    execute_checks: dict[str, list[str]], check: str, error: str, message: str
) -> None:
    kind, text = execute_checks[check]
    assert kind == error
    assert message in text


def test_intermediates_are_freed(execute_checks: dict[str, list[float]]) -> None:
    measured, estimated = execute_checks["peak bytes"]
    assert measured <= estimated


@pytest.fixture(scope="module")
def execute_checks(torch_python: Path, gpt_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What became of each attempt."""
    return run_script(
        torch_python, "execute_checks.py", "attempts", gpt_archive, tmp_path_factory.mktemp("attempts")
    )
