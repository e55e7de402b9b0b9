"""The main job: programs are scored through the client against a real server."""

import json
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from leftovers import Leftovers
from scorer_client import InvalidRequest, JobCancelled, JobState, ProblemVerdict, Verdict
from server_process import BIN, ECHO, ServerProcess, wait_for_job

VERDICT_PROGRAMS = {
    ProblemVerdict.ACCEPTED: ECHO,
    ProblemVerdict.COMPILE_ERROR: "fn main() { undefined() }",
    ProblemVerdict.WRONG_ANSWER: 'fn main() { println!("1"); }',
    ProblemVerdict.RUNTIME_ERROR: "fn main() { panic!() }",
    ProblemVerdict.CPU_TIME_LIMIT: "fn main() { let mut x = 1; loop { x = std::hint::black_box(x ^ 1); } }",
    ProblemVerdict.WALL_TIME_LIMIT: "fn main() { std::thread::sleep(std::time::Duration::from_secs(60)); }",
    ProblemVerdict.MEMORY_LIMIT: "fn main() { let mut v = Vec::new(); loop { v.push(vec![1u8; 1 << 20]); } }",
    ProblemVerdict.OUTPUT_LIMIT: 'fn main() { loop { println!("{}", "x".repeat(1 << 16)); } }',
}


@pytest.mark.parametrize(("verdict", "source"), VERDICT_PROGRAMS.items())
def test_each_verdict_comes_over_the_wire(
    server: ServerProcess, verdict: ProblemVerdict, source: str
) -> None:
    with server.client() as client:
        result = client.score_rust_codecontests({"echo": source})
    assert [problem.verdict for problem in result.problems] == [verdict]
    assert result.solved_count == (1 if verdict is ProblemVerdict.ACCEPTED else 0)


def test_raw_and_normalised_score_are_shares_of_all_problems(server: ServerProcess) -> None:
    with server.client() as client:
        result = client.score_rust_codecontests({"echo": ECHO, "echo_two": "fn main() {}"})
    assert result.verdict is Verdict.SCORED
    assert result.score is not None
    assert result.score.raw == pytest.approx(1 / 3)
    assert result.problem_count == 3


def test_nothing_of_a_hidden_test_reaches_the_agent(server: ServerProcess) -> None:
    leaks = """
    fn main() {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        if line.trim() == "1" { println!("1"); } else { eprintln!("SEEN {line}"); println!("SEEN {line}"); }
    }
    """
    with server.client() as client:
        result = client.score_rust_codecontests({"echo": leaks})
    assert result.problems[0].verdict is ProblemVerdict.WRONG_ANSWER
    assert result.problems[0].public_failure is None
    assert "SEEN" not in repr(result)


def test_a_failed_public_test_is_shown_whole(server: ServerProcess) -> None:
    with server.client() as client:
        result = client.score_rust_codecontests({"echo": 'fn main() { eprintln!("hm"); println!("2"); }'})
    failure = result.problems[0].public_failure
    assert failure is not None
    assert (failure.input, failure.expected, failure.output, failure.stderr) == (
        b"1\n",
        b"1\n",
        b"2\n",
        b"hm\n",
    )


def test_an_unknown_problem_id_is_named_with_the_way_out(server: ServerProcess) -> None:
    with server.client() as client, pytest.raises(InvalidRequest, match="ecko") as refused:
        client.score_rust_codecontests({"ecko": ECHO})
    assert refused.value.field_violations[0].field == "programs[0].problem_id"
    assert "echo" in refused.value.field_violations[0].description


def test_a_source_over_the_inline_limit_goes_as_an_artifact(server: ServerProcess) -> None:
    padded = ECHO + "// " + "x" * 400_000
    with server.client() as client:
        assert client.score_rust_codecontests({"echo": padded}).solved_count == 1
    assert len(list((server.state_dir / "artifacts" / "sha256").iterdir())) == 1


def test_a_second_scoring_compiles_nothing(server: ServerProcess) -> None:
    with server.client() as client:
        created = client.create_attempt("rust_codecontests")
        for _ in range(2):
            client.score_rust_codecontests({"echo": ECHO}, attempt_id=created.attempt.attempt_id)
    with server.client(created.evaluator_key) as client:
        log = list(client.list_scores(created.attempt.attempt_id))
    details = [json.loads(entry.evaluator_details_json or "{}") for entry in log]
    assert [problem["compile_cached"] for one in details for problem in one["problems"]] == [False, True]


@pytest.mark.alone
def test_cancelling_kills_the_program_and_frees_the_server(server: ServerProcess) -> None:
    before = Leftovers.now()
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(
            client.score_rust_codecontests,
            {"echo": VERDICT_PROGRAMS[ProblemVerdict.WALL_TIME_LIMIT]},
            request_id=request_id,
        )
        wait_for_job(server, request_id, JobState.RUNNING)
        assert client.cancel(request_id).state is JobState.CANCELLED
        with pytest.raises(JobCancelled):
            answer.result(timeout=30)
        Leftovers.wait_until_gone(before)
        assert client.score_rust_codecontests({"echo": ECHO}).solved_count == 1


def test_the_command_line_scores_a_folder(server: ServerProcess, tmp_path: Path) -> None:
    folder = tmp_path / "solutions"
    folder.mkdir()
    (folder / "echo.rs").write_text(ECHO)
    ended = subprocess.run(
        [BIN / "scorer-client", "--server", server.address, "score", "rust_codecontests", folder, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["solved_count"] == 1


def test_a_starter_checks_itself_and_scores_nothing(server: ServerProcess, tmp_path: Path) -> None:
    task = tmp_path / "task"
    with server.client() as client:
        client.starter("rust_codecontests", task)
        stubs = {path.stem: path for path in (task / "solutions").glob("*.rs")}
        result = client.score_rust_codecontests(stubs)
    assert result.solved_count == 0
    assert result.score is not None
    assert result.score.raw == 0.0
    (task / "solutions" / "echo.rs").write_text(ECHO)
    checked = subprocess.run(
        [sys.executable, task / "check.py"], capture_output=True, text=True, cwd=task, check=False
    )
    assert "echo" in checked.stdout
    everything = "".join(path.read_text() for path in task.rglob("*") if path.is_file())
    assert "119" not in everything, "an input of a hidden test"
