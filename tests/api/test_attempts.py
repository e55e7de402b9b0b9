"""AttemptService: the score log, what the evaluator's key opens, and what a hidden policy keeps."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused, rest
from rich_status import Rich
from scorer.v1 import attempt_pb2, attempt_pb2_grpc, job_pb2, job_pb2_grpc, result_pb2, scoring_pb2_grpc
from scorer.v1 import rust_codecontests_pb2 as messages
from scripted_environment import request
from scripted_service import Service

from scorer_service.environments.interface import JudgingFailed, Verdict

HIDDEN = attempt_pb2.SCORE_POLICY_HIDDEN
VISIBLE = attempt_pb2.SCORE_POLICY_VISIBLE


@dataclass
class Try:
    """One attempt, seen by its agent and by its evaluator."""

    service: Service
    attempt_id: str
    key: str

    def stub(self) -> Any:
        return attempt_pb2_grpc.AttemptServiceStub(self.service.channel)

    def as_evaluator(self) -> dict[str, Any]:
        return {"metadata": (("authorization", f"Bearer {self.key}"),)}

    async def score(self, marker: str) -> messages.ScoreRustCodecontestsResponse:
        submission = request(marker, attempt_id=self.attempt_id)
        stub: Any = scoring_pb2_grpc.ScoringServiceStub(self.service.channel)
        response: messages.ScoreRustCodecontestsResponse = await stub.ScoreRustCodecontests(submission)
        return response

    async def get(self, **how: Any) -> attempt_pb2.Attempt:
        asked = attempt_pb2.GetAttemptRequest(attempt_id=self.attempt_id)
        response: attempt_pb2.GetAttemptResponse = await self.stub().GetAttempt(asked, **how)
        return response.attempt

    async def log(self, *, size: int = 0, token: str = "", **how: Any) -> attempt_pb2.ListScoresResponse:
        asked = attempt_pb2.ListScoresRequest(attempt_id=self.attempt_id, page_size=size, page_token=token)
        response: attempt_pb2.ListScoresResponse = await self.stub().ListScores(asked, **how)
        return response

    async def close(self, **how: Any) -> attempt_pb2.Attempt:
        asked = attempt_pb2.CloseAttemptRequest(attempt_id=self.attempt_id)
        response: attempt_pb2.CloseAttemptResponse = await self.stub().CloseAttempt(asked, **how)
        return response.attempt


async def create(service: Service, **fields: Any) -> attempt_pb2.CreateAttemptResponse:
    stub: Any = attempt_pb2_grpc.AttemptServiceStub(service.channel)
    asked = attempt_pb2.CreateAttemptRequest(**{"environment": "rust_codecontests", **fields})
    response: attempt_pb2.CreateAttemptResponse = await stub.CreateAttempt(asked)
    return response


async def begin(service: Service, **fields: Any) -> Try:
    made = await create(service, **fields)
    return Try(service, made.attempt.attempt_id, made.evaluator_key)


async def test_an_attempt_begins_open_visible_and_without_a_score(service: Service) -> None:
    made = await create(service, label="run 7")
    assert made.attempt.attempt_id
    assert len(made.evaluator_key) >= 32
    assert (made.attempt.environment, made.attempt.policy) == ("rust_codecontests", VISIBLE)
    assert (made.attempt.score_count, made.attempt.pending_count) == (0, 0)
    assert made.attempt.HasField("created_at")
    assert not made.attempt.HasField("closed_at")
    assert not made.attempt.HasField("final_score")


async def test_each_attempt_has_a_key_of_its_own(service: Service) -> None:
    first, second = await begin(service), await begin(service)
    assert first.key != second.key
    found = await refused(first.get(**second.as_evaluator()))
    assert found.reason == "WRONG_EVALUATOR_KEY"


async def test_the_label_is_shown_to_the_evaluator_only(service: Service) -> None:
    attempt = await begin(service, label="run 7")
    assert (await attempt.get()).label == ""
    assert (await attempt.get(**attempt.as_evaluator())).label == "run 7"


@pytest.mark.parametrize("method", ["get", "log", "close"])
@pytest.mark.parametrize("key", ["wrong", ""])
async def test_a_wrong_key_opens_nothing(service: Service, method: str, key: str) -> None:
    attempt = await begin(service)
    metadata = (("authorization", f"Bearer {key}"),)
    found = await refused(getattr(attempt, method)(metadata=metadata))
    assert (found.code, found.reason) == (grpc.StatusCode.PERMISSION_DENIED, "WRONG_EVALUATOR_KEY")
    assert attempt.key not in found.message


async def test_the_scheme_is_known_in_any_case(service: Service) -> None:
    attempt = await begin(service, label="run 7")
    found = await attempt.get(metadata=(("authorization", f"bearer {attempt.key}"),))
    assert found.label == "run 7"


async def test_another_scheme_is_no_key(service: Service) -> None:
    attempt = await begin(service, label="run 7")
    assert (await attempt.get(metadata=(("authorization", f"Basic {attempt.key}"),))).label == ""


async def test_closing_needs_the_key(service: Service) -> None:
    attempt = await begin(service)
    found = await refused(attempt.close())
    assert (found.code, found.reason) == (grpc.StatusCode.PERMISSION_DENIED, "WRONG_EVALUATOR_KEY")
    assert "authorization" in found.message
    assert not (await attempt.get()).HasField("closed_at")


async def test_a_closed_attempt_judges_what_it_accepted_and_takes_no_more(service: Service) -> None:
    attempt = await begin(service)
    streamed = Streamed(service.channel, request("a", attempt_id=attempt.attempt_id))
    await streamed.job_id()
    closed = await attempt.close(**attempt.as_evaluator())
    assert closed.HasField("closed_at")
    assert (closed.pending_count, closed.score_count) == (1, 0)
    found = await refused(attempt.score("b"))
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ATTEMPT_CLOSED")
    service.environment.released.set()
    await streamed.answer()
    again = await attempt.close(**attempt.as_evaluator())
    assert again.closed_at == closed.closed_at
    assert (again.pending_count, again.score_count, again.final_score.raw) == (0, 1, 0.5)


async def test_pending_counts_what_waits_and_what_runs(service: Service) -> None:
    attempt = await begin(service)
    calls = [Streamed(service.channel, request(marker, attempt_id=attempt.attempt_id)) for marker in "abc"]
    ids = [await streamed.job_id() for streamed in calls]
    assert (await attempt.get()).pending_count == 3
    jobs: Any = job_pb2_grpc.JobServiceStub(service.channel)
    await jobs.CancelJob(job_pb2.CancelJobRequest(name=job_pb2.JobName(job_id=ids[2])))
    assert (await attempt.get()).pending_count == 2
    service.environment.released.set()
    await calls[0].answer()
    await calls[1].answer()
    found = await attempt.get()
    assert (found.pending_count, found.score_count) == (0, 2)


async def test_the_log_has_what_was_judged_in_its_order(service: Service) -> None:
    service.environment.released.set()
    service.environment.raw_scores |= {"a": 0.25, "b": 0.75}
    service.environment.verdicts["c"] = Verdict.BUILD_ERROR
    service.environment.failures["d"] = JudgingFailed("lost")
    attempt = await begin(service)
    answers = [await attempt.score(marker) for marker in "abc"]
    await refused(attempt.score("d"))
    entries = (await attempt.log()).entries
    assert [entry.job_id for entry in entries] == [answer.result.job_id for answer in answers]
    assert [entry.verdict for entry in entries] == [
        result_pb2.VERDICT_SCORED,
        result_pb2.VERDICT_SCORED,
        result_pb2.VERDICT_BUILD_ERROR,
    ]
    assert [entry.score.raw for entry in entries[:2]] == [0.25, 0.75]
    assert entries[1].score.normalized == 1.5
    assert not entries[2].HasField("score")
    assert all(entry.summary for entry in entries)
    times = [entry.since_start.ToNanoseconds() for entry in entries]
    assert 0 <= times[0] <= times[1] <= times[2]


async def test_the_final_score_is_the_best_one_for_everybody_who_may_see_scores(service: Service) -> None:
    service.environment.released.set()
    service.environment.raw_scores |= {"a": 0.25, "b": 0.75, "c": 0.5}
    attempt = await begin(service)
    for marker in "abc":
        await attempt.score(marker)
    for how in ({}, attempt.as_evaluator()):
        final = (await attempt.get(**how)).final_score
        assert (final.raw, final.normalized) == (0.75, 1.5)


async def test_without_a_valid_scoring_there_is_no_final_score(service: Service) -> None:
    service.environment.released.set()
    service.environment.verdicts |= {"a": Verdict.RULE_BROKEN, "b": Verdict.LIMIT_OR_CRASH}
    attempt = await begin(service)
    for marker in "ab":
        answer = await attempt.score(marker)
        assert not answer.result.HasField("score")
    found = await attempt.get(**attempt.as_evaluator())
    assert found.score_count == 2
    assert not found.HasField("final_score")


async def test_the_agent_of_a_hidden_attempt_learns_that_it_was_logged_and_nothing_else(
    service: Service,
) -> None:
    service.environment.released.set()
    service.environment.verdicts["b"] = Verdict.INCORRECT
    attempt = await begin(service, policy=HIDDEN)
    answers = [await attempt.score(marker) for marker in "ab"]
    for answer in answers:
        assert answer.result.verdict == result_pb2.VERDICT_HIDDEN
        common = [field.name for field, _ in answer.result.ListFields()]
        assert set(common) <= {
            *("job_id", "verdict", "summary", "accepted_at", "finished_at", "queued", "profile")
        }
        assert [field.name for field, _ in answer.ListFields()] == ["result"]
    assert answers[0].result.summary == answers[1].result.summary
    entries = (await attempt.log()).entries
    assert len(entries) == 2
    for entry in entries:
        assert entry.verdict == result_pb2.VERDICT_HIDDEN
        assert {field.name for field, _ in entry.ListFields()} == {"job_id", "since_start", "verdict"}
    found = await attempt.get()
    assert found.score_count == 2
    assert not found.HasField("final_score")


async def test_a_hidden_result_stays_hidden_when_it_is_asked_for_again(service: Service) -> None:
    service.environment.released.set()
    attempt = await begin(service, policy=HIDDEN)
    submission = request("a", request_id=str(uuid.uuid4()), attempt_id=attempt.attempt_id)
    answers = [await Streamed(service.channel, submission).answer() for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[1].result.verdict == result_pb2.VERDICT_HIDDEN


async def test_a_job_of_a_hidden_attempt_shows_no_result_to_its_watchers(service: Service) -> None:
    service.environment.released.set()
    attempt = await begin(service, policy=HIDDEN)
    job_id = (await attempt.score("a")).result.job_id
    jobs: Any = job_pb2_grpc.JobServiceStub(service.channel)
    watching = jobs.WatchJob(job_pb2.WatchJobRequest(name=job_pb2.JobName(job_id=job_id)))
    seen = await rest(watching)
    assert b"solved" not in b"".join(message.SerializeToString() for message in seen)


@pytest.mark.parametrize("policy", [HIDDEN, VISIBLE])
async def test_the_evaluator_sees_everything(service: Service, policy: Any) -> None:
    service.environment.released.set()
    attempt = await begin(service, policy=policy)
    await attempt.score("a")
    (entry,) = (await attempt.log(**attempt.as_evaluator())).entries
    assert (entry.verdict, entry.score.raw) == (result_pb2.VERDICT_SCORED, 0.5)
    assert json.loads(entry.evaluator_details_json) == {"secret": "test 7 failed"}
    assert (await attempt.get(**attempt.as_evaluator())).final_score.raw == 0.5


async def test_details_are_not_for_the_agent_of_a_visible_attempt(service: Service) -> None:
    service.environment.released.set()
    attempt = await begin(service)
    await attempt.score("a")
    assert b"test 7" not in (await attempt.log()).SerializeToString()


async def test_pages_follow_each_other_and_the_last_token_asks_for_what_came_since(service: Service) -> None:
    service.environment.released.set()
    attempt, other = await begin(service), await begin(service)
    expected = []
    for marker in "abcde":
        expected.append((await attempt.score(marker)).result.job_id)
        await other.score(marker)
    seen: list[str] = []
    token = ""
    while (page := await attempt.log(size=2, token=token)).entries:
        assert len(page.entries) <= 2
        seen += [entry.job_id for entry in page.entries]
        token = page.next_page_token
    assert page.next_page_token == ""
    assert seen == expected
    later = (await attempt.score("f")).result.job_id
    assert [entry.job_id for entry in (await attempt.log(token=token)).entries] == [later]


@pytest.mark.parametrize("size", [-1, 501, 2**31 - 1])
async def test_a_page_size_out_of_range_is_refused(service: Service, size: int) -> None:
    attempt = await begin(service)
    found = await refused(attempt.log(size=size))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["page_size"])
    assert "500" in found.message


@pytest.mark.parametrize("token", ["x", "-1", " 1", "1.5", "1" * 19, "\u0661", "\u00b2", "1\n"])
async def test_a_token_that_no_page_had_is_refused(service: Service, token: str) -> None:
    attempt = await begin(service)
    found = await refused(attempt.log(token=token))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["page_token"])


@pytest.mark.parametrize("size", [1, 500])
async def test_page_sizes_at_their_edges_are_taken(service: Service, size: int) -> None:
    assert not (await (await begin(service)).log(size=size)).entries


async def test_a_label_may_have_200_characters(service: Service) -> None:
    attempt = await begin(service, label="ä" * 200)
    assert (await attempt.get(**attempt.as_evaluator())).label == "ä" * 200
    found = await refused(begin(service, label="ä" * 201))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["label"])
    assert "201" in found.message


@pytest.mark.parametrize("policy", [3, -1, 2**31 - 1])
async def test_an_unknown_policy_is_refused(service: Service, policy: int) -> None:
    found = await refused(begin(service, policy=policy))
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["policy"])


@pytest.mark.parametrize(
    ("environment", "code", "reason"),
    [
        ("rust", grpc.StatusCode.NOT_FOUND, "ENVIRONMENT_NOT_FOUND"),
        ("", grpc.StatusCode.NOT_FOUND, "ENVIRONMENT_NOT_FOUND"),
        ("triton_cumsum", grpc.StatusCode.UNIMPLEMENTED, "ENVIRONMENT_NOT_SERVED"),
    ],
)
async def test_an_attempt_needs_a_served_environment(
    service: Service, environment: str, code: grpc.StatusCode, reason: str
) -> None:
    found = await refused(begin(service, environment=environment))
    assert (found.code, found.reason) == (code, reason)
    assert "rust_codecontests" in found.message


@pytest.mark.parametrize("method", ["get", "log", "close", "score"])
async def test_an_unknown_attempt_is_not_found(service: Service, method: str) -> None:
    found = await missing(service, method, "attempt-0")
    assert (found.code, found.reason) == (grpc.StatusCode.NOT_FOUND, "ATTEMPT_NOT_FOUND")


@pytest.mark.parametrize("method", ["get", "log", "close"])
async def test_a_call_must_name_an_attempt(service: Service, method: str) -> None:
    found = await missing(service, method, "")
    assert (found.code, list(found.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, ["attempt_id"])


async def missing(service: Service, method: str, attempt_id: str) -> Rich:
    call = getattr(Try(service, attempt_id, "key"), method)
    return await refused(call("a") if method == "score" else call())
