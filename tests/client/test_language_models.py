"""Scoring restricted_mlm and fix_embedding through both clients and from the command line."""

import _thread
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from scorer.v1 import result_pb2
from scorer_client import (
    InvalidRequest,
    LossEstimate,
    NotServed,
    RefusedOperator,
    RefusedTensor,
    Score,
    UploadStage,
    Verdict,
)
from scorer_client.main import main

from tests.client.conftest import Colour
from tests.client.scripted_answers import (
    EmbeddingRequest,
    EmbeddingResponse,
    MlmRequest,
    MlmResponse,
    refuse,
)
from tests.client.scripted_server import ScriptedServer

MODEL = "def get_model():\n    return Model()\n"
SCRIPT = "train()\n"
WEIGHTS = (10).to_bytes(8, "little") + b'{"a":null}' + b"\0" * 5000
REQUEST_ID = "6d8f6c1e-4f3b-4a43-9f57-0b9a3a0e9d11"


@pytest.fixture
def server(server: ScriptedServer) -> ScriptedServer:
    server.model_environments = ("fix_embedding", "restricted_mlm")
    return server


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with what either environment takes."""
    (tmp_path / "model.py").write_bytes(MODEL.replace("\n", "\r\n").encode())
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "w.safetensors").write_bytes(WEIGHTS)
    (tmp_path / "w.pth").write_bytes(b"PK\x03\x04\x00\x00\x08\x08\x00\x00")
    (tmp_path / "old.pth").write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P")
    return tmp_path


def refused_model(request: MlmRequest, job_id: str) -> MlmResponse:
    response = MlmResponse()
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_RULE_BROKEN
    response.result.summary = "3 operators are refused."
    response.refused_operators.add(
        operator="aten.softmax.int", file="model.py", line=31, reason="is built from exponentials"
    )
    response.refused_operators.add(
        operator="aten.div.Tensor", file="model.py", line=7, reason="divides\x1b[2J"
    )
    response.refused_operators.add(operator="aten.gelu.default", reason="is not relu")
    return response


def refused_tensors(request: EmbeddingRequest, job_id: str) -> EmbeddingResponse:
    response = EmbeddingResponse(diagnostics="loss 3.1\n")
    response.result.job_id = job_id
    response.result.verdict = result_pb2.VERDICT_RULE_BROKEN
    response.result.summary = "2 tensors are refused."
    response.refused_tensors.add(name="token_embedding.weight", reason="shape [7, 128], not [4096, 128]")
    response.refused_tensors.add(name="extra", reason="unknown")
    return response


def test_a_model_is_scored_with_its_weights(server: ScriptedServer, colour: Colour, files: Path) -> None:
    result = colour.call(
        server,
        "score_restricted_mlm",
        files / "model.py",
        weights=files / "w.safetensors",
        attempt_id="attempt-1",
        request_id=REQUEST_ID,
    )
    assert (result.verdict, result.score) == (Verdict.SCORED, Score(0.9162907318741551, 0.5))
    assert result.loss == LossEstimate(4.0, 0.0071, 123456)
    assert (result.training_time, result.judging_time) == (None, timedelta(seconds=12.5))
    assert (result.refused_operators, result.diagnostics, result.request_id) == ((), "", REQUEST_ID)
    (request,) = server.mlm_requests
    assert request.model.inline == MODEL.replace("\n", "\r\n")
    assert server.artifacts == {request.weights.sha256: WEIGHTS}
    assert request.weights.size_bytes == len(WEIGHTS)
    assert request.WhichOneof("weights_source") == "weights"
    assert (request.context.attempt_id, request.context.request_id) == ("attempt-1", REQUEST_ID)


def test_a_model_is_scored_with_a_training_script(
    server: ScriptedServer, colour: Colour, files: Path
) -> None:
    result = colour.call(server, "score_restricted_mlm", MODEL, training_script=files / "script.py")
    assert result.training_time == timedelta(seconds=600)
    (request,) = server.mlm_requests
    assert request.model.inline == MODEL
    assert request.training_script.inline == SCRIPT
    assert request.WhichOneof("weights_source") == "training_script"


def test_repaired_weights_are_scored(server: ScriptedServer, colour: Colour, files: Path) -> None:
    result = colour.call(server, "score_fix_embedding", weights=str(files / "w.safetensors"))
    assert (result.verdict, result.loss) == (Verdict.SCORED, LossEstimate(4.0, 0.0071, 123456))
    assert (result.repair_time, result.judging_time) == (None, timedelta(seconds=12.5))
    (request,) = server.embedding_requests
    assert server.artifacts == {request.weights.sha256: WEIGHTS}


def test_a_repair_script_is_scored(server: ScriptedServer, colour: Colour) -> None:
    result = colour.call(server, "score_fix_embedding", repair_script=SCRIPT)
    assert result.repair_time == timedelta(seconds=60)
    (request,) = server.embedding_requests
    assert request.repair_script.inline == SCRIPT
    assert request.WhichOneof("weights_source") == "repair_script"


def test_large_sources_are_uploaded_beside_the_weights(server: ScriptedServer, colour: Colour) -> None:
    server.inline_limit_bytes = 10
    colour.call(server, "score_restricted_mlm", MODEL, weights=WEIGHTS)
    (request,) = server.mlm_requests
    assert server.artifacts == {
        request.model.artifact.sha256: MODEL.encode(),
        request.weights.sha256: WEIGHTS,
    }


def test_weights_may_be_uploaded_before(server: ScriptedServer, colour: Colour, files: Path) -> None:
    reference = colour.call(server, "upload", files / "w.safetensors")
    colour.call(server, "score_fix_embedding", weights=reference)
    (request,) = server.embedding_requests
    assert (request.weights.sha256, request.weights.size_bytes) == (reference.sha256, reference.size_bytes)
    assert server.upload_offsets == [0]


def test_the_upload_is_reported_apart_from_the_job(
    server: ScriptedServer, colour: Colour, files: Path
) -> None:
    stages: list[Any] = []
    colour.call(
        server,
        "score_fix_embedding",
        weights=files / "w.safetensors",
        on_progress=lambda job: stages.append(job.state.value),
        on_upload_progress=lambda upload: stages.append(upload.stage),
    )
    assert stages[:2] == [UploadStage.HASHING, UploadStage.SENDING]
    assert stages[-1] == "succeeded"


def test_everything_refused_is_in_the_result(server: ScriptedServer, colour: Colour) -> None:
    server.respond_mlm = refused_model
    result = colour.call(server, "score_restricted_mlm", MODEL, weights=WEIGHTS)
    assert (result.verdict, result.score, result.loss) == (Verdict.RULE_BROKEN, None, None)
    assert result.refused_operators[0] == RefusedOperator(
        "aten.softmax.int", "model.py", 31, "is built from exponentials"
    )
    assert result.refused_operators[2].line is None
    server.respond_embedding = refused_tensors
    result = colour.call(server, "score_fix_embedding", weights=WEIGHTS)
    assert result.refused_tensors == (
        RefusedTensor("token_embedding.weight", "shape [7, 128], not [4096, 128]"),
        RefusedTensor("extra", "unknown"),
    )


@pytest.mark.parametrize(("weights", "script"), [(None, None), (WEIGHTS, SCRIPT)])
def test_exactly_one_source_of_weights_is_taken(
    server: ScriptedServer, colour: Colour, weights: bytes | None, script: str | None
) -> None:
    with pytest.raises(InvalidRequest, match="give weights or training_script, one of the two"):
        colour.call(server, "score_restricted_mlm", MODEL, weights=weights, training_script=script)
    with pytest.raises(InvalidRequest, match="give weights or repair_script, one of the two"):
        colour.call(server, "score_fix_embedding", weights=weights, repair_script=script)
    assert not server.metadata, "nothing was asked of the server"


@pytest.mark.parametrize("name", ["w.pth", "old.pth"])
def test_a_pickled_checkpoint_is_refused_before_it_is_sent(
    server: ScriptedServer, colour: Colour, files: Path, name: str
) -> None:
    with pytest.raises(InvalidRequest, match=rf"{name} is a PyTorch checkpoint.*scorer-client convert"):
        colour.call(server, "score_fix_embedding", weights=files / name)
    assert not server.metadata


def test_a_header_as_long_as_a_magic_number_is_no_checkpoint(
    server: ScriptedServer, colour: Colour, files: Path
) -> None:
    (files / "w.safetensors").write_bytes(b"\x80\x02\0\0\0\0\0\0" + b"{" + b" " * 0x280)
    colour.call(server, "score_fix_embedding", weights=files / "w.safetensors")
    assert len(server.embedding_requests) == 1


def test_an_environment_that_the_server_lacks_is_told_before_the_upload(
    server: ScriptedServer, colour: Colour, files: Path
) -> None:
    server.model_environments = ()
    with pytest.raises(NotServed):
        colour.call(server, "score_fix_embedding", weights=files / "w.safetensors")
    assert server.upload_offsets == []


def run(
    server: ScriptedServer, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    status = main(["--server", server.target, "score", *(str(argument) for argument in arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_line_shows_the_loss(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = files / "w.safetensors"
    status, out, err = run(server, capsys, "restricted_mlm", files / "model.py", "--weights", weights)
    assert status == 0
    assert "loss      4.0000 nats a token, standard error 0.0071\n" in out
    assert "tokens    123,456 judged\n" in out
    assert "judging   12.5 s\n" in out
    assert "training" not in out
    assert "raw 0.916291, normalised 0.5" in out
    assert "hashing w.safetensors 5/5 KiB\nsending w.safetensors 5/5 KiB\n" in err
    status, out, _ = run(
        server,
        capsys,
        *("restricted_mlm", files / "model.py", "--train", files / "script.py"),
        *("--attempt", "attempt-1", "--request-id", REQUEST_ID),
    )
    assert status == 0
    assert "training  600 s\n" in out
    request = server.mlm_requests[-1]
    assert (request.context.attempt_id, request.context.request_id) == ("attempt-1", REQUEST_ID)
    assert request.model.inline == MODEL.replace("\n", "\r\n")
    assert request.training_script.inline == SCRIPT
    assert run(server, capsys, "fix_embedding", files / "w.safetensors")[0] == 0
    status, out, _ = run(server, capsys, "fix_embedding", "--repair", files / "script.py")
    assert status == 0
    assert "repair    60 s\n" in out


def test_the_command_line_lists_every_refused_operator_with_its_line(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond_mlm = refused_model
    status, out, _ = run(
        server, capsys, "restricted_mlm", files / "model.py", "--weights", files / "w.safetensors"
    )
    assert status == 1
    assert out.splitlines()[:4] == [
        "refused at   operator           why",
        "model.py:31  aten.softmax.int   is built from exponentials",
        "model.py:7   aten.div.Tensor    divides\\x1b[2J",
        "(unknown)    aten.gelu.default  is not relu",
    ]
    assert "rule broken: 3 operators are refused.\nno score\n" in out


def test_the_command_line_lists_every_refused_tensor(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond_embedding = refused_tensors
    status, out, _ = run(server, capsys, "fix_embedding", "--repair", files / "script.py")
    assert status == 1
    assert out.startswith("messages\n    loss 3.1\n\nrefused tensor          why\n")
    assert "token_embedding.weight  shape [7, 128], not [4096, 128]\nextra                   unknown\n" in out


def test_json_is_one_document(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond_mlm = refused_model
    arguments = ("restricted_mlm", files / "model.py", "--weights", files / "w.safetensors", "--json")
    status, out, _ = run(server, capsys, *arguments)
    assert status == 1
    document = json.loads(out)
    assert document["refused_operators"][2] == {
        "operator": "aten.gelu.default",
        "file": "",
        "line": None,
        "reason": "is not relu",
    }
    assert (document["loss"], document["training_time_s"], document["judging_time_s"]) == (None, None, None)
    status, out, _ = run(server, capsys, "fix_embedding", files / "w.safetensors", "--json")
    assert status == 0
    document = json.loads(out)
    assert document["loss"] == {"mean_nats": 4.0, "standard_error_nats": 0.0071, "token_count": 123456}
    assert (document["judging_time_s"], document["repair_time_s"]) == (12.5, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("restricted_mlm", "model.py"), "one of the arguments --weights --train is required"),
        (("restricted_mlm", "model.py", "--weights", "w", "--train", "t"), "not allowed with"),
        (("fix_embedding",), "one of the arguments WEIGHTS --repair is required"),
        (("fix_embedding", "w", "--repair", "r"), "not allowed with"),
        (("fix_embedding", "missing.safetensors"), "missing.safetensors cannot be used: No such file"),
        (("fix_embedding", "w.pth"), "scorer-client convert"),
        (("fix_embedding", "."), ". is a folder: give a regular file"),
    ],
)
def test_what_is_given_wrong_ends_with_2(
    server: ScriptedServer,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(files)
    status, out, err = run(server, capsys, *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert not server.metadata


def test_a_server_without_room_is_told_with_the_way_out(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(context: grpc.ServicerContext) -> None:
        refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "9 bytes are free", reason="ARTIFACT_QUOTA")

    server.upload_failures.append(full)
    status, _, err = run(server, capsys, "fix_embedding", files / "w.safetensors")
    assert status == 3
    assert "9 bytes are free; ask the server's operator to raise artifact_quota_mib" in err
    assert "try again later" not in err


def test_an_upload_that_is_interrupted_names_no_job(
    server: ScriptedServer, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.after_chunk = lambda number: _thread.interrupt_main()
    arguments = ("fix_embedding", files / "w.safetensors", "--request-id", REQUEST_ID)
    status, _, err = run(server, capsys, *arguments)
    assert status == 130
    assert f"left; go on by the same command with --request-id {REQUEST_ID}\n" in err
    assert "cancel" not in err
