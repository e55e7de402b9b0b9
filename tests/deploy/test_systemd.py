"""The systemd unit is valid, starts the server with options that there are, and takes away what it can."""

import shutil
import subprocess
from pathlib import Path

import pytest

from scorer_service import configuration, main

ANALYZE = shutil.which("systemd-analyze")


@pytest.fixture
def unit(repository: Path) -> Path:
    return repository / "deploy" / "systemd" / "scorer.service"


def values(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.skipif(ANALYZE is None, reason="no systemd-analyze")
def test_systemd_finds_nothing_wrong(unit: Path, tmp_path: Path) -> None:
    assert ANALYZE is not None
    installed = tmp_path / unit.name
    [start] = values(unit)["ExecStart"]
    # Whether the command is there is looked at too.
    installed.write_text(unit.read_text().replace(start.split()[0], "/bin/true"))
    shutil.copytree(unit.parent / "scorer.service.d", tmp_path / "scorer.service.d")
    done = subprocess.run([ANALYZE, "verify", installed], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(installed) not in done.stderr


def test_the_command_has_options_that_there_are(unit: Path) -> None:
    [start] = values(unit)["ExecStart"]
    options = vars(main._parser().parse_args(start.split()[1:]))
    loaded = configuration.load(options, None, {})
    found = values(unit)
    assert str(loaded.state_dir) == f"/var/lib/{found['StateDirectory'][0]}"
    assert loaded.drain_grace_s + 30 <= int(found["TimeoutStopSec"][0])
    assert found["WorkingDirectory"] == [f"/etc/{found['ConfigurationDirectory'][0]}"]


def test_what_the_sandbox_needs_is_not_taken_away(unit: Path) -> None:
    found = values(unit)
    assert found["Delegate"] == ["yes"]
    assert found["OOMPolicy"] == ["continue"]
    for setting in (
        *("RestrictNamespaces", "ProtectHostname", "ProtectControlGroups", "ProtectKernelTunables"),
        *("ProtectKernelLogs", "ProtectProc", "ProcSubset", "PrivateDevices", "MemoryDenyWriteExecute"),
    ):
        assert setting not in found
        assert setting in unit.read_text(), "why it is missing is said"


def test_the_server_is_not_root_and_holds_no_capability(unit: Path) -> None:
    found = values(unit)
    assert found["User"] != ["root"]
    assert found["CapabilityBoundingSet"] == [""]
    assert found["LimitCORE"] == ["0"]
