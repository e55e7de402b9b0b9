"""The same promises where the server is not root: user namespaces, no ids of their own, maybe no cgroup."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which takes root")

NOBODY = 65534
#: Runs the tests of the other files as an ordinary user.
TESTS = ["test_limits.py", "test_isolation.py", "test_judging.py"]


@pytest.fixture
def visible_python(tmp_path: Path) -> Path:
    """A folder in which an ordinary user finds the interpreter's packages and these tests."""
    tmp_path.chmod(0o755)
    return tmp_path


def test_the_other_tests_pass_for_an_ordinary_user(visible_python: Path) -> None:
    probe = "from scorer_launcher import Slots, probe; found = probe(); assert not found.privileged; print(found.cgroup)"
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"]
    found = subprocess.run(
        [*prefix, sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd="/"
    )
    if found.returncode != 0:
        pytest.skip(
            f"an ordinary user cannot use this installation: {found.stderr.strip().splitlines()[-1:]}"
        )
    command = [*prefix, sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    here = Path(__file__).parent
    outcome = subprocess.run(
        [*command, f"--basetemp={visible_python}/of-nobody", *(str(here / name) for name in TESTS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout[-4000:]
