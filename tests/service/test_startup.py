"""What can be wrong when a server starts, each with a message that says what to do."""

import json
import os
import pwd
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from scorer_client import Environment, ScorerClient, ScorerError
from server_process import BIN, ECHO, ServerProcess, server_environment


def serve(*options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A server that is expected to end by itself."""
    return subprocess.run(
        [BIN / "scorer", "serve", "--metrics-listen", "127.0.0.1:0", *options],
        capture_output=True,
        text=True,
        timeout=30,
        cwd=folder,
        env=server_environment(),
        check=False,
    )


def test_a_busy_port_is_refused(server: ServerProcess, tmp_path: Path) -> None:
    ended = serve("--listen", server.address, "--state-dir", str(tmp_path / "other"), folder=tmp_path)
    assert ended.returncode == 1
    assert server.address in ended.stderr
    assert "--listen" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_busy_metrics_port_is_refused(server: ServerProcess, tmp_path: Path) -> None:
    address = f"127.0.0.1:{server.metrics_port}"
    ended = serve(
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        address,
        "--state-dir",
        str(tmp_path / "other"),
        folder=tmp_path,
    )
    assert ended.returncode == 1
    assert address in ended.stderr
    assert "--metrics-listen" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_two_servers_never_share_a_state_folder(server: ServerProcess, tmp_path: Path) -> None:
    ended = serve("--listen", "127.0.0.1:0", "--state-dir", str(server.state_dir), folder=tmp_path)
    assert ended.returncode == 1
    assert str(server.state_dir) in ended.stderr
    assert "--state-dir" in ended.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--profile", "best"], "embedded, paper"),
        (["--listen", "localhost"], "HOST:PORT"),
        (["--slots", "-1"], "from 0 to"),
        (["--config", "/nonexistent.toml"], "/nonexistent.toml"),
        (["--problem-set", "/nonexistent.jsonl"], "must be a file"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_right(
    tmp_path: Path, options: list[str], message: str
) -> None:
    ended = serve(*options, "--state-dir", str(tmp_path / "state"), folder=tmp_path)
    assert ended.returncode == 2
    assert options[1] in ended.stderr
    assert message in ended.stderr


def folders_with_rustc() -> list[Path]:
    """Where a server would find rustc on this machine."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    searched = [*os.get_exec_path(), str(home / ".cargo" / "bin"), "/usr/local/cargo/bin"]
    return sorted({Path(folder).resolve() for folder in searched if (Path(folder) / "rustc").exists()})


def without_rustc(command: Sequence[str | Path]) -> list[str | Path]:
    """The command in a mount namespace of its own, where those folders are empty. Needs root."""
    folders = folders_with_rustc()
    if os.getuid() != 0:
        pytest.skip("only root can hide a folder from a process")
    if any(folder in (Path("/usr/bin"), Path("/bin")) for folder in folders):
        pytest.skip("rustc is in a system folder here, with everything else")
    hide = "; ".join(f"mount -t tmpfs none {folder}" for folder in folders)
    return [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-ec",
        f'{hide}; exec "$@"',
        "sh",
        *command,
    ]


def test_without_a_toolchain_it_says_what_to_install(tmp_path: Path, problem_file: Path) -> None:
    server = ServerProcess(tmp_path / "server", "--problem-set", str(problem_file), wrap=without_rustc).start(
        serving=False
    )
    try:
        with server.client() as client:
            server.wait_until(lambda: "install" in rust_codecontests(client).not_serving_reason.lower())
            assert not rust_codecontests(client).serving
            assert "rustc" in rust_codecontests(client).not_serving_reason
            with pytest.raises(ScorerError, match="rustc"):
                client.score_rust_codecontests({"echo": ECHO}, timeout=1.0)
        assert not server.is_healthy()
    finally:
        assert server.stop() == 0
    doctor = subprocess.run(
        without_rustc([BIN / "scorer", "doctor", "--state-dir", tmp_path / "state"]),
        capture_output=True,
        text=True,
        env=server_environment(),
        cwd=tmp_path,
        check=False,
    )
    assert doctor.returncode == 1
    assert "rustc" in doctor.stdout


def rust_codecontests(client: ScorerClient) -> Environment:
    return next(found for found in client.environments() if found.name == "rust_codecontests")


def test_doctor_finds_everything_where_tests_run(tmp_path: Path) -> None:
    doctor = subprocess.run(
        [BIN / "scorer", "doctor", "--json", "--state-dir", tmp_path / "state"],
        capture_output=True,
        text=True,
        env=server_environment(),
        cwd=tmp_path,
        check=False,
    )
    assert doctor.returncode == 0, doctor.stdout
    found = {finding["subject"]: finding["status"] for finding in json.loads(doctor.stdout)}
    assert found["rust_codecontests"] == "ok"
    assert found["sandbox"] in ("ok", "degraded")
    assert not (tmp_path / "state").exists()


def test_the_state_folder_is_the_servers_alone(server: ServerProcess) -> None:
    assert server.state_dir.stat().st_mode & 0o777 == 0o700
    assert server.state_dir.stat().st_uid == os.getuid()
