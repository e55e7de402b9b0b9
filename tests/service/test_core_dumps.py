"""No process of a server, its worker and its sandboxes among them, can leave an image of its memory."""

from collections.abc import Iterator
from pathlib import Path

from server_process import ServerProcess


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
