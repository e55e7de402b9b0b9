"""A short soak: a death of each kind under load, and everything holds. `make soak` goes on for an hour."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.alone
def test_a_death_of_each_kind_under_load_loses_and_doubles_nothing(
    repository: Path, torch_python: Path
) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.soak", "--minutes", "0.5", "--seed", "3", "--clients", "6"),
            *("--environments", "rust_codecontests,triton_cumsum", "--no-calibration"),
            *("--disturb", "worker@4,sandbox@8,server@12"),
        ],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository / "tests" / "doubles")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
