"""The checks of a soak find what they are for."""

import dataclasses
from collections.abc import Callable

import pytest

from tests.soak.catalog import Entry
from tests.soak.disturbances import Done
from tests.soak.load import Answer, Call
from tests.soak.stored_jobs import StoredJob
from tests.soak.verification import Evidence, checks

ENTRY = Entry("reference", "fix_embedding", "control", lambda client, options: None, frozenset({"scored"}))
ANSWER = Answer("job-1", "scored", 0.5, 1.0, "Well.", (), "Result(...)")
CALL = Call(ENTRY, "waits", 0.0, "request-1", began_at=1.0, ended_at=9.0, answer=ANSWER)
JOB = StoredJob(
    job_id="job-1",
    environment="fix_embedding",
    request_id="request-1",
    attempt_id="attempt-1",
    state="succeeded",
    delivery_count=2,
    accepted_at=2.0,
    finished_at=8.0,
    failure="",
    verdict="scored",
    raw_score=0.5,
    normalized_score=1.0,
    summary="Well.",
    response=b"",
    log_position=1,
)
ALL_WELL = Evidence(
    calls=[CALL],
    jobs={"job-1": JOB},
    logs={"attempt-1": ["job-1"]},
    alone={("fix_embedding", "reference"): 0.5},
    disturbances=[Done(5.0, "worker", "worker 7", ("job-1",))],
    exposures={"job-1": 1},
    changed={},
)
FAILED = dataclasses.replace(
    JOB,
    state="failed",
    verdict=None,
    raw_score=None,
    normalized_score=None,
    summary=None,
    log_position=None,
    failure="gone",
)
NO_ANSWER = dataclasses.replace(CALL, answer=None, error="JUDGING_FAILED: the service failed")


def broken(evidence: Evidence) -> set[str]:
    return {check.name for check in checks(evidence) if not check.ok}


def with_job(**changes: object) -> Evidence:
    return dataclasses.replace(ALL_WELL, jobs={"job-1": dataclasses.replace(JOB, **changes)})  # type: ignore[arg-type]


def with_answer(**changes: object) -> Evidence:
    answer = dataclasses.replace(ANSWER, **changes)  # type: ignore[arg-type]
    return dataclasses.replace(ALL_WELL, calls=[dataclasses.replace(CALL, answer=answer)])


def test_nothing_is_said_of_a_job_that_was_delivered_again_after_a_death() -> None:
    assert broken(ALL_WELL) == set()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: dataclasses.replace(ALL_WELL, jobs={}), "no accepted job is lost"),
        (lambda: with_job(state="running"), "no accepted job is lost"),
        (
            lambda: dataclasses.replace(ALL_WELL, logs={"attempt-1": ["job-1", "job-1"]}),
            "each judged job has one entry in the log",
        ),
        (
            lambda: dataclasses.replace(ALL_WELL, logs={"attempt-1": []}),
            "each judged job has one entry in the log",
        ),
        (
            lambda: dataclasses.replace(
                ALL_WELL, changed={"job-1": (JOB, dataclasses.replace(JOB, raw_score=0.4))}
            ),
            "no result has changed",
        ),
        (lambda: with_job(raw_score=0.4), "answers are what is stored"),
        (lambda: with_job(state="cancelled"), "jobs are cancelled only for who asked"),
        (lambda: with_job(delivery_count=3), "jobs are delivered again only after a death"),
        (lambda: with_answer(raw=0.6), "honest controls have their own score"),
        (lambda: with_answer(verdict="unstable", raw=None), "honest controls have their own score"),
        (lambda: with_answer(text="root:x:0"), "no answer holds a secret"),
        (
            lambda: dataclasses.replace(ALL_WELL, calls=[dataclasses.replace(CALL, ended_at=None)]),
            "every call ended with an answer or for a reason",
        ),
        (
            lambda: dataclasses.replace(ALL_WELL, calls=[NO_ANSWER], jobs={"job-1": FAILED}),
            "no job has failed unexplained",
        ),
    ],
)
def test_what_must_not_be_is_found(make: Callable[[], Evidence], named: str) -> None:
    assert named in broken(make())


def test_a_job_over_which_workers_died_twice_may_fail() -> None:
    evidence = dataclasses.replace(
        ALL_WELL,
        calls=[NO_ANSWER],
        jobs={"job-1": FAILED},
        logs={"attempt-1": []},
        exposures={"job-1": 2},
    )
    assert broken(evidence) == set()


def test_an_attack_gets_no_verdict_but_those_that_it_may() -> None:
    entry = dataclasses.replace(ENTRY, kind="attack", verdicts=frozenset({"rule_broken"}))
    evidence = dataclasses.replace(ALL_WELL, calls=[dataclasses.replace(CALL, entry=entry)])
    assert broken(evidence) == {"wrong ones and attacks get what they may"}
