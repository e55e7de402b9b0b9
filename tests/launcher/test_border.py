"""The types that are declared for Python are those that the extension has."""

import subprocess
import sys


def test_the_declared_types_are_those_of_the_extension() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "scorer_launcher", "--ignore-missing-stub"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
