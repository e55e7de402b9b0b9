"""The docker backend keeps what the native one promises: the launcher's own tests pass in containers."""

import os
import subprocess
import sys

import pytest
from container_engine import engine_or_skip

# Left out is what no container changes (refused values, interpreters that fail), and what needs quiet.
FILES = ["test_limits.py", "test_isolation.py", "test_start.py", "test_warm.py"]
LEFT_OUT = [
    "sensible",
    "refused_by_name",
    "lead_elsewhere",
    "interpreter_with",
    "many_runs",
    "fork_bomb_is_contained",
]


@pytest.mark.alone
def test_the_tests_of_the_launcher_pass_in_containers(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    engine_or_skip()
    folder = pytestconfig.rootpath / "tests" / "launcher"
    outcome = subprocess.run(
        [
            *[
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-n",
                "2",
                "-p",
                "in_containers",
                "-p",
                "no:cacheprovider",
            ],
            *["-k", " and ".join(f"not {name}" for name in LEFT_OUT)],
            f"--basetemp={tmp_path_factory.mktemp('inner')}",
            *[str(folder / name) for name in FILES],
        ],
        capture_output=True,
        text=True,
        check=False,
        env=_environment(pytestconfig),
    )
    assert outcome.returncode == 0, outcome.stdout[-6000:]
    assert " passed" in outcome.stdout


def _environment(pytestconfig: pytest.Config) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath / "tests" / "doubles")}
