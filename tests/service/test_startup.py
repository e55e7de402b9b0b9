"""What can be wrong when a server starts, each with a message that says what to do."""

import os
import subprocess
from pathlib import Path

import pytest
from scorer_client import ScorerError
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
    ],
)
def test_a_wrong_setting_is_named_with_what_is_right(
    tmp_path: Path, options: list[str], message: str
) -> None:
    ended = serve(*options, "--state-dir", str(tmp_path / "state"), folder=tmp_path)
    assert ended.returncode == 2
    assert options[1] in ended.stderr
    assert message in ended.stderr


def test_without_a_toolchain_it_says_what_to_install(tmp_path: Path, problem_file: Path) -> None:
    environment = server_environment(PATH="/usr/bin:/bin", HOME=str(tmp_path))
    environment = {
        name: value for name, value in environment.items() if not name.startswith(("RUSTUP", "CARGO"))
    }
    if any((Path(folder) / "rustc").exists() for folder in environment["PATH"].split(":")):
        pytest.skip("rustc is in a system folder here")
    server = ServerProcess(
        tmp_path / "server", "--problem-set", str(problem_file), environment=environment
    ).start(serving=False)
    try:
        with server.client() as client:
            with pytest.raises(ScorerError, match="rustc") as refused:
                client.score_rust_codecontests({"echo": ECHO})
            assert refused.value.reason == "ENVIRONMENT_NOT_SERVING"
            served = {found.name: found for found in client.environments()}
        assert not served["rust_codecontests"].serving
        assert "rustc" in served["rust_codecontests"].not_serving_reason
        assert not server.is_healthy()
    finally:
        assert server.stop() == 0
    doctor = subprocess.run(
        [BIN / "scorer", "doctor", "--state-dir", str(tmp_path / "state")],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert doctor.returncode == 1
    assert "rustc" in doctor.stdout


def test_the_state_folder_is_the_servers_alone(server: ServerProcess) -> None:
    assert server.state_dir.stat().st_mode & 0o777 == 0o700
    assert server.state_dir.stat().st_uid == os.getuid()
