"""Every RPC by every kind of caller: who is let in, who has to bring a token, who reaches what of others."""

import asyncio
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import grpc
import pytest
import scorer.v1
from access_calls import bearer
from access_stage import RUST, Stage, set_up
from artifact_calls import CONTENT, parts, reference
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from scorer.v1 import (
    artifact_pb2,
    attempt_pb2,
    environment_pb2,
    fix_embedding_pb2,
    job_pb2,
    operator_pb2,
    restricted_mlm_pb2,
    result_pb2,
    triton_cumsum_pb2,
)
from scripted_environment import request
from scripted_service import Service

from scorer_service.api.access import table
from scorer_service.api.access.table import AUTHORISATION
from scorer_service.store.tokens import TokenFile

P = "/scorer.v1."
CALLERS = ("nobody", "stranger", "agent", "other_agent", "evaluator", "other_evaluator", "operator")

# A letter for each caller, in the order of CALLERS: + let in, U unauthenticated, P permission denied, N not
# found, M asked to send the content. Requests name what belongs to the attempt of `agent`, which `evaluator`
# created.
EXPECTED = {
    "/grpc.health.v1.Health/Check": "+++++++",
    "/grpc.health.v1.Health/List": "+++++++",
    "/grpc.health.v1.Health/Watch": "+++++++",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": "UU+++++",
    f"{P}EnvironmentService/ListEnvironments": "UU+++++",
    f"{P}EnvironmentService/GetStarter": "UU+++++",
    f"{P}ScoringService/ScoreTritonCumsum": "UU+P+PP",
    f"{P}ScoringService/ScoreRustCodecontests": "UU+P+PP",
    f"{P}ScoringService/ScoreRestrictedMlm": "UU+P+PP",
    f"{P}ScoringService/ScoreFixEmbedding": "UU+P+PP",
    f"{P}JobService/GetJob": "UU+N+N+",
    f"{P}JobService/WatchJob": "UU+N+N+",
    f"{P}JobService/CancelJob": "UU+N+N+",
    f"{P}AttemptService/CreateAttempt": "UUPP++P",
    f"{P}AttemptService/GetAttempt": "UU+P+PP",
    f"{P}AttemptService/ListScores": "UU+P+PP",
    f"{P}AttemptService/CloseAttempt": "UUPP+PP",
    f"{P}ArtifactService/FindMissingArtifacts": "UU++++P",
    f"{P}ArtifactService/GetUploadOffset": "UU++++P",
    f"{P}ArtifactService/UploadArtifact": "UU+M+MP",
    f"{P}ArtifactService/DownloadArtifact": "UU+N+NP",
    f"{P}OperatorService/GetStatus": "UUPPPP+",
    f"{P}OperatorService/Drain": "UUPPPP+",
    f"{P}OperatorService/Resume": "UUPPPP+",
    f"{P}OperatorService/QuarantineDevice": "UUPPPP+",
    f"{P}OperatorService/ReleaseDevice": "UUPPPP+",
    f"{P}OperatorService/ListJobs": "UUPP+++",
}
LETTERS = {
    grpc.StatusCode.OK: "+",
    grpc.StatusCode.UNIMPLEMENTED: "+",  # who is let in is told that the environment is not served
    grpc.StatusCode.UNAUTHENTICATED: "U",
    grpc.StatusCode.PERMISSION_DENIED: "P",
    grpc.StatusCode.NOT_FOUND: "N",
    grpc.StatusCode.INVALID_ARGUMENT: "M",
}


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path)


@pytest.fixture
async def stage(service: Service, tokens: TokenFile) -> Stage:
    return await set_up(service, tokens)


def requests_of(method: str, stage: Stage) -> list[Message] | Message:
    """What names the first agent's own."""
    attempt_id, artifact = stage.attempt_id, reference(CONTENT)
    name = job_pb2.JobName(job_id=stage.job_id)
    health, reflection = (
        health_pb2.HealthCheckRequest(),
        reflection_pb2.ServerReflectionRequest(list_services=""),
    )
    context = result_pb2.RequestContext(attempt_id=attempt_id)
    found: dict[str, list[Message] | Message] = {
        "Check": health,
        "List": health,
        "Watch": health,
        "ServerReflectionInfo": reflection,
        "ListEnvironments": environment_pb2.ListEnvironmentsRequest(),
        "GetStarter": environment_pb2.GetStarterRequest(environment="rust_codecontests"),
        "ScoreTritonCumsum": triton_cumsum_pb2.ScoreTritonCumsumRequest(context=context),
        "ScoreRustCodecontests": request("b", attempt_id=attempt_id),
        "ScoreRestrictedMlm": restricted_mlm_pb2.ScoreRestrictedMlmRequest(context=context),
        "ScoreFixEmbedding": fix_embedding_pb2.ScoreFixEmbeddingRequest(context=context),
        "GetJob": job_pb2.GetJobRequest(name=name),
        "WatchJob": job_pb2.WatchJobRequest(name=name),
        "CancelJob": job_pb2.CancelJobRequest(name=name),
        "CreateAttempt": attempt_pb2.CreateAttemptRequest(environment="rust_codecontests"),
        "GetAttempt": attempt_pb2.GetAttemptRequest(attempt_id=attempt_id),
        "ListScores": attempt_pb2.ListScoresRequest(attempt_id=attempt_id),
        "CloseAttempt": attempt_pb2.CloseAttemptRequest(attempt_id=attempt_id),
        "FindMissingArtifacts": artifact_pb2.FindMissingArtifactsRequest(artifacts=[artifact]),
        "GetUploadOffset": artifact_pb2.GetUploadOffsetRequest(artifact=artifact),
        "UploadArtifact": parts(CONTENT)[:1],
        "DownloadArtifact": artifact_pb2.DownloadArtifactRequest(artifact=artifact),
        "GetStatus": operator_pb2.GetStatusRequest(),
        "Drain": operator_pb2.DrainRequest(),
        "Resume": operator_pb2.ResumeRequest(),
        "QuarantineDevice": operator_pb2.QuarantineDeviceRequest(device="cpu", reason="a test"),
        "ReleaseDevice": operator_pb2.ReleaseDeviceRequest(device="cpu"),
        "ListJobs": operator_pb2.ListJobsRequest(),
    }
    return found[method.rpartition("/")[2]]


def methods_of(*files: Any) -> set[str]:
    return {
        f"/{service.full_name}/{method.name}"
        for file in files
        for service in file.services_by_name.values()
        for method in service.methods
    }


def test_every_rpc_of_the_contract_is_in_the_table_and_in_this_test() -> None:
    modules = [
        module.name for module in pkgutil.iter_modules(scorer.v1.__path__) if module.name.endswith("_pb2")
    ]
    files = [importlib.import_module(f"scorer.v1.{name}").DESCRIPTOR for name in modules]
    contract = methods_of(*files, health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR)
    assert set(AUTHORISATION) == contract
    assert set(EXPECTED) == contract


async def test_every_service_that_a_server_has_is_in_the_table(stage: Stage) -> None:
    def services() -> set[str]:
        token = stage.tokens["operator"]
        with grpc.insecure_channel(stage.service.address) as channel:
            with_token: Any = _WithToken(channel, token)
            return set(ProtoReflectionDescriptorDatabase(with_token).get_services())

    assert {name.split("/")[1] for name in AUTHORISATION} == await asyncio.to_thread(services)


class _WithToken:
    """A channel whose calls bring a token: what reads reflection knows of none."""

    def __init__(self, channel: grpc.Channel, token: str | None) -> None:
        self._channel = channel
        self._metadata = bearer(token)

    def stream_stream(self, *args: Any, **options: Any) -> Any:
        make: Any = self._channel.stream_stream(*args, **options)
        return lambda requests, **more: make(requests, metadata=self._metadata, **more)


@pytest.mark.parametrize("method", sorted(EXPECTED))
async def test_each_caller_reaches_what_its_role_may_and_nothing_of_others(stage: Stage, method: str) -> None:
    answers = [await stage.by(caller, method, requests_of(method, stage)) for caller in CALLERS]
    assert "".join(LETTERS[answer.code] for answer in answers) == EXPECTED[method]
    for answer in answers:
        if answer.code is grpc.StatusCode.UNAUTHENTICATED:
            assert answer.reason in ("TOKEN_MISSING", "TOKEN_REFUSED")
            assert answer.refusal
            assert "scorer token create" in answer.refusal.message
        elif answer.code is grpc.StatusCode.PERMISSION_DENIED:
            assert answer.reason in ("WRONG_ROLE", "OTHER_ATTEMPT")


@pytest.mark.parametrize("method", ["GetJob", "WatchJob", "CancelJob"])
async def test_a_job_of_others_is_told_as_one_that_there_is_not(stage: Stage, method: str) -> None:
    kind = getattr(job_pb2, f"{method}Request")
    for caller in ("other_agent", "other_evaluator"):
        theirs = await stage.by(caller, f"{P}JobService/{method}", requests_of(f"/{method}", stage))
        none = await stage.by(
            caller, f"{P}JobService/{method}", kind(name=job_pb2.JobName(job_id="job-" + "0" * 32))
        )
        assert theirs.refusal
        assert none.refusal
        said = theirs.refusal.message.replace(stage.job_id, "job")
        assert said == none.refusal.message.replace("job-" + "0" * 32, "job")


async def test_an_agent_does_not_learn_which_other_attempts_there_are(stage: Stage) -> None:
    unknown = "attempt-" + "0" * 32
    answers = []
    for attempt_id in (stage.attempt_id, unknown):
        asked = attempt_pb2.GetAttemptRequest(attempt_id=attempt_id)
        answers.append(await stage.by("other_agent", f"{P}AttemptService/GetAttempt", asked))
    assert [answer.reason for answer in answers] == ["OTHER_ATTEMPT", "OTHER_ATTEMPT"]


async def test_what_the_table_lacks_is_refused_even_on_an_open_server(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = f"{P}EnvironmentService/ListEnvironments"
    without = {name: rule for name, rule in AUTHORISATION.items() if name != method}
    monkeypatch.setattr("scorer_service.api.interceptors.access.AUTHORISATION", without)
    for caller in ("operator", "nobody"):
        refused = await stage.by(caller, method, environment_pb2.ListEnvironmentsRequest())
        assert (refused.code, refused.reason) == (grpc.StatusCode.PERMISSION_DENIED, "WRONG_ROLE")
    assert table.AUTHORISATION[method].needs_token


async def test_who_has_no_token_is_told_so_before_its_request_is_judged(stage: Stage) -> None:
    wrong = health_pb2.HealthCheckRequest(service="\n\x7f")  # field 1 again, and cut off
    assert (await stage.by("nobody", RUST, wrong)).reason == "TOKEN_MISSING"
    assert (await stage.by("operator", RUST, wrong)).reason == "WRONG_ROLE"
    assert (await stage.by("agent", RUST, wrong)).reason == "MALFORMED_REQUEST"
