"""An operator at the command line, before a real server: drain, upgrade, quarantine."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from scorer_client import JobState, ScorerError
from server_process import SLOW_ECHO, ServerProcess, server_environment, wait_for_job, write_problem_set

from scorer_service.store.database import FILE_NAME, Database
from scorer_service.store.quarantines import Quarantine, QuarantineStore
from tests.soak import processes


def operator(server: ServerProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "scorer_service.main",
        "operator",
        *arguments,
        "--server",
        server.address,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=server_environment(), timeout=120
    )


def document(server: ServerProcess, *arguments: str) -> Any:
    done = operator(server, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})
    running = ServerProcess(tmp_path / "server", "--problem-set", str(problems)).start()
    yield running
    assert running.stop() == 0, running.log.read_text()


def test_a_drained_server_ends_and_the_next_one_ends_every_job_once(server: ServerProcess) -> None:
    ids = [str(uuid.uuid4()) for _ in range(4)]

    def score(request_id: str) -> str:
        with server.client() as client:
            return client.score_rust_codecontests({"echo": SLOW_ECHO}, request_id=request_id).job_id

    with ThreadPoolExecutor(4) as pool:
        results = pool.map(score, ids)
        wait_for_job(server, ids[0], JobState.RUNNING)
        assert document(server, "drain", "--grace-s", "0", "--exit")["queued_count"] > 0
        assert server.process is not None
        assert server.process.wait(timeout=60) == 0
        server.start()
        assert len(set(results)) == 4
    listed = document(server, "jobs", "--state", "succeeded")["jobs"]
    assert {one["request_id"] for one in listed} == set(ids)
    assert all(one["server_deaths"] == 0 for one in listed)
    assert server.metrics()['scorer_jobs_judged_total{environment="rust_codecontests",verdict="scored"}'] == 4


def test_a_drain_is_seen_and_undone(server: ServerProcess) -> None:
    assert "drained: 0 put back" in operator(server, "drain").stdout
    assert not server.is_healthy()
    shown = operator(server, "status").stdout
    assert "drained" in shown.splitlines()[0]
    assert "the server is draining" in shown
    operator(server, "resume")
    assert server.is_healthy()
    assert document(server, "status")["drain_state"] == "DRAIN_STATE_NONE"


def test_what_does_not_work_is_said(server: ServerProcess) -> None:
    done = operator(server, "quarantine", "cpu", "--reason", "x")
    assert done.returncode == 1
    assert "no environment here measures on one" in done.stderr
    server.stop()
    done = operator(server, "status")
    assert done.returncode == 1
    assert f"no server at {server.address}" in done.stderr


@pytest.mark.alone
def test_an_operators_quarantine_outlives_the_server(tmp_path: Path, torch_python: Path) -> None:
    server = ServerProcess(
        tmp_path, "--torch-python", str(torch_python), "--device", "cpu", environments="triton_cumsum"
    ).start()
    quarantined = 'scorer_device_quarantined{device="cpu"}'
    try:
        assert document(server, "quarantine", "cpu", "--reason", "the fan is loud")["device"]["environments"]
        assert server.metrics()[quarantined] == 1
        server.kill()
        server.start(serving=False)
        server.wait_until(lambda: "the fan is loud" in operator(server, "status").stdout)
        with server.client() as client:
            shown = {one.name: one.not_serving_reason for one in client.environments()}
            assert "the fan is loud" in shown["triton_cumsum"]
            with pytest.raises(ScorerError, match="the fan is loud"):
                client.score_triton_cumsum("def prefix_sum(x): ...", timeout=1.0)
        released = document(server, "release", "cpu", "--reason", "cleaned")
        assert released["device"]["state"] == "DEVICE_STATE_OK"
        server.wait_until_serving()
        assert server.metrics()[quarantined] == 0
    finally:
        assert server.stop() == 0, server.log.read_text()


@pytest.mark.alone
def test_a_worker_killed_at_the_start_and_a_quarantine_that_ends_there_serve_once(
    tmp_path: Path, torch_python: Path
) -> None:
    server = ServerProcess(
        tmp_path, "--torch-python", str(torch_python), "--device", "cpu", environments="triton_cumsum"
    )
    server.state_dir.mkdir(mode=0o700)

    async def quarantine() -> None:
        with contextlib.closing(Database(server.state_dir / FILE_NAME)) as database:
            await QuarantineStore(database).put("cpu", Quarantine("a slow moment", 0.0, by_operator=False))

    asyncio.run(quarantine())
    server.start(serving=False)
    try:
        assert server.process is not None
        pid = server.process.pid
        server.wait_until(lambda: processes.worker(pid) is not None)
        starting = processes.worker(pid)
        assert starting is not None
        os.kill(starting, signal.SIGKILL)
        server.wait_until_serving()
        log = server.log.read_text()
        assert "did not start: the worker ended at its start" in log
        assert document(server, "status")["devices"][0]["state"] == "DEVICE_STATE_OK"
    finally:
        assert server.stop() == 0, server.log.read_text()
    assert server.log.read_text().count("triton_cumsum is SERVING") == 1
