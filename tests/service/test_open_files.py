"""A server that was started with the limits of a login shell."""

import resource
from pathlib import Path

from server_process import ServerProcess, write_problem_set

from scorer_service import open_files


def test_a_server_raises_its_limit_of_open_files(tmp_path: Path) -> None:
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})
    server = ServerProcess(
        tmp_path / "server",
        *("--problem-set", str(problems)),
        wrap=lambda command: ["sh", "-c", 'ulimit -Sn 200; exec "$@"', "sh", *command],
    ).start()
    assert server.process is not None
    limits = Path(f"/proc/{server.process.pid}/limits").read_text().splitlines()
    assert server.stop() == 0
    soft = int(next(line for line in limits if line.startswith("Max open files")).split()[3])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert soft == (open_files.MOST if hard == resource.RLIM_INFINITY else min(hard, open_files.MOST))
