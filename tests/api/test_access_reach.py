"""What each role sees of an attempt, its jobs and its artifacts, and what it cannot get at in any way."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import grpc
import pytest
from access_calls import Answer, bearer, call
from access_stage import RUST, P, Stage, create_attempt, new_token, set_up, submission
from artifact_calls import CHUNK_BYTES, CONTENT, parts, reference
from calls import until
from scorer.v1 import artifact_pb2, attempt_pb2, job_pb2, result_pb2
from scorer.v1.rust_codecontests_pb2 import ScoreRustCodecontestsResponse
from scripted_environment import request
from scripted_service import Service

from scorer_service.store.tokens import Role, TokenFile

HIDDEN = attempt_pb2.SCORE_POLICY_HIDDEN
SECRET = "test 7 failed"  # what the scripted environment tells evaluators alone


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path)


@pytest.fixture
async def stage(service: Service, tokens: TokenFile) -> Stage:
    return await set_up(service, tokens)


async def score(stage: Stage, caller: str, *arguments: Any, **context: str) -> ScoreRustCodecontestsResponse:
    answer = await stage.by(caller, RUST, request(*arguments, **context))
    assert answer.code is grpc.StatusCode.OK, answer.refusal
    return ScoreRustCodecontestsResponse.FromString(answer.first)


async def log_of(stage: Stage, caller: str, attempt_id: str, **more: str) -> list[attempt_pb2.ScoreLogEntry]:
    asked = attempt_pb2.ListScoresRequest(attempt_id=attempt_id)
    answer = await stage.by(caller, f"{P}AttemptService/ListScores", asked, **more)
    assert answer.code is grpc.StatusCode.OK, answer.refusal
    return list(attempt_pb2.ListScoresResponse.FromString(answer.first).entries)


async def attempt_of(stage: Stage, caller: str, attempt_id: str, **more: str) -> attempt_pb2.Attempt:
    asked = attempt_pb2.GetAttemptRequest(attempt_id=attempt_id)
    answer = await stage.by(caller, f"{P}AttemptService/GetAttempt", asked, **more)
    assert answer.code is grpc.StatusCode.OK, answer.refusal
    return attempt_pb2.GetAttemptResponse.FromString(answer.first).attempt


async def job(stage: Stage, caller: str, **name: str) -> Answer:
    asked = job_pb2.GetJobRequest(name=job_pb2.JobName(**name))
    return await stage.by(caller, f"{P}JobService/GetJob", asked)


async def test_an_agent_that_names_no_attempt_scores_in_its_own(stage: Stage) -> None:
    answer = await score(stage, "agent", "b")
    entries = await log_of(stage, "agent", stage.attempt_id)
    assert [entry.job_id for entry in entries] == [stage.job_id, answer.result.job_id]


async def test_an_agent_of_a_hidden_attempt_never_sees_a_result(stage: Stage) -> None:
    made = await create_attempt(stage.service, stage.tokens["evaluator"] or "", policy=HIDDEN, label="run 7")
    stage.tokens["agent"] = made.agent_token
    attempt_id = made.attempt.attempt_id
    for context in ({}, {"attempt_id": attempt_id}):
        answer = await score(stage, "agent", "b", **context)
        assert answer.result.verdict == result_pb2.VERDICT_HIDDEN
        assert not answer.result.HasField("score")
        assert not answer.problems
    for more in ({}, {"scorer_evaluator_key": made.evaluator_key}):
        entries = await log_of(stage, "agent", attempt_id, **more)
        assert {entry.verdict for entry in entries} == {result_pb2.VERDICT_HIDDEN}
        seen = await attempt_of(stage, "agent", attempt_id, **more)
        assert (seen.score_count, seen.label, seen.HasField("final_score")) == (2, "", False)
    entries = await log_of(stage, "evaluator", attempt_id)
    assert [entry.score.raw for entry in entries] == [0.5, 0.5]
    assert (await attempt_of(stage, "evaluator", attempt_id)).label == "run 7"


async def test_details_are_for_the_evaluator_and_never_for_an_agent(stage: Stage) -> None:
    (seen,) = await log_of(stage, "evaluator", stage.attempt_id)
    assert SECRET in seen.evaluator_details_json
    for more in ({}, {"scorer_evaluator_key": stage.evaluator_key}):
        (seen,) = await log_of(stage, "agent", stage.attempt_id, **more)
        assert seen.verdict == result_pb2.VERDICT_SCORED
        assert not seen.evaluator_details_json


async def test_the_key_makes_another_evaluator_the_attempts_own(stage: Stage) -> None:
    key = {"scorer_evaluator_key": stage.evaluator_key}
    (seen,) = await log_of(stage, "other_evaluator", stage.attempt_id, **key)
    assert SECRET in seen.evaluator_details_json
    asked = job_pb2.GetJobRequest(name=job_pb2.JobName(job_id=stage.job_id))
    assert (await stage.by("other_evaluator", f"{P}JobService/GetJob", asked, **key)).first
    download = artifact_pb2.DownloadArtifactRequest(artifact=reference(CONTENT))
    assert (await stage.by("other_evaluator", f"{P}ArtifactService/DownloadArtifact", download, **key)).first
    wrong = await stage.by(
        "other_evaluator",
        f"{P}AttemptService/GetAttempt",
        attempt_pb2.GetAttemptRequest(attempt_id=stage.attempt_id),
        scorer_evaluator_key="wrong",
    )
    assert (wrong.code, wrong.reason) == (grpc.StatusCode.PERMISSION_DENIED, "WRONG_EVALUATOR_KEY")


async def test_the_key_alone_lets_nobody_in_where_tokens_are_asked_for(stage: Stage) -> None:
    asked = attempt_pb2.GetAttemptRequest(attempt_id=stage.attempt_id)
    for metadata in (
        bearer(stage.evaluator_key),
        bearer(None, scorer_evaluator_key=stage.evaluator_key),
    ):
        answer = await call(stage.service.channel, f"{P}AttemptService/GetAttempt", asked, metadata)
        assert answer.code is grpc.StatusCode.UNAUTHENTICATED


async def test_a_job_without_an_attempt_is_its_evaluators_and_the_operators(stage: Stage) -> None:
    request_id = str(uuid.uuid4())
    answer = await score(stage, "evaluator", "b", request_id=request_id)
    for name in ({"job_id": answer.result.job_id}, {"request_id": request_id}):
        assert (await job(stage, "evaluator", **name)).code is grpc.StatusCode.OK
        assert (await job(stage, "operator", **name)).code is grpc.StatusCode.OK
        for caller in ("agent", "other_agent", "other_evaluator"):
            assert (await job(stage, caller, **name)).reason == "JOB_NOT_FOUND"


async def test_a_request_id_of_others_leads_to_nothing_of_theirs(stage: Stage) -> None:
    request_id = str(uuid.uuid4())
    await score(stage, "agent", "b", request_id=request_id)
    assert (await job(stage, "other_agent", request_id=request_id)).reason == "JOB_NOT_FOUND"
    again = await stage.by("other_agent", RUST, request("b", request_id=request_id))
    assert again.reason == "REQUEST_ID_REUSED"
    named = request("b", request_id=request_id, attempt_id=stage.attempt_id)
    assert (await stage.by("other_agent", RUST, named)).reason == "OTHER_ATTEMPT"


async def test_only_its_submitter_re_attaches_to_a_job_without_an_attempt(stage: Stage) -> None:
    request_id = str(uuid.uuid4())
    first = await score(stage, "evaluator", "b", request_id=request_id)
    assert await score(stage, "evaluator", "b", request_id=request_id) == first
    theirs = await stage.by("other_evaluator", RUST, request("b", request_id=request_id))
    assert theirs.reason == "REQUEST_ID_REUSED"


async def test_an_operator_cancels_a_job_that_waits(stage: Stage) -> None:
    stage.service.environment.released.clear()
    request_id = str(uuid.uuid4())
    scoring = asyncio.ensure_future(stage.by("agent", RUST, request("b", request_id=request_id)))
    await until(lambda: "b" in stage.service.environment.begun)
    name = job_pb2.JobName(request_id=request_id)
    refused = await stage.by("other_agent", f"{P}JobService/CancelJob", job_pb2.CancelJobRequest(name=name))
    assert refused.reason == "JOB_NOT_FOUND"
    assert not stage.service.environment.killed
    await stage.by("operator", f"{P}JobService/CancelJob", job_pb2.CancelJobRequest(name=name))
    assert (await scoring).reason == "JOB_CANCELLED"


# Artifacts: to know a digest is not to have the content.


async def missing(stage: Stage, caller: str) -> bool:
    asked = artifact_pb2.FindMissingArtifactsRequest(artifacts=[reference(CONTENT)])
    answer = await stage.by(caller, f"{P}ArtifactService/FindMissingArtifacts", asked)
    return bool(artifact_pb2.FindMissingArtifactsResponse.FromString(answer.first).missing)


async def offset_bytes(stage: Stage, caller: str, content: bytes = CONTENT) -> int:
    asked = artifact_pb2.GetUploadOffsetRequest(artifact=reference(content))
    answer = await stage.by(caller, f"{P}ArtifactService/GetUploadOffset", asked)
    return artifact_pb2.GetUploadOffsetResponse.FromString(answer.first).offset_bytes


async def download(stage: Stage, caller: str) -> Answer:
    asked = artifact_pb2.DownloadArtifactRequest(artifact=reference(CONTENT))
    return await stage.by(caller, f"{P}ArtifactService/DownloadArtifact", asked)


FIRST_PIECE = artifact_pb2.DownloadArtifactResponse(chunk=CONTENT[:CHUNK_BYTES]).SerializeToString()


async def upload(stage: Stage, caller: str, messages: Any) -> Answer:
    return await stage.by(caller, f"{P}ArtifactService/UploadArtifact", messages)


@pytest.mark.parametrize("caller", ["other_agent", "other_evaluator"])
async def test_a_digest_of_others_cannot_be_submitted_read_or_claimed(stage: Stage, caller: str) -> None:
    refused = await stage.by(caller, RUST, submission("b"))
    assert refused.refusal
    assert list(refused.refusal.fields) == ["programs[0].source.artifact"]
    assert await missing(stage, caller)
    claimed = await upload(stage, caller, parts(CONTENT)[:1])
    assert claimed.code is grpc.StatusCode.INVALID_ARGUMENT
    skipped = await upload(stage, caller, [*parts(CONTENT, len(CONTENT))])
    assert skipped.code is grpc.StatusCode.INVALID_ARGUMENT
    assert (await download(stage, caller)).reason == "ARTIFACT_NOT_FOUND"
    assert await offset_bytes(stage, caller) == 0


@pytest.mark.parametrize("caller", ["other_agent", "other_evaluator"])
async def test_who_sends_the_content_too_has_it_too(stage: Stage, caller: str) -> None:
    assert (await upload(stage, caller, parts(CONTENT))).code is grpc.StatusCode.OK
    assert not await missing(stage, caller)
    assert (await download(stage, caller)).first == FIRST_PIECE
    assert await offset_bytes(stage, caller) == len(CONTENT)
    assert (await stage.by(caller, RUST, submission("b"))).code is grpc.StatusCode.OK
    assert (await download(stage, "agent")).first == FIRST_PIECE


async def test_an_upload_of_others_is_not_gone_on_with(stage: Stage) -> None:
    content = CONTENT[::-1]
    broken = parts(content)[:2]
    await upload(stage, "agent", broken)
    assert await offset_bytes(stage, "agent", content) == CHUNK_BYTES
    assert await offset_bytes(stage, "other_agent", content) == 0
    stolen = await upload(stage, "other_agent", parts(content, CHUNK_BYTES))
    assert stolen.code is grpc.StatusCode.INVALID_ARGUMENT
    assert (await upload(stage, "agent", parts(content, CHUNK_BYTES))).code is grpc.StatusCode.OK


async def test_an_evaluator_reads_what_the_agents_of_its_attempts_uploaded(stage: Stage) -> None:
    assert not await missing(stage, "evaluator")
    assert (await download(stage, "evaluator")).first == FIRST_PIECE
    assert (await stage.by("evaluator", RUST, submission("b"))).code is grpc.StatusCode.OK


async def test_an_agent_does_not_read_what_its_evaluator_uploaded(stage: Stage) -> None:
    content = b"notes of an evaluator"
    assert (await upload(stage, "evaluator", parts(content))).code is grpc.StatusCode.OK
    asked = artifact_pb2.DownloadArtifactRequest(artifact=reference(content))
    answer = await stage.by("agent", f"{P}ArtifactService/DownloadArtifact", asked)
    assert answer.reason == "ARTIFACT_NOT_FOUND"


async def test_all_tokens_of_an_attempt_are_one_agent(stage: Stage, tokens: TokenFile) -> None:
    stage.tokens["second"] = new_token(tokens, Role.AGENT, stage.attempt_id)
    assert (await job(stage, "second", job_id=stage.job_id)).code is grpc.StatusCode.OK
    assert (await download(stage, "second")).code is grpc.StatusCode.OK
    assert (await log_of(stage, "second", stage.attempt_id))[0].job_id == stage.job_id
