"""A server with tokens, and those who call it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import grpc
from access_calls import Answer, bearer, call
from artifact_calls import CONTENT, parts, reference
from google.protobuf.message import Message
from scorer.v1 import attempt_pb2, rust_codecontests_pb2
from scripted_environment import request
from scripted_service import Service

from scorer_service.store.tokens import Role, TokenFile

P = "/scorer.v1."
RUST = f"{P}ScoringService/ScoreRustCodecontests"


@dataclass
class Stage:
    """Two evaluators, each with an attempt and its agent, and an operator. The first agent has scored."""

    service: Service
    tokens: dict[str, str | None]
    attempt_id: str
    other_attempt_id: str
    evaluator_key: str
    job_id: str

    async def by(
        self, caller: str, method: str, requests: Iterable[Message] | Message, **more: str
    ) -> Answer:
        return await call(self.service.channel, method, requests, bearer(self.tokens[caller], **more))


def new_token(tokens: TokenFile, role: Role, attempt_id: str | None = None) -> str:
    """The text of a new one."""
    return tokens.create(role, attempt_id=attempt_id, label="", lifetime_s=None)[1]


async def create_attempt(service: Service, token: str, **fields: Any) -> attempt_pb2.CreateAttemptResponse:
    """As the evaluator with that token."""
    asked = attempt_pb2.CreateAttemptRequest(environment="rust_codecontests", **fields)
    answer = await call(service.channel, f"{P}AttemptService/CreateAttempt", asked, bearer(token))
    assert answer.code is grpc.StatusCode.OK, answer.refusal
    return attempt_pb2.CreateAttemptResponse.FromString(answer.first)


def submission(marker: str, **context: str) -> rust_codecontests_pb2.ScoreRustCodecontestsRequest:
    """One whose source is the artifact that `agent` has uploaded."""
    message = request(marker, **context)
    message.programs[0].source.artifact.CopyFrom(reference(CONTENT))
    return message


async def set_up(service: Service, tokens: TokenFile) -> Stage:
    """The stage, on a server that asks for these tokens."""
    service.environment.released.set()
    evaluators = [new_token(tokens, Role.EVALUATOR) for _ in range(2)]
    made, other = [await create_attempt(service, token) for token in evaluators]
    staged = Stage(
        service,
        {
            "nobody": None,
            "stranger": evaluators[0][:-1] + ("A" if evaluators[0][-1] != "A" else "B"),
            "agent": made.agent_token,
            "other_agent": other.agent_token,
            "evaluator": evaluators[0],
            "other_evaluator": evaluators[1],
            "operator": new_token(tokens, Role.OPERATOR),
        },
        made.attempt.attempt_id,
        other.attempt.attempt_id,
        made.evaluator_key,
        "",
    )
    uploaded = await staged.by("agent", f"{P}ArtifactService/UploadArtifact", parts(CONTENT))
    assert uploaded.code is grpc.StatusCode.OK
    scored = await staged.by("agent", RUST, submission("a", attempt_id=staged.attempt_id))
    answer = rust_codecontests_pb2.ScoreRustCodecontestsResponse.FromString(scored.first)
    staged.job_id = answer.result.job_id
    assert staged.job_id
    return staged
