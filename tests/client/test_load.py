"""`scorer-client load`: who is sent how often, and what is told of it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from scorer_client import ScorerClient
from scorer_client._cli.load_report import quantile, report, summarise
from scorer_client.main import main

from tests.client.scripted_answers import ScoreRequest, ScoreResponse, refuse
from tests.client.scripted_server import ScriptedServer


@pytest.fixture(autouse=True)
def at_the_server(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORER_SERVER", server.target)


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    path = tmp_path / "my solution.py"
    path.write_text("def prefix_sum(x): ...")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "echo.rs"
    path.write_text("fn main() {}")
    return path


def load(*arguments: object) -> int:
    return main(["load", "--seconds", "0.5", *(str(argument) for argument in arguments)])


def test_a_mix_is_sent_by_all_clients_and_counted(
    server: ScriptedServer, solution: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mix = (f"triton_cumsum '{solution}'", f"rust_codecontests {program} --problem echo")
    status = load("--clients", 3, "--submit", mix[0], "--submit", mix[1], "--json")
    told = json.loads(capsys.readouterr().out)
    assert status == 0
    found = {one["environment"]: one for one in told["environments"]}
    sent = {
        "rust_codecontests": [request.context.request_id for request in server.score_requests],
        "triton_cumsum": [request.context.request_id for request in server.triton_requests],
    }
    for name, request_ids in sent.items():
        assert found[name]["judged_count"] == found[name]["verdicts"]["scored"] == len(request_ids) > 0
        assert len(set(request_ids)) == len(request_ids), "each is a job of its own"
        assert found[name]["median_s"] <= found[name]["p95_s"] <= found[name]["longest_s"]
        assert found[name]["failures"] == {}
    assert told["duration_s"] >= 0.5


def test_nobody_watches_the_jobs_besides(
    server: ScriptedServer, solution: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[object] = []

    def watch(name: object, _: object) -> Iterator[object]:
        watched.append(name)
        return iter(())

    monkeypatch.setattr(server, "watch", watch)
    assert load("--submit", f"triton_cumsum '{solution}'") == 0
    assert server.triton_requests
    assert not watched


def test_what_has_no_verdict_is_counted_by_its_reason(
    server: ScriptedServer, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        refuse(context, grpc.StatusCode.INTERNAL, "it failed", reason="JUDGING_FAILED")

    server.steps.extend([fail] * 9)
    status = load("--clients", 1, "--submit", f"rust_codecontests {program} --problem echo")
    told = capsys.readouterr().out
    assert status == 3
    assert "JUDGING_FAILED" in told
    assert "0 judged" in told


def test_who_is_told_to_come_again_later_does_and_it_is_counted(
    server: ScriptedServer, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        pause = timedelta(milliseconds=1)
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
        refuse(context, code, "full", reason="QUEUE_FULL", retry_after=pause)

    server.steps.extend([full, full])
    assert load("--clients", 1, "--submit", f"rust_codecontests {program} --problem echo", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pauses"] == {"QUEUE_FULL": 2}
    assert told["environments"][0]["failures"] == {}


@pytest.mark.parametrize(
    ("submission", "told"),
    [
        ("", "empty"),
        ("no_such_environment x", "triton_cumsum"),
        ("triton_cumsum /no/such/file.py", "/no/such/file.py"),
        ("triton_cumsum 'open", "cannot be read"),
        ("triton_cumsum", "FILE"),
        ("triton_cumsum x --timeout 3", "--timeout"),
    ],
)
def test_a_submission_that_cannot_be_read_is_named_before_anything_is_sent(
    server: ScriptedServer, submission: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("--submit", submission) == 2
    assert told in capsys.readouterr().err
    assert server.triton_requests == []


def test_clients_that_cannot_be_made_are_told_before_anything_is_sent(
    server: ScriptedServer,
    solution: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCORER_TOKEN_FILE", "/no/such/token")
    began = time.monotonic()
    assert load("--submit", f"triton_cumsum '{solution}'", "--seconds", 60) == 2
    assert time.monotonic() - began < 30
    assert "/no/such/token" in capsys.readouterr().err
    assert server.triton_requests == []


def test_what_no_client_can_send_ends_the_load_at_once(
    solution: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "is gone", str(solution))

    monkeypatch.setattr(ScorerClient, "score_triton_cumsum", gone)
    # Longer than any thread can wait.
    assert load("--submit", f"triton_cumsum '{solution}'", "--seconds", "1e300") == 2
    assert "is gone" in capsys.readouterr().err


def test_ctrl_c_ends_the_sending_and_what_was_sent_is_waited_for(
    server: ScriptedServer, solution: Path
) -> None:
    with loading(solution, server) as process:
        server.judged.clear()
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "no more are sent" in process.stderr.readline()
        server.judged.set()
        told, _ = process.communicate(timeout=30)
        assert process.returncode == 0
    assert json.loads(told)["environments"][0]["judged_count"] == len(server.triton_requests)


def test_a_second_ctrl_c_waits_for_nothing(server: ScriptedServer, solution: Path) -> None:
    server.judged.clear()
    with loading(solution, server) as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "no more are sent" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        told, complaints = process.communicate(timeout=30)
        assert (process.returncode, told, complaints) == (130, "", "")


@contextmanager
def loading(solution: Path, server: ScriptedServer) -> Iterator["subprocess.Popen[str]"]:
    """A process whose two clients have begun to send, and would for an hour."""
    command = [sys.executable, "-m", "scorer_client.main", "load", "--seconds", "3600", "--json", "--clients"]
    command += ["2", "--submit", f"triton_cumsum '{solution}'"]
    with subprocess.Popen(
        # Whoever runs the tests in the background has them ignore Ctrl-C, which children inherit.
        ["env", "--default-signal=INT", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            while len(server.triton_requests) < 2 and process.poll() is None:
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def test_a_reason_of_a_server_does_nothing_to_a_terminal() -> None:
    counts = {("triton_cumsum", "\x1b[2J"): 1}
    assert "\x1b" not in report(summarise(1.0, {}, {}, counts, {"\x1b[2J": 1}))


@pytest.mark.parametrize("clients", ["0", "1001", "-1", "many", "1.5"])
def test_a_number_of_clients_that_makes_no_sense_is_refused(
    clients: str, solution: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("--clients", clients, "--submit", f"triton_cumsum '{solution}'") == 2
    assert "from 1 to 1000" in capsys.readouterr().err


def test_quantiles_are_values_that_were_seen() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    assert [quantile(values, share) for share in (0.5, 0.75, 0.76, 0.95, 1.0)] == [2.0, 3.0, 4.0, 4.0, 4.0]
    assert quantile([], 0.5) is None
