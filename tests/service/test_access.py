"""A server that is closed off, as its operator and its users have it: TLS, tokens, roles, by command line."""

import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from certificates import Authority, Pair
from scorer_client import AccessDenied, JobState, ScorerClient, tls_credentials
from server_process import BIN, ECHO, SLOW_ECHO, ServerProcess, server_environment, write_problem_set


@dataclass
class Closed:
    """A server with TLS, and what its operator has."""

    server: ServerProcess
    authority: Authority
    certificate: Pair

    def token(self, *arguments: str) -> str:
        """`scorer token ...` beside the running server; what it prints."""
        command: list[str | Path] = [BIN / "scorer", "token", *arguments]
        command += ["--state-dir", self.server.state_dir]
        made = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, env=server_environment(), check=True
        )
        return made.stdout.strip()

    def client(self, token: str | None, authority: Authority | None = None) -> ScorerClient:
        ca = (authority or self.authority).own.certificate
        return ScorerClient(self.server.address, credentials=tls_credentials(ca=ca), token=token)

    def run(self, token: str, *arguments: str) -> tuple[int, Any]:
        """`scorer-client ... --json`; its exit status and its document."""
        environment = server_environment(
            SCORER_SERVER=self.server.address,
            SCORER_CA=str(self.authority.own.certificate),
            SCORER_TOKEN=token,
        )
        ended = subprocess.run(
            [BIN / "scorer-client", *arguments, "--json"],
            capture_output=True,
            text=True,
            env=environment,
            cwd=self.server.folder,
            check=False,
        )
        assert "Traceback" not in ended.stderr
        assert token not in ended.stderr
        return ended.returncode, json.loads(ended.stdout or "null")


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Closed]:
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})
    authority = Authority(tmp_path, "authority")
    pair = authority.signed("server")
    server = ServerProcess(
        tmp_path / "server",
        *("--problem-set", str(problems), "--access", "tokens", "--concurrent-jobs", "2"),
        *("--tls-certificate", str(pair.certificate), "--tls-key", str(pair.key)),
    ).start()
    yield Closed(server, authority, pair)
    assert server.stop() == 0


def test_from_the_first_token_to_a_revoked_one(closed: Closed, tmp_path: Path) -> None:
    evaluator = closed.token("create", "--role", "evaluator", "--label", "nightly")
    operator = closed.token("create", "--role", "operator")
    program = tmp_path / "echo.rs"
    program.write_text(ECHO)

    status, created = closed.run(evaluator, "attempt", "create", "rust_codecontests", "--hidden")
    assert status == 0
    agent, attempt_id = created["agent_token"], created["attempt"]["attempt_id"]
    status, result = closed.run(agent, "score", "rust_codecontests", str(program), "--problem", "echo")
    assert (status, result["verdict"], result["score"]) == (0, "hidden", None)
    assert closed.run(agent, "attempt", "create", "rust_codecontests")[0] == 2
    (entry,) = closed.run(evaluator, "attempt", "log", attempt_id)[1]
    assert entry["score"]["raw"] == 1.0
    (entry,) = closed.run(agent, "attempt", "log", attempt_id)[1]
    assert entry["score"] is None
    assert closed.run(operator, "attempt", "log", attempt_id)[0] == 2
    assert closed.run(operator, "watch", entry["job_id"])[0] == 0

    (listed, _) = json.loads(closed.token("list", "--json"))
    assert (listed["role"], listed["label"], listed["state"]) == ("evaluator", "nightly", "active")
    closed.token("revoke", listed["token"])
    assert closed.run(evaluator, "attempt", "log", attempt_id)[0] == 2
    log = closed.server.log.read_text()
    for secret in (evaluator, operator, agent, created["evaluator_key"]):
        assert secret[-30:] not in log


def test_a_certificate_is_rolled_while_calls_wait_and_none_is_dropped(closed: Closed, tmp_path: Path) -> None:
    token = closed.token("create", "--role", "evaluator")
    retries: list[object] = []
    results: list[Any] = []

    def score() -> None:
        credentials = tls_credentials(ca=closed.authority.own.certificate)
        with ScorerClient(
            closed.server.address, credentials=credentials, token=token, on_retry=retries.append
        ) as client:
            progress = [False]

            def seen(job: Any) -> None:
                if job.state is JobState.RUNNING and not progress[0]:
                    progress[0] = True
                    running.release()

            results.append(client.score_rust_codecontests({"echo": SLOW_ECHO}, on_progress=seen))

    running = threading.Semaphore(0)
    threads = [threading.Thread(target=score) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert running.acquire(timeout=60)
    second = Authority(tmp_path, "second")
    closed.certificate.replace_by(second.signed("server"))
    with closed.client(token, second) as client:
        assert client.environments()
    for thread in threads:
        thread.join()
    assert [result.solved_count for result in results] == [1, 1]
    assert retries == []


def test_who_brings_no_token_or_no_tls_is_not_let_in(closed: Closed) -> None:
    with closed.client(None) as client, pytest.raises(AccessDenied, match="scorer token create"):
        client.environments()
    assert closed.server.is_healthy()


def test_a_careless_port_is_refused_and_the_way_out_told(tmp_path: Path) -> None:
    command: list[str | Path] = [BIN / "scorer", "serve", "--listen", "0.0.0.0:0"]
    ended = subprocess.run(
        [*command, "--state-dir", tmp_path / "state"],
        stderr=subprocess.PIPE,
        text=True,
        env=server_environment(),
        cwd=tmp_path,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 2
    for word in ("0.0.0.0:0", "tls_certificate", "--allow-plaintext"):
        assert word in ended.stderr
    assert not (tmp_path / "state").exists()
