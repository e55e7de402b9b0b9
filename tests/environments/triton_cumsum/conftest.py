"""What the tests of this environment need: a Python with torch, and the starter as a folder."""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scorer_service.environments.interface import Anchors, Direction, EnvironmentDescription
from scorer_service.environments.triton_cumsum import profiles, starter

REPOSITORY = Path(__file__).parents[3]
CheckEach = Callable[[Sequence[Path]], list[tuple[int, str]]]


def description(anchors: Anchors | None = None) -> EnvironmentDescription:
    return EnvironmentDescription(
        name="triton_cumsum",
        description="",
        profile="embedded",
        device="cpu",
        raw_score_unit="ln(milliseconds)",
        direction=Direction.LOWER,
        anchors=anchors,
        inline_source_limit_bytes=profiles.INLINE_SOURCE_LIMIT_BYTES,
        source_limit_bytes=profiles.SOURCE_LIMIT_BYTES,
        limits=[("memory", "4 GiB")],
        isolation="native",
    )


@pytest.fixture(scope="session")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter for a CPU, written into a folder."""
    folder = tmp_path_factory.mktemp("task")
    measurement = profiles.PROFILES["embedded"].measurements["cpu"]
    for file in starter.files(description(), "cpu", measurement):
        (folder / file.path).write_bytes(file.content)
    return folder


# One process for many files: to import torch takes seconds.
_CHECK_EACH = """
import contextlib, io, json, sys
import check
answers = []
for path in sys.argv[1:]:
    sys.argv = ["check.py", path]
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        status = check.main()
    answers.append((status, told.getvalue()))
print(json.dumps(answers))
"""


@pytest.fixture(scope="session")
def check_each(task: Path, torch_python: Path) -> CheckEach:
    """Runs the starter's checker on files; exit status and output for each."""

    def run(paths: Sequence[Path]) -> list[tuple[int, str]]:
        ended = subprocess.run(
            [torch_python, "-c", _CHECK_EACH, *paths], capture_output=True, text=True, cwd=task, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return [(status, told) for status, told in json.loads(ended.stdout)]

    return run
