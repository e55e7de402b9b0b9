"""Real servers in processes of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from server_process import ServerProcess, write_problem_set


@pytest.fixture
def problem_file(tmp_path: Path) -> Path:
    """Three problems, each an echo of a number on twenty hidden tests."""
    return write_problem_set(tmp_path / "problems.jsonl", {"echo": {}, "echo_two": {}, "echo_three": {}})


@pytest.fixture
def server(tmp_path: Path, problem_file: Path) -> Iterator[ServerProcess]:
    """A server of those problems."""
    running = ServerProcess(tmp_path / "server", "--problem-set", str(problem_file)).start()
    yield running
    assert running.stop() == 0, running.log.read_text()
