"""What the tests of the embedded set share: its folders, and brute-force answers."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scorer_service.environments.rust_codecontests import problem_set, profiles, source

SOURCES = list(source.all_sources())


def open_set(index_dir: Path) -> problem_set.ProblemSet:
    """The built set; skips where it was not built."""
    path = profiles.EMBEDDED_SET_DIR / profiles.PROBLEMS_FILE
    if not path.is_file():
        pytest.skip(f"the embedded set was not built: run `make problems` ({path} is missing)")
    return problem_set.ProblemSet.open(path, index_dir)


_BRUTE_RUNNER = """
import contextlib, io, json, runpy, sys
answers = []
for text in json.load(sys.stdin):
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    raw = io.BytesIO()
    sys.stdout = io.TextIOWrapper(raw, write_through=True)
    with contextlib.suppress(SystemExit):
        runpy.run_path(sys.argv[1], run_name="__main__")
    sys.stdout.flush()
    answers.append(raw.getvalue().decode())
    sys.stdout = sys.__stdout__
json.dump(answers, sys.stdout)
"""


def brute_answers(folder: Path, inputs: Sequence[str]) -> list[str]:
    """What the brute force of a problem prints for each input; one process for all, since many are small."""
    command = [sys.executable, "-I", "-c", _BRUTE_RUNNER, str(folder / "brute.py")]
    done = subprocess.run(command, input=json.dumps(inputs), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers: list[str] = json.loads(done.stdout)
    return answers
