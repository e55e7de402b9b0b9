"""The command line: what it prints where, and its exit statuses."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from scorer.v1 import job_pb2, result_pb2, rust_codecontests_pb2
from scorer.v1.attempt_pb2 import ScoreLogEntry
from scorer.v1.environment_pb2 import GetStarterResponse
from scorer_client.main import main

from tests.client.scripted_answers import (
    ScoreRequest,
    ScoreResponse,
    accepted,
    refuse,
)
from tests.client.scripted_server import ScriptedServer

REQUEST_ID = "6d8f6c1e-4f3b-4a43-9f57-0b9a3a0e9d11"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(server: ScriptedServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command against the double; its exit status, standard output and standard error."""
    monkeypatch.setenv("SCORER_SERVER", server.target)
    monkeypatch.delenv("SCORER_EVALUATOR_KEY", raising=False)

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two programs, and what is none."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "two-sums.rs").write_text("fn main() {}")
    (folder / "1_A. Walk.rs").write_text("fn main() {\r\n}")
    (folder / "notes.txt").write_text("notes")
    return folder


def mixed(request: ScoreRequest, job_id: str) -> ScoreResponse:
    response = accepted(request, job_id)
    first, second = response.problems
    first.verdict = rust_codecontests_pb2.PROBLEM_VERDICT_COMPILE_ERROR
    first.compiler_output = "error[E0425]: cannot find value `x`\n --> main.rs:1:13\x1b[2J\n"
    second.verdict = rust_codecontests_pb2.PROBLEM_VERDICT_WRONG_ANSWER
    second.public_failure.CopyFrom(
        rust_codecontests_pb2.PublicTestFailure(
            test_number=2, input=b"1 2\n", expected=b"3\n", output=b"4\xff\n", ending="exit code 0"
        )
    )
    return response


def test_a_folder_is_scored(server: ScriptedServer, run: Run, folder: Path) -> None:
    status, out, err = run("score", "rust_codecontests", folder)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split() == ["problem", "verdict", "first", "failed", "public", "test"]
    assert lines[1].split("  ")[0] == "1_A. Walk"
    assert lines[1].endswith("accepted")
    assert "raw 0.5, normalised 1" in out
    assert "\x1b" not in out + err, "no colour where there is no terminal"
    (request,) = server.score_requests
    assert [(p.problem_id, p.source.inline) for p in request.programs] == [
        ("1_A. Walk", "fn main() {\r\n}"),
        ("two-sums", "fn main() {}"),
    ]


def test_failures_are_readable_and_cannot_control_the_terminal(
    server: ScriptedServer, run: Run, folder: Path
) -> None:
    server.respond = mixed
    status, out, _ = run("score", "rust_codecontests", folder)
    assert status == 0
    assert "1_A. Walk: the compiler says\n    error[E0425]: cannot find value `x`\n" in out
    assert "     --> main.rs:1:13\\x1b[2J\n" in out
    assert "\x1b" not in out
    assert "two-sums: wrong answer on public test 2 (exit code 0)\n  input:\n    1 2\n" in out
    assert "  expected:\n    3\n  output:\n    4\\xff\n" in out


def test_json_is_one_document_and_nothing_else(server: ScriptedServer, run: Run, folder: Path) -> None:
    server.respond = mixed
    status, out, _ = run("score", "rust_codecontests", folder, "--json", "--request-id", REQUEST_ID)
    assert status == 0
    assert out.count("\n") == 1
    document = json.loads(out)
    assert document["verdict"] == "scored"
    assert document["score"] == {"raw": 0.5, "normalized": 1.0}
    assert document["queued_s"] == 1.5
    assert document["request_id"] == REQUEST_ID
    assert document["problems"][0]["verdict"] == "compile_error"
    assert document["problems"][0]["public_failure"] is None
    assert document["problems"][1]["public_failure"]["output"] == "4�\n"


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (result_pb2.VERDICT_SCORED, 0),
        (result_pb2.VERDICT_HIDDEN, 0),
        (result_pb2.VERDICT_BUILD_ERROR, 1),
        (result_pb2.VERDICT_LIMIT_OR_CRASH, 1),
        (result_pb2.VERDICT_IMPLAUSIBLE, 1),
    ],
)
def test_exit_status_tells_whether_there_is_a_score(
    server: ScriptedServer, run: Run, folder: Path, verdict: Any, status: int
) -> None:
    def respond(request: ScoreRequest, job_id: str) -> ScoreResponse:
        response = accepted(request, job_id)
        response.result.verdict = verdict
        if verdict != result_pb2.VERDICT_SCORED:
            response.result.ClearField("score")
        return response

    server.respond = respond
    got, out, _ = run("score", "rust_codecontests", folder)
    assert got == status
    assert ("no score" in out) == (verdict != result_pb2.VERDICT_SCORED)


def test_json_lines_and_single_files_are_scored(server: ScriptedServer, run: Run, tmp_path: Path) -> None:
    lines = tmp_path / "programs.jsonl"
    lines.write_text(
        '{"problem_id": "b", "source": "// \u2028\\n"}\n\n{"problem_id": "a", "source": "", "n": 1}\n',
        encoding="utf-8",
    )
    assert run("score", "rust_codecontests", lines)[0] == 0
    assert [(p.problem_id, p.source.inline) for p in server.score_requests[0].programs] == [
        ("b", "// \u2028\n"),
        ("a", ""),
    ]
    program = tmp_path / "anything.rs"
    program.write_text("fn main() {}")
    assert (
        run("score", "rust_codecontests", program, "--problem", "two-sums", "--attempt", "attempt-1")[0] == 0
    )
    request = server.score_requests[1]
    assert [program.problem_id for program in request.programs] == ["two-sums"]
    assert request.context.attempt_id == "attempt-1"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "p.jsonl",
            b'{"problem_id": "a", "source": ""}\n{"problem_id": "a", "source": ""}',
            "line 2.*'a'.*line 1",
        ),
        ("p.jsonl", b'{"problem_id": "a", "source": ""}\n\n{"problem_id": }', "line 3: not JSON"),
        ("p.jsonl", b'{"problem_id": "a"}', "line 1: source is missing"),
        ("p.jsonl", b'{"problem_id": 7, "source": ""}', "line 1: problem_id is missing, or is not a string"),
        ("p.jsonl", b"[]", "line 1: not an object"),
        ("p.jsonl", b"\n", "has no programs"),
        ("p.jsonl", b"\xff", r"p\.jsonl is not UTF-8"),
        ("p.rs", b"fn main() {}", "--problem"),
        ("programs/a.rs", b"// \xe9", r"a\.rs is not UTF-8: byte 3"),
        ("programs/a.txt", b"", "has no programs"),
    ],
)
def test_wrong_files_are_named_with_the_line(
    server: ScriptedServer, run: Run, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    status, out, err = run(
        "score", "rust_codecontests", path.parent if name.startswith("programs/") else path, "--json"
    )
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert re.search(words, err), err
    assert not server.metadata, "nothing was asked of the server"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "required: COMMAND"),
        (("scores",), "invalid choice"),
        (("score", "rust_codecontests"), "required: PATH"),
        (("score", "rust_codecontests", "missing"), "missing cannot be read: No such file"),
        (("score", "rust_codecontests", ".", "--timeout", "0"), "'0' is not a positive number"),
        (("score", "rust_codecontests", ".", "--request-id", "7"), "'7' is not a UUID"),
        (("score", "rust_codecontests", ".", "--problem", "a"), "is a folder"),
        (
            ("score", "chess", "model.py"),
            "does not score 'chess'; it scores: fix_embedding, restricted_mlm, rust_codecontests, "
            "triton_cumsum",
        ),
        (("score", "triton_cumsum"), "required: FILE"),
        (("score", "../evil", "x"), "does not score"),
        (("attempt",), "required: ACTION"),
    ],
)
def test_wrong_arguments_end_with_2(run: Run, arguments: tuple[str, ...], words: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert words in err


def test_help_ends_with_0(run: Run) -> None:
    for arguments in (
        ("--help",),
        ("score", "--help"),
        ("score", "rust_codecontests", "--help"),
        ("--version",),
    ):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        assert out
    assert "rust_codecontests" in run("score", "--help")[1]


def test_no_server_tells_the_way_out(run: Run, folder: Path) -> None:
    status, out, err = run("score", "rust_codecontests", folder, "--json", "--server", "127.0.0.1:1")
    assert status == 3
    assert "no server at 127.0.0.1:1: start one with `scorer serve`, or set --server" in err
    document = json.loads(out)
    assert document["error"]["kind"] == "Unreachable"
    assert document["request_id"] in err
    assert run("--server", "127.0.0.1:1", "environments")[0] == 3, "options may stand first, too"


@pytest.mark.parametrize(
    ("code", "reason", "status"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", 2),
        (grpc.StatusCode.NOT_FOUND, "ATTEMPT_NOT_FOUND", 2),
        (grpc.StatusCode.FAILED_PRECONDITION, "ATTEMPT_CLOSED", 2),
        (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED", 2),
        (grpc.StatusCode.PERMISSION_DENIED, "WRONG_EVALUATOR_KEY", 2),
        (grpc.StatusCode.CANCELLED, "JOB_CANCELLED", 1),
        (grpc.StatusCode.INTERNAL, "JUDGING_FAILED", 3),
        (grpc.StatusCode.UNIMPLEMENTED, "ENVIRONMENT_NOT_SERVED", 3),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "ARTIFACT_QUOTA", 3),
        (grpc.StatusCode.UNKNOWN, "", 3),
    ],
)
def test_each_failure_has_its_exit_status(
    server: ScriptedServer, run: Run, folder: Path, code: grpc.StatusCode, reason: str, status: int
) -> None:
    def step(server: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        refuse(context, code, "what went wrong", reason=reason, violations={"programs[1].problem_id": "odd"})

    server.steps.append(step)
    got, out, err = run("score", "rust_codecontests", folder, "--json")
    assert got == status
    assert "what went wrong" in err
    assert "programs[1].problem_id: odd" in err
    error = json.loads(out)["error"]
    assert (error["code"], error["reason"]) == (code.name, reason)
    assert error["field_violations"] == [{"field": "programs[1].problem_id", "description": "odd"}]


def test_a_time_limit_ends_with_3_and_tells_how_to_go_on(
    server: ScriptedServer, run: Run, folder: Path
) -> None:
    server.judged.clear()
    status, _, err = run("score", "rust_codecontests", folder, "--timeout", "0.3", "--request-id", REQUEST_ID)
    assert status == 3
    assert f"--request-id {REQUEST_ID}" in err
    server.judged.set()
    assert run("score", "rust_codecontests", folder, "--request-id", REQUEST_ID)[0] == 0


def test_pauses_are_told(server: ScriptedServer, run: Run, folder: Path) -> None:
    def full(server: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        refuse(
            context,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "the queue is full",
            reason="QUEUE_FULL",
            retry_after=timedelta(milliseconds=10),
        )

    server.steps.extend([full])
    status, _, err = run("score", "rust_codecontests", folder)
    assert status == 0
    assert "the queue is full; trying again in 0.0 s" in err


@pytest.mark.parametrize(
    ("reason", "retry_after", "status", "way_out"),
    [
        ("BUDGET_EXHAUSTED", None, 2, "another attempt"),
        ("RATE_LIMITED", timedelta(minutes=50), 3, "may come in 0:50:00"),
    ],
)
def test_what_bounds_scorings_is_told_with_the_way_out(
    server: ScriptedServer,
    run: Run,
    folder: Path,
    reason: str,
    retry_after: timedelta | None,
    status: int,
    way_out: str,
) -> None:
    def no(server: ScriptedServer, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        refuse(
            context,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "no more",
            reason=reason,
            retry_after=retry_after,
        )

    server.steps.append(no)
    found, _, err = run("score", "rust_codecontests", folder)
    assert found == status
    assert way_out in err


def test_an_attempt_is_given_a_priority_and_a_budget(server: ScriptedServer, run: Run) -> None:
    status, out, _ = run("attempt", "create", "rust_codecontests", "--priority", "low", "--budget", "5")
    assert status == 0
    assert "priority: low\n" in out
    assert "scorings left: 5 of 5\n" in out
    assert "scorings left: no limit\n" in run("attempt", "create", "rust_codecontests")[1]
    assert run("attempt", "create", "rust_codecontests", "--priority", "highest")[0] == 2
    assert run("attempt", "create", "rust_codecontests", "--budget", "-1")[0] == 2


def test_environments_are_listed(run: Run) -> None:
    status, out, _ = run("environments")
    assert status == 0
    assert "rust_codecontests  yes" in out
    assert "triton_cumsum is not served: there is no worker for it" in out
    assert "compile time 10 s" in out
    assert [environment["name"] for environment in json.loads(run("environments", "--json")[1])] == [
        "rust_codecontests",
        "triton_cumsum",
    ]


def test_a_starter_is_written_once(server: ScriptedServer, run: Run, tmp_path: Path) -> None:
    server.starter = [GetStarterResponse(path="a/README.md", chunk=b"hello", last_chunk=True)]
    assert run("starter", "rust_codecontests", tmp_path / "s")[:2] == (
        0,
        f"wrote 1 files to {tmp_path / 's'}\n",
    )
    assert (tmp_path / "s/a/README.md").read_bytes() == b"hello"
    status, _, err = run("starter", "rust_codecontests", tmp_path / "s")
    assert status == 2
    assert "--force" in err
    assert run("starter", "rust_codecontests", tmp_path / "s", "--force")[0] == 0
    assert run("starter", "chess", tmp_path / "t")[0] == 2
    server.starter[0].path = "../evil"
    assert run("starter", "rust_codecontests", tmp_path / "u")[0] == 3


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (job_pb2.JOB_STATE_SUCCEEDED, 0),
        (job_pb2.JOB_STATE_CANCELLED, 1),
        (job_pb2.JOB_STATE_FAILED, 3),
    ],
)
def test_watch_ends_as_the_job_does(server: ScriptedServer, run: Run, state: Any, status: int) -> None:
    server.set_job(REQUEST_ID, state=state)
    got, out, _ = run("watch", "job-1")
    assert got == status
    assert out.startswith("job-1 (rust_codecontests): ")
    got, out, _ = run("watch", REQUEST_ID, "--json")
    assert got == status
    assert [json.loads(line)["job_id"] for line in out.splitlines()] == ["job-1"]
    assert run("watch", "job-2")[0] == 2


def test_cancel_tells_whether_it_was_in_time(server: ScriptedServer, run: Run) -> None:
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_RUNNING)
    assert run("cancel", REQUEST_ID)[:2] == (0, "job-1 (rust_codecontests): cancelled\n")
    server.set_job(REQUEST_ID, state=job_pb2.JOB_STATE_SUCCEEDED)
    assert run("cancel", "job-1")[0] == 1
    assert run("cancel", "job-2")[0] == 2


def test_an_attempt_from_begin_to_end(
    server: ScriptedServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, err = run("attempt", "create", "rust_codecontests", "--hidden", "--label", "run 7")
    assert status == 0
    assert "attempt: attempt-1\n" in out
    assert "scores are: hidden\n" in out
    assert "evaluator key: key-of-the-evaluator\n" in out
    assert "not shown again" in err
    status, out, _ = run("attempt", "log", "attempt-1")
    assert (status, out) == (0, "no scores yet\n")
    entry = ScoreLogEntry(job_id="job-1", verdict=result_pb2.VERDICT_SCORED, summary="1 of 4\nsolved")
    entry.since_start.FromSeconds(3725)
    entry.score.raw = 0.25
    server.log.append(entry)
    _, out, _ = run("attempt", "log", "attempt-1")
    assert out.splitlines()[1].split("  ")[0] == "1:02:05"
    assert "1 of 4 solved" in out, "a row stays a row"
    assert json.loads(run("attempt", "log", "attempt-1", "--json")[1])[0]["since_start_s"] == 3725
    assert run("attempt", "close", "attempt-1")[0] == 2
    assert run("attempt", "close", "attempt-1", "--key", "key-of-the-evaluator")[0] == 0
    monkeypatch.setenv("SCORER_EVALUATOR_KEY", "key-of-the-evaluator")
    assert "closed: 2023-11-14 22:14:20" in run("attempt", "close", "attempt-1")[1]
    assert run("attempt", "show", "attempt-1")[0] == 0
    assert run("attempt", "show", "attempt-2")[0] == 2


def test_a_hidden_score_is_shown_to_whom_the_server_tells_it(server: ScriptedServer, run: Run) -> None:
    """By a key, or by the token that the attempt was created with."""
    run("attempt", "create", "rust_codecontests", "--hidden")
    assert "final score: hidden" in run("attempt", "show", "attempt-1")[1]
    server.attempts["attempt-1"].final_score.raw = 0.25
    assert "final score: raw 0.25" in run("attempt", "show", "attempt-1")[1]
