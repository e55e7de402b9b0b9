"""A real server that makes its sandboxes in containers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from container_engine import engine_or_skip
from scorer_client import ScorerClient, Verdict
from server_process import ECHO, ServerProcess, write_problem_set

pytestmark = pytest.mark.alone

SERVED = {"rust_codecontests", "triton_cumsum"}
KERNEL = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(x * (before & 1), 0, dtype=torch.int32)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, torch_python: Path) -> Iterator[ServerProcess]:
    """Both kinds of sandboxes: of programs, and of copies of an interpreter."""
    engine_or_skip()
    folder = tmp_path_factory.mktemp("docker")
    problems = write_problem_set(folder / "problems.jsonl", {"echo": {}})
    running = ServerProcess(
        folder,
        *("--sandbox", "docker", "--device", "cpu", "--canary-minutes", "0"),
        *("--problem-set", str(problems), "--torch-python", str(torch_python)),
        environments=",".join(sorted(SERVED)),
    )
    running.start(serving=False)
    try:
        with running.client() as client:
            running.wait_until(lambda: running.is_healthy() and _serving(client) == SERVED)
        yield running
    finally:
        status = running.stop()
    assert status == 0, running.log.read_text()


def _serving(client: ScorerClient) -> set[str]:
    return {known.name for known in client.environments() if known.serving}


def test_the_log_says_which_backend_it_is(server: ServerProcess) -> None:
    assert "sandbox: docker " in server.log.read_text()


def test_programs_are_compiled_and_judged(server: ServerProcess) -> None:
    with server.client() as client:
        result = client.score_rust_codecontests({"echo": ECHO})
        assert (result.verdict, result.solved_count) == (Verdict.SCORED, 1)
        wrong = client.score_rust_codecontests({"echo": ECHO.replace("line.trim()", "0")})
        assert (wrong.verdict, wrong.solved_count) == (Verdict.SCORED, 0)
    assert server.metrics()['scorer_sandbox_starts_total{kind="cold"}'] >= 4


def test_kernels_are_run_and_measured(server: ServerProcess) -> None:
    with server.client() as client:
        wrong = client.score_triton_cumsum(KERNEL.replace(" - positive", ""))
        assert (wrong.verdict, wrong.score) == (Verdict.INCORRECT, None)
        # Where the machine is busy, there is a measurement, but no score.
        right = client.score_triton_cumsum(KERNEL)
    assert right.verdict in (Verdict.SCORED, Verdict.UNSTABLE), right
    assert right.timing is not None
