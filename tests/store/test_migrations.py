"""A folder of an earlier version is taken over with everything in it."""

import sqlite3
from pathlib import Path

import pytest

from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import MIGRATIONS, Database
from scorer_service.store.jobs import SqliteJobQueue


def database_of_version(path: Path, version: int) -> None:
    """As that version left it, with a closed attempt of one judged job, and a job that waits."""
    connection = sqlite3.connect(path)
    for migration in MIGRATIONS[:version]:
        connection.executescript(migration)
    connection.executescript(
        f"""
        INSERT INTO attempts
            (attempt_id, environment, policy, label, evaluator_key_sha256, created_at, closed_at)
        VALUES ('attempt-1', 'rust_codecontests', 'hidden', 'run 7', 'digest', 1000, 2000);
        INSERT INTO jobs (job_id, attempt_id, environment, payload_sha256, state, accepted_at, finished_at,
            verdict, raw_score, summary, response, evaluator_details, profile, log_position)
        VALUES ('job-1', 'attempt-1', 'rust_codecontests', 'x', 'succeeded', 1001, 1002,
            'scored', 0.25, 'summary', x'', '{{"time": 1}}', 'embedded', 1);
        INSERT INTO jobs (job_id, environment, payload, payload_sha256, state, accepted_at)
        VALUES ('job-2', 'rust_codecontests', x'01', 'y', 'queued', 1003);
        PRAGMA user_version = {version};
        """
    )
    connection.commit()
    connection.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
async def test_nothing_is_lost_from_any_version_on(tmp_path: Path, version: int) -> None:
    path = tmp_path / "scorer.sqlite3"
    database_of_version(path, version)
    for _ in range(2):  # opening it again changes nothing
        database = Database(path)
        attempts, queue = SqliteAttemptStore(database), SqliteJobQueue(database)
        attempt = await attempts.get("attempt-1")
        assert (attempt.label, attempt.closed_at, attempt.created_by) == ("run 7", 2000, None)
        ((position, judged),) = await attempts.log("attempt-1", after=0, limit=10)
        assert (position, judged.job_id, judged.submitted_by) == (1, "job-1", None)
        assert judged.result is not None
        assert judged.result.raw_score == 0.25
        waiting = await queue.find(job_id="job-2")
        assert waiting is not None
        assert not waiting.state.is_final
        database.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    connection.close()
    database = Database(path)
    lease = await SqliteJobQueue(database).claim("rust_codecontests", "me", 30)
    assert lease is not None
    assert (lease.job_id, lease.payload) == ("job-2", b"\1")
    database.close()
