"""Scoring triton_cumsum through both clients and from the command line."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from scorer.v1 import result_pb2
from scorer_client import InvalidRequest, JobState, KernelTiming, Score, Verdict
from scorer_client.main import main

from tests.client.conftest import Colour
from tests.client.scripted_answers import (
    TritonRequest,
    TritonResponse,
    timed,
)
from tests.client.scripted_server import ScriptedServer

SOURCE = "def prefix_sum(x):\n    return x\n"
REQUEST_ID = "6d8f6c1e-4f3b-4a43-9f57-0b9a3a0e9d11"
COMPILE_ERROR = (
    'solution.py:3:11: error\n    y = tl.lod(x)\n           ^\n\x1b[2JNameError("lod is not defined")'
)


def does_not_compile(request: TritonRequest, job_id: str) -> TritonResponse:
    response = TritonResponse(device="NVIDIA H100", diagnostics=COMPILE_ERROR)
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_BUILD_ERROR
    response.result.summary = "It does not compile."
    return response


def test_result_has_what_the_server_said(server: ScriptedServer, colour: Colour, tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_bytes(SOURCE.replace("\n", "\r\n").encode())
    result = colour.call(
        server, "score_triton_cumsum", tmp_path / "solution.py", attempt_id="attempt-1", request_id=REQUEST_ID
    )
    assert result.verdict is Verdict.SCORED
    assert result.score == Score(-0.6931471805599453, 0.25)
    assert result.timing == KernelTiming(0.5, 0.49, 0.52, 31, 65521)
    assert result.compile_time == timedelta(milliseconds=250)
    assert (result.device, result.diagnostics, result.profile) == ("cpu", "", "embedded")
    (request,) = server.triton_requests
    assert request.solution.inline == SOURCE.replace("\n", "\r\n")
    assert (request.context.attempt_id, request.context.request_id) == ("attempt-1", REQUEST_ID)
    assert result.request_id == REQUEST_ID


def test_what_was_not_measured_is_none(server: ScriptedServer, colour: Colour) -> None:
    server.respond_triton = does_not_compile
    result = colour.call(server, "score_triton_cumsum", SOURCE)
    assert (result.verdict, result.score, result.timing, result.compile_time) == (
        Verdict.BUILD_ERROR,
        None,
        None,
        None,
    )
    assert result.diagnostics == COMPILE_ERROR


def test_an_unsteady_kernel_has_a_timing_and_no_score(server: ScriptedServer, colour: Colour) -> None:
    def unsteady(request: TritonRequest, job_id: str) -> TritonResponse:
        response = timed(request, job_id)
        response.result.verdict = result_pb2.VERDICT_UNSTABLE
        response.result.ClearField("score")
        return response

    server.respond_triton = unsteady
    result = colour.call(server, "score_triton_cumsum", SOURCE)
    assert (result.verdict, result.score) == (Verdict.UNSTABLE, None)
    assert result.timing is not None


def test_a_restart_in_the_middle_of_judging_goes_unnoticed(server: ScriptedServer, colour: Colour) -> None:
    states: list[JobState] = []
    first = colour.call(
        server,
        "score_triton_cumsum",
        SOURCE,
        request_id=REQUEST_ID,
        on_progress=lambda job: states.append(job.state),
    )
    server.restart()
    assert colour.call(server, "score_triton_cumsum", SOURCE, request_id=REQUEST_ID) == first
    assert states[-1] is JobState.SUCCEEDED


def test_a_large_source_is_uploaded(server: ScriptedServer, colour: Colour) -> None:
    server.inline_limit_bytes = 10
    colour.call(server, "score_triton_cumsum", SOURCE)
    (request,) = server.triton_requests
    assert server.artifacts == {request.solution.artifact.sha256: SOURCE.encode()}


def test_sources_that_cannot_be_sent_are_refused(
    server: ScriptedServer, colour: Colour, tmp_path: Path
) -> None:
    (tmp_path / "latin.py").write_bytes(b"# \xe9")
    with pytest.raises(InvalidRequest, match=r"solution: .*latin\.py is not UTF-8"):
        colour.call(server, "score_triton_cumsum", tmp_path / "latin.py")
    server.source_limit_bytes = 3
    with pytest.raises(InvalidRequest, match="at most 3"):
        colour.call(server, "score_triton_cumsum", SOURCE)
    assert not server.triton_requests


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "solution.py"
    path.write_text(SOURCE)
    return path


def test_the_command_line_shows_the_time(
    server: ScriptedServer, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--server", server.target, "score", "triton_cumsum", str(file)]) == 0
    out = capsys.readouterr().out
    assert "median      0.5 ms\n" in out
    assert "95 % CI     0.49 to 0.52 ms (within 4.0 %)\n" in out
    assert "31, of 65,521 elements each" in out
    assert "device      cpu\n" in out
    assert "0.25 s with compilation" in out
    assert "raw -0.693147, normalised 0.25" in out
    assert "what is wrong" not in out


def test_the_command_line_shows_what_is_wrong_and_cannot_control_the_terminal(
    server: ScriptedServer, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond_triton = does_not_compile
    assert main(["--server", server.target, "score", "triton_cumsum", str(file)]) == 1
    out = capsys.readouterr().out
    assert "what is wrong\n    solution.py:3:11: error\n        y = tl.lod(x)\n" in out
    assert "\x1b" not in out
    assert "build error: It does not compile.\nno score\n" in out
    assert "median" not in out


def test_json_is_one_document(server: ScriptedServer, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--server", server.target, "score", "triton_cumsum", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["timing"] == {
        "median_ms": 0.5,
        "lower_ms": 0.49,
        "upper_ms": 0.52,
        "trial_count": 31,
        "element_count": 65521,
    }
    assert document["compile_time_s"] == 0.25
    server.respond_triton = does_not_compile
    assert main(["--server", server.target, "score", "triton_cumsum", str(file), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["timing"], document["compile_time_s"], document["score"]) == (None, None, None)


def test_a_file_that_cannot_be_read_ends_with_2(
    server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--server", server.target, "score", "triton_cumsum", str(tmp_path / "missing.py")]) == 2
    assert "missing.py cannot be read" in capsys.readouterr().err
    assert not server.metadata
