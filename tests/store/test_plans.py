"""Queries that are asked often read the jobs that they are about, and not all that ever were."""

import sqlite3
from pathlib import Path

from scorer_service.store.artifact_expiry import ArtifactExpiry
from scorer_service.store.artifacts import ArtifactFolder
from scorer_service.store.database import Database
from scorer_service.store.job_listing import JobFilter, JobListing


async def test_what_asks_for_jobs_that_have_not_ended_reads_no_others(tmp_path: Path) -> None:
    database = Database(tmp_path / "jobs.sqlite3")
    folder = ArtifactFolder(tmp_path / "artifacts", artifact_limit_bytes=1000, quota_bytes=1000)
    (tmp_path / "artifacts" / "sha256" / ("0" * 64)).touch()
    seen: list[str] = []

    def record_statements(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(seen.append)

    await database.run(record_statements)
    await JobListing(database).running("rust_codecontests")
    assert await ArtifactExpiry(database, folder, 1, clock=lambda: 1e12).run() == 1
    plans = await database.run(
        lambda connection: [
            row["detail"]
            for statement in seen
            if statement.startswith("SELECT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
            if "jobs" in row["detail"]
        ]
    )
    assert len(plans) == 3
    assert all("INDEX jobs_leased" in plan or "waiting" in plan for plan in plans), plans
    database.close()


async def test_who_lists_jobs_does_not_read_what_was_submitted(tmp_path: Path) -> None:
    database = Database(tmp_path / "jobs.sqlite3")
    seen: list[str] = []

    def record_statements(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(seen.append)

    await database.run(record_statements)
    await JobListing(database).page(JobFilter(), before=None, limit=10)
    (listing,) = [statement for statement in seen if statement.startswith("SELECT")]
    assert "*" not in listing
    assert "payload" not in listing
    database.close()
