"""Machines that isolate less: what the doctor says, and that a server insists on what it was told to."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from machines import NOBODY, Command, without_cgroups, without_landlock, without_root
from server_process import BIN, server_environment

from scorer_service.configuration import ISOLATION_MECHANISMS
from scorer_service.sandbox import isolation

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="takes from a process what root has")

# What each machine lacks, and a part of the way out that the doctor tells.
LESS = [
    pytest.param(without_cgroups, {"cgroups"}, "cgroup v2 is not mounted", id="without cgroups"),
    pytest.param(without_landlock, {"landlock"}, "boot a kernel since 5.13", id="without Landlock"),
    pytest.param(without_root, {"cgroups", "users"}, "run the service as root", id="without root"),
]
Machine = Callable[[Command], list[str | Path]]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that an ordinary user may reach and write to."""
    with tempfile.TemporaryDirectory(prefix="scorer-isolation-") as folder:
        os.chown(folder, NOBODY, NOBODY)
        yield Path(folder)


def scorer(machine: Machine, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        machine([BIN / "scorer", *arguments, "--state-dir", folder / "state"]),
        capture_output=True,
        text=True,
        check=False,
        env={**server_environment(), "HOME": str(folder)},
        cwd=folder,
        timeout=300,
    )


def findings(output: str) -> Mapping[str, str]:
    return {
        found["subject"].removeprefix("isolation: "): found["status"]
        for found in json.loads(output)
        if found["subject"].startswith("isolation: ")
    }


@pytest.mark.parametrize(("machine", "lacking", "way_out"), LESS)
def test_the_doctor_says_what_holds_and_what_does_not(
    machine: Machine, lacking: set[str], way_out: str, open_folder: Path
) -> None:
    doctor = scorer(machine, "doctor", "--json", "--require-isolation", "landlock", folder=open_folder)
    assert doctor.stdout, doctor.stderr
    expected = {name: "degraded" if name in lacking else "ok" for name in isolation.MECHANISMS}
    if "landlock" in lacking:
        expected["landlock"] = "missing"
        assert doctor.returncode == 1
    assert findings(doctor.stdout) == expected
    assert way_out in doctor.stdout
    # Less isolation is not none: what is judged there is judged.
    tested = {found["subject"]: found["status"] for found in json.loads(doctor.stdout)}
    assert tested["triton_cumsum"] == "ok", doctor.stdout


@pytest.mark.parametrize(("machine", "lacking", "way_out"), LESS)
def test_a_server_does_not_start_with_less_than_it_was_told(
    machine: Machine, lacking: set[str], way_out: str, open_folder: Path
) -> None:
    listen = ("--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0")
    ended = scorer(machine, "serve", *listen, "--require-isolation", "all", folder=open_folder)
    assert ended.returncode == 1, ended.stderr
    assert "require_isolation is all" in ended.stderr
    for name in lacking:
        assert f"{name} ({isolation.MECHANISMS[name].lost})" in ended.stderr
    assert way_out in ended.stderr


def test_every_mechanism_can_be_asked_for() -> None:
    assert tuple(isolation.MECHANISMS) == ISOLATION_MECHANISMS
    assert isolation.required("all") == set(isolation.MECHANISMS)
    assert isolation.required("users,cgroups") == {"users", "cgroups"}
    assert isolation.required("none") == set()
