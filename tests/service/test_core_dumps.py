"""No process of a server, its worker and its sandboxes among them, can leave an image of its memory."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import without_root
from server_process import ServerProcess, server_environment

# As a unit of systemd with LimitCORE=0 starts it.
UNDER_A_LIMIT_OF_0 = """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from scorer_service import core_dumps
core_dumps.turn_off()
print(*resource.getrlimit(resource.RLIMIT_CORE))
"""


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from descendants(int(child))


def core_limit(pid: int) -> list[str]:
    """Soft and hard limit, in bytes."""
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    return next(line.split()[4:6] for line in lines if line.startswith("Max core file size"))


def test_no_process_of_a_server_dumps_its_memory(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "server", "--canary-minutes", "0", environments="triton_cumsum").start()
    try:
        assert server.process is not None
        pids = list(descendants(server.process.pid))
        assert any(b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids)
        assert {pid: core_limit(pid) for pid in pids} == {pid: ["1", "1"] for pid in pids}
    finally:
        assert server.stop() == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="takes from a process what root has")
def test_a_user_who_may_raise_no_limit_keeps_that_of_0() -> None:
    done = subprocess.run(
        without_root([sys.executable, "-c", UNDER_A_LIMIT_OF_0]),
        capture_output=True,
        text=True,
        check=False,
        env=server_environment(),
        cwd="/",
        timeout=60,
    )
    assert done.stdout.split() == ["0", "0"], done.stderr
