"""Rows of the table `jobs` as records."""

import json
import sqlite3

from scorer_service.environments.interface import Verdict
from scorer_service.store.interface import JobRecord, JobState, JudgedResult

RECORD_COLUMNS = (
    "job_id, environment, request_id, attempt_id, state, delivery_count, accepted_at, started_at, "
    "finished_at, failure, verdict, raw_score, normalized_score, summary, response, evaluator_details, "
    "profile, submitted_by, worker_deaths, server_deaths, set_aside"
)
"""What `record_of` reads: all but the payload, which may have 4 MiB and is for who works on the job."""


def record_of(row: sqlite3.Row) -> JobRecord:
    """A row of `jobs` as a record."""
    result = None
    if row["verdict"] is not None:
        result = JudgedResult(
            verdict=Verdict(row["verdict"]),
            raw_score=row["raw_score"],
            normalized_score=row["normalized_score"],
            summary=row["summary"],
            response=row["response"],
            evaluator_details=json.loads(row["evaluator_details"]),
            profile=row["profile"],
        )
    return JobRecord(
        job_id=row["job_id"],
        environment=row["environment"],
        request_id=row["request_id"],
        attempt_id=row["attempt_id"],
        state=JobState(row["state"]),
        delivery_count=row["delivery_count"],
        accepted_at=row["accepted_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        failure=row["failure"],
        result=result,
        submitted_by=row["submitted_by"],
        worker_deaths=row["worker_deaths"],
        server_deaths=row["server_deaths"],
        set_aside=bool(row["set_aside"]),
    )
