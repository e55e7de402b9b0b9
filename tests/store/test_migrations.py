"""A folder of any released version is taken over with everything in it, or left as it was.

tests/fixtures/schema has what each version left; the files are frozen (scripts/schema_fixture.py).
"""

import sqlite3
from pathlib import Path

import pytest

from scorer_service.environments.interface import Verdict
from scorer_service.store import database as database_module
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import MIGRATIONS, Database
from scorer_service.store.interface import JobState, NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

VERSIONS = range(1, len(MIGRATIONS) + 1)


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture
def path(tmp_path: Path, repository: Path, version: int) -> Path:
    """The store as that version left it."""
    path = tmp_path / "scorer.sqlite3"
    connection = sqlite3.connect(path)
    dump = repository / "tests" / "fixtures" / "schema" / f"version_{version}.sql"
    connection.executescript(dump.read_text())
    connection.close()
    return path


async def test_rows_in_every_state_are_served(path: Path) -> None:
    for _ in range(2):  # opening it again changes nothing
        database = Database(path)
        attempts, queue = SqliteAttemptStore(database), SqliteJobQueue(database)
        closed = await attempts.get("attempt-closed")
        assert (closed.label, closed.closed_at, closed.created_by) == ("run 8", 2000, None)
        ((position, judged),) = await attempts.log("attempt-closed", after=0, limit=10)
        assert (position, judged.job_id, judged.request_id) == (1, "job-scored", "request-1")
        assert judged.result is not None
        assert (judged.result.raw_score, judged.result.normalized_score) == (0.25, 0.5)
        wrong = await queue.find(job_id="job-wrong")
        assert wrong is not None
        assert wrong.result is not None
        assert wrong.result.verdict is Verdict.INCORRECT
        for name in ("failed", "cancelled", "running", "queued"):
            found = await queue.find(job_id=f"job-{name}")
            assert found is not None
            assert (found.state, found.set_aside) == (JobState(name), False)
            assert (found.worker_deaths, found.server_deaths) == (0, 0)
        database.close()
    assert version_of(path) == len(MIGRATIONS)


async def test_work_goes_on_where_it_stopped(path: Path) -> None:
    database = Database(path)
    attempts, queue = SqliteAttemptStore(database), SqliteJobQueue(database)
    assert await queue.reclaim(everything=True, death_limit=12) == ["job-running"]
    leases = [await queue.claim("rust_codecontests", "me", 30) for _ in range(3)]
    taken = {lease.job_id: lease.payload for lease in leases if lease is not None}
    assert taken == {"job-running": b"\1", "job-queued": b"\2"}
    accepted, is_new = await queue.accept(
        NewJob("rust_codecontests", b"\3", "g", None, "attempt-open"), QueueLimits()
    )
    assert is_new
    again, is_new = await queue.accept(
        NewJob("rust_codecontests", b"\1", "e", "request-2", "attempt-open"), QueueLimits()
    )
    assert (again.job_id, is_new) == ("job-running", False)
    assert (await attempts.counts("attempt-open")).pending == 2
    assert (await queue.cancel(accepted.job_id)) is not None
    database.close()


def test_a_copy_of_the_version_before_is_kept(path: Path, version: int) -> None:
    Database(path).close()
    copy = path.with_name(f"scorer.sqlite3.version-{version}")
    assert copy.exists() == (version < len(MIGRATIONS))
    if copy.exists():
        assert version_of(copy) == version
        connection = sqlite3.connect(copy)
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (6,)
        connection.close()


def test_a_migration_that_stops_in_its_middle_leaves_the_version_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, "ALTER TABLE jobs ADD COLUMN half TEXT; SELECT no_such_function()")
    monkeypatch.setattr(database_module, "MIGRATIONS", broken)
    with pytest.raises(sqlite3.OperationalError, match="no_such_function"):
        Database(path)
    assert version_of(path) == len(MIGRATIONS)
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(jobs)")]
    connection.close()
    assert "half" not in columns
    monkeypatch.undo()
    Database(path).close()
