"""Tokens of a running server: taken up, expired, revoked, renewed, unreadable; and never told to anybody."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from access_calls import Answer, bearer, call
from access_stage import P, create_attempt, new_token
from grpc_health.v1 import health_pb2
from scorer.v1 import attempt_pb2, environment_pb2, environment_pb2_grpc
from scripted_service import Service

from scorer_service.store import tokens as token_store
from scorer_service.store.tokens import Role, TokenFile


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens(tmp_path: Path, clock: Clock) -> TokenFile:
    return TokenFile(tmp_path, clock)


async def list_environments(service: Service, *metadata: tuple[str, Any]) -> Answer:
    asked = environment_pb2.ListEnvironmentsRequest()
    return await call(service.channel, f"{P}EnvironmentService/ListEnvironments", asked, metadata)


async def test_a_new_token_is_taken_up_without_a_restart(service: Service, tmp_path: Path) -> None:
    assert (await list_environments(service)).reason == "TOKEN_MISSING"
    command_line = TokenFile(tmp_path)  # another process has another one
    for role in (Role.OPERATOR, Role.EVALUATOR):
        answer = await list_environments(service, *bearer(new_token(command_line, role)))
        assert answer.code is grpc.StatusCode.OK


async def test_a_revoked_token_lets_in_no_more(service: Service, tokens: TokenFile, tmp_path: Path) -> None:
    token, text = tokens.create(Role.OPERATOR, attempt_id=None, label="", lifetime_s=None)
    other = new_token(tokens, Role.OPERATOR)
    assert (await list_environments(service, *bearer(text))).code is grpc.StatusCode.OK
    TokenFile(tmp_path).revoke(token.token_id)
    answer = await list_environments(service, *bearer(text))
    assert (answer.code, answer.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_REFUSED")
    assert answer.refusal
    assert "revoked" in answer.refusal.message
    assert (await list_environments(service, *bearer(other))).code is grpc.StatusCode.OK


async def test_a_token_expires(service: Service, tokens: TokenFile, clock: Clock) -> None:
    _, text = tokens.create(Role.OPERATOR, attempt_id=None, label="", lifetime_s=60)
    clock.now += 59
    assert (await list_environments(service, *bearer(text))).code is grpc.StatusCode.OK
    clock.now += 1
    answer = await list_environments(service, *bearer(text))
    assert answer.refusal
    assert (answer.code, "expired" in answer.refusal.message) == (grpc.StatusCode.UNAUTHENTICATED, True)


async def test_a_renewed_token_keeps_what_it_owns_and_voids_the_old_secret(
    service: Service, tokens: TokenFile
) -> None:
    token, old = tokens.create(Role.EVALUATOR, attempt_id=None, label="", lifetime_s=60)
    made = await create_attempt(service, old, label="run 7")
    tokens.revoke(token.token_id)
    _, new = tokens.renew(token.token_id, lifetime_s=None)
    assert (await list_environments(service, *bearer(old))).reason == "TOKEN_REFUSED"
    asked = attempt_pb2.GetAttemptRequest(attempt_id=made.attempt.attempt_id)
    answer = await call(service.channel, f"{P}AttemptService/GetAttempt", asked, bearer(new))
    assert attempt_pb2.GetAttemptResponse.FromString(answer.first).attempt.label == "run 7"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1],
        lambda text: text + "A",
        lambda text: text.replace("scorer_", ""),
        lambda text: text.rpartition("_")[0] + "_" + "A" * 43,
        lambda text: "scorer_000000000000_" + text[-43:],
        lambda text: text.upper(),
        lambda text: "",
        lambda text: "x" * 4000,
        lambda text: "scorer_attempt-" + "0" * 32 + "_" + text[-43:],
        lambda text: "scorer_attempt-_",
    ],
)
async def test_what_is_nearly_a_token_is_none(service: Service, tokens: TokenFile, change: Any) -> None:
    text = new_token(tokens, Role.OPERATOR)
    answer = await list_environments(service, *bearer(change(text)))
    assert answer.code is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    "metadata",
    [("authorization", "Basic {}"), ("authorization", "{}"), ("authorization-bin", b"{}"), ("token", "{}")],
)
async def test_a_token_elsewhere_than_behind_bearer_is_none(
    service: Service, tokens: TokenFile, metadata: tuple[str, str | bytes]
) -> None:
    name, form = metadata
    text = new_token(tokens, Role.OPERATOR)
    value = form.format(text) if isinstance(form, str) else form.replace(b"{}", text.encode())
    assert (await list_environments(service, (name, value))).reason == "TOKEN_MISSING"


async def test_the_scheme_is_known_in_any_case(service: Service, tokens: TokenFile) -> None:
    text = new_token(tokens, Role.OPERATOR)
    assert (await list_environments(service, ("authorization", f"bEARER {text}"))).first


async def test_an_attempts_token_is_for_its_attempt_and_none_came_with_an_open_one(
    service: Service, tokens: TokenFile
) -> None:
    made = [await create_attempt(service, new_token(tokens, Role.EVALUATOR)) for _ in range(2)]
    first, second = (one.agent_token for one in made)
    assert (await list_environments(service, *bearer(first))).code is grpc.StatusCode.OK
    mixed = first.rpartition("_")[0] + second[second.index("_", 20) :]
    assert (await list_environments(service, *bearer(mixed))).reason == "TOKEN_REFUSED"


async def test_where_the_tokens_cannot_be_read_nobody_is_let_in_but_health_answers(
    service: Service, tokens: TokenFile, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = new_token(tokens, Role.OPERATOR)
    assert (await list_environments(service, *bearer(text))).code is grpc.StatusCode.OK
    path = tmp_path / token_store.FILE_NAME
    whole = path.read_text()
    for broken in (whole[:-20], "{}", "[]", whole.replace('"version": 1', '"version": 2')):
        path.write_text(broken)
        answer = await list_environments(service, *bearer(text))
        assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "TOKENS_UNREADABLE")
    assert str(path) in caplog.text
    health = await call(service.channel, "/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest())
    assert health.code is grpc.StatusCode.OK
    path.write_text(whole)
    assert (await list_environments(service, *bearer(text))).code is grpc.StatusCode.OK
    path.unlink()
    assert (await list_environments(service, *bearer(text))).reason == "TOKEN_REFUSED"


async def test_no_token_is_ever_logged_or_told_back(
    service: Service, tokens: TokenFile, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text = new_token(tokens, Role.EVALUATOR)
    made = await create_attempt(service, text)
    wrong = text[:-4] + "0000"
    answers = [
        await list_environments(service, *bearer(secret, scorer_evaluator_key=made.evaluator_key))
        for secret in (text, wrong, made.agent_token, made.agent_token[:-4] + "0000")
    ]
    shown = caplog.text + "".join(answer.refusal.message for answer in answers if answer.refusal)
    for secret in (text[-43:-4], made.agent_token[-43:-4], made.evaluator_key):
        assert secret not in shown


class TestAnOpenServer:
    @pytest.fixture
    def tokens(self) -> None:
        return None

    async def test_nobody_is_asked_for_a_token_and_attempts_come_without(self, service: Service) -> None:
        stub: Any = environment_pb2_grpc.EnvironmentServiceStub(service.channel)
        assert (await stub.ListEnvironments(environment_pb2.ListEnvironmentsRequest())).environments
        asked = attempt_pb2.CreateAttemptRequest(environment="rust_codecontests")
        answer = await call(service.channel, f"{P}AttemptService/CreateAttempt", asked)
        assert not attempt_pb2.CreateAttemptResponse.FromString(answer.first).agent_token

    async def test_a_token_that_is_sent_all_the_same_is_no_evaluator_key(
        self, service: Service, tmp_path: Path
    ) -> None:
        asked = attempt_pb2.CreateAttemptRequest(environment="rust_codecontests", label="run 7")
        answer = await call(service.channel, f"{P}AttemptService/CreateAttempt", asked)
        made = attempt_pb2.CreateAttemptResponse.FromString(answer.first)
        token = new_token(TokenFile(tmp_path), Role.EVALUATOR)
        get = attempt_pb2.GetAttemptRequest(attempt_id=made.attempt.attempt_id)
        method = f"{P}AttemptService/GetAttempt"
        seen = await call(service.channel, method, get, bearer(token))
        assert not attempt_pb2.GetAttemptResponse.FromString(seen.first).attempt.label
        seen = await call(
            service.channel, method, get, bearer(token, scorer_evaluator_key=made.evaluator_key)
        )
        assert attempt_pb2.GetAttemptResponse.FromString(seen.first).attempt.label == "run 7"
