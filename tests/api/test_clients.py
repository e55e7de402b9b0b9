"""Who is one client where the server asks for tokens, and what an agent cannot give itself."""

from pathlib import Path

import pytest
from access_calls import bearer, call
from access_stage import RUST, P, Stage, create_attempt, set_up
from scorer.v1 import attempt_pb2
from scripted_environment import request
from scripted_service import Service

from scorer_service.store.limits import QueueLimits
from scorer_service.store.tokens import TokenFile

CREATE = f"{P}AttemptService/CreateAttempt"


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path)


@pytest.fixture
def limits() -> QueueLimits:
    """One scoring for each client, so that who was refused shares a client with who was not."""
    return QueueLimits(scorings_per_hour=1)


@pytest.fixture
async def stage(service: Service, tokens: TokenFile) -> Stage:
    """The first agent has scored; all calls come from one address."""
    return await set_up(service, tokens)


async def scored(stage: Stage, caller: str, attempt_id: str = "") -> str:
    """Why not; empty where it was."""
    return (await stage.by(caller, RUST, request("a", attempt_id=attempt_id))).reason


async def test_agents_are_apart_and_an_attempt_is_one_client_whoever_scores_in_it(stage: Stage) -> None:
    assert await scored(stage, "agent") == "RATE_LIMITED"
    assert await scored(stage, "evaluator", stage.attempt_id) == "RATE_LIMITED"
    assert await scored(stage, "other_agent") == ""
    assert await scored(stage, "other_agent") == "RATE_LIMITED"


async def test_without_an_attempt_a_token_is_the_client(stage: Stage) -> None:
    assert [await scored(stage, "evaluator") for _ in range(2)] == ["", "RATE_LIMITED"]
    assert await scored(stage, "other_evaluator") == ""


async def test_an_agent_gives_itself_neither_priority_nor_another_budget(stage: Stage) -> None:
    asked = attempt_pb2.CreateAttemptRequest(
        environment="rust_codecontests", priority=attempt_pb2.PRIORITY_HIGH, scoring_budget=100
    )
    assert (await stage.by("agent", CREATE, asked)).reason == "WRONG_ROLE"
    assert (await stage.by("operator", CREATE, asked)).reason == "WRONG_ROLE"


async def test_an_agent_sees_what_is_left_of_its_budget(stage: Stage) -> None:
    token = stage.tokens["evaluator"]
    assert token is not None
    made = await create_attempt(stage.service, token, scoring_budget=2)
    agent = bearer(made.agent_token)
    for left in (2, 1):
        shown = await call(
            stage.service.channel,
            f"{P}AttemptService/GetAttempt",
            attempt_pb2.GetAttemptRequest(attempt_id=made.attempt.attempt_id),
            agent,
        )
        assert attempt_pb2.GetAttemptResponse.FromString(shown.first).attempt.remaining_scorings == left
        await call(stage.service.channel, RUST, request("a"), agent)
