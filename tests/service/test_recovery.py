"""A server that dies at any moment loses no accepted job, and no job gets two results."""

import os
import random
import signal
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from leftovers import Leftovers
from scorer_client import JobState
from server_process import ECHO, SLOW_ECHO, ServerProcess, wait_for_job

from tests.soak import processes


def test_a_job_under_way_survives_sigkill_and_its_client_gets_one_result(server: ServerProcess) -> None:
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(client.score_rust_codecontests, {"echo": SLOW_ECHO}, request_id=request_id)
        wait_for_job(server, request_id, JobState.RUNNING)
        server.kill()
        server.start()
        result = answer.result(timeout=60)
    assert result.solved_count == 1
    with server.client() as client:
        again = client.score_rust_codecontests({"echo": SLOW_ECHO}, request_id=request_id)
        job = client.get_job(request_id)
    assert again == result
    assert job.delivery_count == 2
    judged = 'scorer_jobs_judged_total{environment="rust_codecontests",verdict="scored"}'
    assert server.metrics()[judged] == 1


def test_a_job_whose_sandbox_is_killed_gets_its_result(server: ServerProcess) -> None:
    assert server.process is not None
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(client.score_rust_codecontests, {"echo": SLOW_ECHO}, request_id=request_id)
        wait_for_job(server, request_id, JobState.RUNNING)
        while not (found := list(processes.sandbox_processes(server.process.pid))):
            assert not answer.done()
        os.kill(found[0][2], signal.SIGKILL)
        assert answer.result(timeout=60).solved_count == 1
        assert client.get_job(request_id).delivery_count == 2


@pytest.mark.alone
def test_nothing_runs_on_after_a_server_was_killed(server: ServerProcess) -> None:
    before = Leftovers.now()
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(client.score_rust_codecontests, {"echo": SLOW_ECHO}, request_id=request_id)
        wait_for_job(server, request_id, JobState.RUNNING)
        server.kill()
        # Who is killed cannot remove cgroups; they are empty, and the next server sweeps them.
        Leftovers.wait_until_gone(before, but_cgroups=True)
        server.start()
        assert answer.result(timeout=60).solved_count == 1
    assert server.stop() == 0
    Leftovers.wait_until_gone(before)


@pytest.mark.parametrize("seed", range(3))
def test_kills_at_random_moments_lose_nothing(server: ServerProcess, seed: int) -> None:
    moments = random.Random(seed)
    submissions = {str(uuid.uuid4()): {"echo": ECHO, "echo_two": SLOW_ECHO} for _ in range(6)}
    done = threading.Event()

    def score(request_id: str) -> tuple[str, int]:
        with server.client() as client:
            result = client.score_rust_codecontests(submissions[request_id], request_id=request_id)
            return result.job_id, result.solved_count

    def kill_now_and_then() -> None:
        for _ in range(3):
            if done.wait(moments.uniform(0.05, 2.5)):
                return
            server.kill()
            server.start()

    with ThreadPoolExecutor(7) as pool:
        killer = pool.submit(kill_now_and_then)
        results = list(pool.map(score, submissions))
        done.set()
        killer.result()
    assert [solved for _, solved in results] == [2] * 6
    assert len({job_id for job_id, _ in results}) == 6


def test_sigterm_puts_back_what_does_not_end_in_time(server: ServerProcess) -> None:
    server._options = (*server._options, "--drain-grace-s", "0")
    server.stop()
    server.start()
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(client.score_rust_codecontests, {"echo": SLOW_ECHO}, request_id=request_id)
        wait_for_job(server, request_id, JobState.RUNNING)
        assert server.stop() == 0
        server.start()
        assert answer.result(timeout=60).solved_count == 1
