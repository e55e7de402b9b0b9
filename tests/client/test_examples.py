"""The examples of the documentation run as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.scripted_server import ScriptedServer

EXAMPLES = sorted((Path(__file__).parents[2] / "clients/python/examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_scores_a_folder(server: ScriptedServer, tmp_path: Path, example: Path) -> None:
    (tmp_path / "b.rs").write_text("fn main() {}")
    (tmp_path / "a.rs").write_text("fn main() {}")
    run = subprocess.run(
        [sys.executable, "-W", "error", example, tmp_path, server.target],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == [
        "a accepted",
        "b accepted",
        "2 of 4 problems solved. Score(raw=0.5, normalized=1.0)",
    ]


def test_there_is_one_for_each_colour() -> None:
    assert [example.stem for example in EXAMPLES] == ["score_folder", "score_folder_async"]
