"""The log of a real server: it has the ids that an operator looks for, and nothing of anybody's secrets."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from scorer.v1 import attempt_pb2, attempt_pb2_grpc
from scorer_client import ScorerClient
from server_process import BIN, ECHO, ServerProcess, server_environment, write_problem_set

PRINTS = """
fn main() {
    println!("printed-by-a-submission");
    eprintln!("complained-by-a-submission");
    std::process::exit(3);
}
"""
DOES_NOT_COMPILE = 'fn main() { let quoted_by_the_compiler: u8 = "source-of-a-submission"; }'
HIDDEN = "90817263"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO|WARNING|ERROR|CRITICAL) [\w.]+ ")
FORGED = "run\n2026-01-01T00:00:00.000Z INFO scorer_service.serve stopped\x1b[2K"


@pytest.fixture(params=["json", "text"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    hidden = {"private_tests": {"input": [f"{HIDDEN}\n"], "output": [f"{HIDDEN}\n"]}}
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": hidden, "noisy": {}, "broken": {}})
    running = ServerProcess(
        tmp_path / "server",
        *("--problem-set", str(problems), "--access", "tokens"),
        *("--log-level", "debug", "--log-format", request.param),
    ).start()
    yield running
    running.stop()


def token(server: ServerProcess, role: str) -> str:
    command: list[str | Path] = [BIN / "scorer", "token", "create", "--role", role]
    command += ["--state-dir", server.state_dir]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=server_environment(), check=True)
    return str(made.stdout).strip()


def test_a_log_has_ids_and_no_secrets(server: ServerProcess) -> None:
    evaluator = token(server, "evaluator")
    metadata = (("authorization", f"Bearer {evaluator}"),)
    with grpc.insecure_channel(server.address) as channel:
        attempts = attempt_pb2_grpc.AttemptServiceStub(channel)
        created = attempts.CreateAttempt(
            attempt_pb2.CreateAttemptRequest(environment="rust_codecontests", label=FORGED), metadata=metadata
        )
        attempt_id = created.attempt.attempt_id
        with pytest.raises(grpc.RpcError):
            attempts.GetAttempt(attempt_pb2.GetAttemptRequest(attempt_id=FORGED), metadata=metadata)
        with pytest.raises(grpc.RpcError):
            attempts.GetAttempt(
                attempt_pb2.GetAttemptRequest(attempt_id=attempt_id),
                metadata=(("authorization", "Bearer a-wrong-token"),),
            )
    programs = {"echo": ECHO, "noisy": PRINTS, "broken": DOES_NOT_COMPILE}
    with ScorerClient(server.address, token=created.agent_token) as client:
        result = client.score_rust_codecontests(programs, attempt_id=attempt_id)
    assert result.solved_count == 1
    assert server.stop() == 0
    text = server.log.read_text()
    for secret in (
        *(evaluator[-30:], created.evaluator_key, created.agent_token[-30:], "a-wrong-token"),
        *("by-a-submission", "source-of-a-submission", "by_the_compiler", HIDDEN, "\x1b"),
    ):
        assert secret not in text
    if server._options[-1] == "json":
        check_json(text, result.job_id, attempt_id)
    else:
        lines = text.splitlines()
        assert all(LINE.match(line) for line in lines)
        assert sum(line.endswith("scorer_service.serve stopped") for line in lines) == 1
        assert any(f"[{result.job_id}] judged: scored" in line for line in lines)


def check_json(text: str, job_id: str, attempt_id: str) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    (judged,) = [line for line in lines if line["message"].startswith("judged")]
    about = {"job_id": job_id, "attempt_id": attempt_id, "environment": "rust_codecontests"}
    assert about.items() <= judged.items()
    (scored,) = [line for line in lines if line.get("method", "").endswith("/ScoreRustCodecontests")]
    assert about.items() <= scored.items()
    assert scored["call"] > 0
    asked = [line for line in lines if line.get("method", "").endswith("/GetAttempt")]
    assert [line.get("attempt_id") for line in asked] == [None, attempt_id]
