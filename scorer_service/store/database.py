"""The SQLite file: its schema, and the one thread that talks to it."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

FILE_NAME = "scorer.sqlite3"
"""Inside the state folder."""

# One entry a version; `PRAGMA user_version` counts those that were applied. Entries are never edited.
MIGRATIONS = (
    """
    CREATE TABLE attempts (
        attempt_id TEXT PRIMARY KEY,
        environment TEXT NOT NULL,
        policy TEXT NOT NULL,
        label TEXT NOT NULL,
        evaluator_key_sha256 TEXT NOT NULL,
        created_at REAL NOT NULL,
        closed_at REAL
    ) STRICT;
    CREATE TABLE jobs (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL UNIQUE,
        request_id TEXT UNIQUE,
        attempt_id TEXT REFERENCES attempts (attempt_id),
        environment TEXT NOT NULL,
        payload BLOB,
        payload_sha256 TEXT NOT NULL,
        state TEXT NOT NULL,
        delivery_count INTEGER NOT NULL DEFAULT 0,
        lease_owner TEXT,
        lease_expires_at REAL,
        accepted_at REAL NOT NULL,
        started_at REAL,
        finished_at REAL,
        failure TEXT NOT NULL DEFAULT '',
        verdict TEXT,
        raw_score REAL,
        normalized_score REAL,
        summary TEXT,
        response BLOB,
        evaluator_details TEXT,
        profile TEXT,
        log_position INTEGER UNIQUE
    ) STRICT;
    CREATE INDEX jobs_waiting ON jobs (environment, sequence) WHERE state = 'queued';
    CREATE INDEX jobs_leased ON jobs (lease_expires_at) WHERE state = 'running';
    CREATE INDEX jobs_of_attempt ON jobs (attempt_id, log_position) WHERE attempt_id IS NOT NULL;
    CREATE INDEX jobs_ended ON jobs (finished_at) WHERE attempt_id IS NULL;
    """,
    # Who made an attempt, sent a job, uploaded an artifact: ids of tokens, null where the server was open.
    """
    ALTER TABLE attempts ADD COLUMN created_by TEXT;
    ALTER TABLE attempts ADD COLUMN agent_secret_sha256 TEXT;
    ALTER TABLE jobs ADD COLUMN submitted_by TEXT;
    CREATE TABLE artifact_owners (
        sha256 TEXT NOT NULL,
        attempt_id TEXT NOT NULL,
        token_id TEXT NOT NULL,
        PRIMARY KEY (sha256, attempt_id, token_id)
    ) STRICT, WITHOUT ROWID;
    """,
    # Jobs over which the service dies, and devices that cannot be trusted.
    """
    ALTER TABLE jobs ADD COLUMN worker_deaths INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN server_deaths INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN is_suspect INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE quarantines (
        device TEXT PRIMARY KEY,
        reason TEXT NOT NULL,
        since REAL NOT NULL,
        by_operator INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE device_baselines (
        fingerprint TEXT PRIMARY KEY,
        copy_bytes_per_s REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
)


class SchemaTooNew(Exception):
    """The file was written by a later version of the service."""


class Database:
    """One connection in WAL mode, used by one thread: SQLite has one writer anyway, and a thread that is
    ours keeps the event loop free."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises SchemaTooNew, sqlite3.Error."""
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._connection = self._executor.submit(_open, path).result()

    async def run(
        self, work: Callable[Concatenate[sqlite3.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work(connection, ...)` in a transaction of its own."""

        def transaction() -> T:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                return work(self._connection, *args, **kwargs)

        # Shielded: a caller that is cancelled must not make it unknown whether the transaction happened
        # before the caller's own clean-up runs.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._executor, transaction))

    def close(self) -> None:
        """Finish what is begun and close the file. Idempotent."""
        try:
            self._executor.submit(self._connection.close)
        except RuntimeError:
            return
        self._executor.shutdown(wait=True)


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL: an accepted job survives a power cut as well as a crash of the process.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA busy_timeout = 5000")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        connection.close()
        raise SchemaTooNew(
            f"{path} has schema version {version}, this server knows {len(MIGRATIONS)}: "
            "use the newer server, or another --state-dir"
        )
    for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN; {migration}; PRAGMA user_version = {number}; COMMIT;")
    return connection
