"""What an agent starts from: enough to know without the server what would be refused."""

import subprocess
from pathlib import Path

import pytest

from scorer_service.environments.interface import Verdict
from scorer_service.language import materials
from scorer_service.language.materials import Solution
from tests.environments.restricted_mlm import models
from tests.environments.restricted_mlm.conftest import Rig

SHARED_BYTES = 64
"""Of the hidden text in a row: no such passage is anywhere in the starter."""


@pytest.fixture(scope="module")
def task(rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter as a folder."""
    folder = tmp_path_factory.mktemp("task")
    for file in rig.environment.starter():
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.executable else 0o644)
    return folder


def check(python: Path, task: Path, *arguments: str | Path) -> tuple[int, str]:
    ended = subprocess.run(
        [python, "-B", "check.py", *arguments], cwd=task, capture_output=True, text=True, check=False
    )
    assert not ended.stderr, ended.stderr
    return ended.returncode, ended.stdout


def test_it_says_which_operators_are_refused_and_where(task: Path, torch_python: Path) -> None:
    (task / "bad.py").write_text(models.source("x = x / 2", "x = torch.softmax(x, -1)"))
    status, told = check(torch_python, task, "bad.py")
    assert status == 1
    assert f"bad.py:{models.FIRST_LINE_OF_BODY}: aten.div.Tensor: divides" in told
    assert f"bad.py:{models.FIRST_LINE_OF_BODY + 1}: aten.softmax.int" in told
    assert "2 things break the rules" in told


def test_it_says_which_tensors_do_not_fit(task: Path, torch_python: Path) -> None:
    (task / "small.py").write_text(models.source())
    (task / "few.safetensors").write_bytes(models.weights({"head.bias": None}))
    status, told = check(torch_python, task, "small.py", "--weights", "few.safetensors")
    assert status == 1
    assert "head.bias: missing; it has shape [4096]" in told


def test_the_starting_solution_is_its_model_and_has_its_loss(
    task: Path, torch_python: Path, starting: Solution
) -> None:
    status, told = check(torch_python, task, "--weights", starting.weights, "--windows", "16")
    assert status == 0, told
    assert "all operators are allowed" in told
    loss = float(told.partition("validation loss ")[2].partition(" ")[0])
    assert 6 < loss < 7


def test_the_training_script_runs_in_the_sandbox(rig: Rig, task: Path) -> None:
    script = (task / "train.py").read_text()
    assert "SECONDS = 60\n" in script
    outcome = rig.score_script(
        (task / "model.py").read_text(), script.replace("SECONDS = 60\n", "SECONDS = 2\n")
    )
    assert outcome.verdict is Verdict.SCORED, (outcome.summary, outcome.response)


def test_it_holds_nothing_hidden_and_no_weights(task: Path, reference: Solution) -> None:
    hidden = materials.load("embedded", None).hidden_masked.path.read_bytes()
    weights = reference.weights.read_bytes()
    secrets = [hidden[at : at + SHARED_BYTES] for at in range(0, len(hidden) - SHARED_BYTES, 20_000)]
    secrets += [weights[at : at + SHARED_BYTES] for at in range(100_000, len(weights), 500_000)]
    contents = [path.read_bytes() for path in task.rglob("*") if path.is_file()]
    assert not [secret for secret in secrets if any(secret in content for content in contents)]
    assert "NeighbourModel" not in "".join(path.read_text() for path in task.rglob("*.py"))


def test_the_instructions_have_no_placeholder_left(task: Path) -> None:
    text = (task / "INSTRUCTIONS.md").read_text()
    assert "$" not in text
    assert "normalised score 0" in text
    assert "| `aten.einsum.default` |" in (task / "OPERATORS.md").read_text()
    for file in ("train.py", "check.py"):
        compile((task / file).read_text(), file, "exec")


def test_no_module_of_the_checker_looks_for_the_service(task: Path) -> None:
    modules = sorted((task / "judging").rglob("*.py"))
    assert modules
    assert not [path for path in modules if "scorer_service." in path.read_text()]
