"""The same promises where the server is not root: user namespaces, no ids of their own, maybe no cgroup."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import NOBODY, without_root

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which takes root")

#: The files whose tests an ordinary user runs again.
TESTS = ["test_limits.py", "test_isolation.py", "test_judging.py", "test_start.py", "test_warm.py"]
PROBE = "from scorer_launcher import probe; print(probe().privileged, probe().complaints)"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the ordinary user's own."""
    folder = Path(tempfile.mkdtemp(prefix="scorer-launcher-"))
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def test_the_other_tests_pass_for_an_ordinary_user(program: Path, place: Path) -> None:
    copy = place / "program"
    shutil.copy(program, copy)
    found = subprocess.run(
        without_root([sys.executable, "-c", PROBE]), capture_output=True, text=True, check=False, cwd="/"
    )
    if found.returncode != 0:
        pytest.skip(f"an ordinary user cannot use this installation: {found.stderr.strip()[-200:]}")
    assert found.stdout.startswith("False ")
    assert "user id" in found.stdout
    files = [str(Path(__file__).with_name(name)) for name in TESTS]
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={place}/tmp"]
    outcome = subprocess.run(
        without_root([sys.executable, "-m", "pytest", *options, *files]),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SCORER_LAUNCHER_PROGRAM": str(copy), "HOME": str(place)},
    )
    assert outcome.returncode == 0, outcome.stdout[-4000:]
    assert " passed" in outcome.stdout
