"""The SQLite file: its schema, and the one thread that talks to it."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from scorer_service.store.disk_room import DiskFull, is_disk_full
from scorer_service.whole_file import sync_folder

log = logging.getLogger(__name__)

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
    # Clients take turns. Jobs that wait already keep their order, before those that are accepted later.
    # Indices have the columns of their own conditions: counting then reads no rows, which may be long.
    """
    ALTER TABLE attempts ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal';
    ALTER TABLE attempts ADD COLUMN scoring_budget INTEGER;
    ALTER TABLE jobs ADD COLUMN client TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
    UPDATE jobs SET client = coalesce(attempt_id, submitted_by, '');
    DROP INDEX jobs_waiting;
    CREATE INDEX jobs_waiting ON jobs (environment, state, turn, sequence, accepted_at)
        WHERE state = 'queued';
    CREATE INDEX jobs_of_client_waiting ON jobs (environment, client, state, sequence, turn)
        WHERE state = 'queued';
    CREATE INDEX jobs_served ON jobs (environment, turn) WHERE delivery_count > 0;
    CREATE INDEX jobs_turns ON jobs (environment, client, turn);
    CREATE INDEX jobs_accepted ON jobs (client, accepted_at);
    CREATE INDEX jobs_counted ON jobs (attempt_id, state, delivery_count)
        WHERE state <> 'failed' AND (state <> 'cancelled' OR delivery_count > 0);
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
        """Run `work(connection, ...)` in a transaction of its own. Raises DiskFull."""

        def transaction() -> T:
            try:
                with self._connection:
                    self._connection.execute("BEGIN IMMEDIATE")
                    return work(self._connection, *args, **kwargs)
            except sqlite3.OperationalError as error:
                if not is_disk_full(error):
                    raise
                raise DiskFull("the disk of the server is full; nothing was changed") from error

        # Shielded: a caller that is cancelled must not make it unknown whether the transaction happened
        # before the caller's own clean-up runs.
        done = asyncio.get_running_loop().run_in_executor(self._executor, transaction)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            done.add_done_callback(_tell_of_damage)
            raise

    def close(self) -> None:
        """Finish what is begun and close the file. Idempotent."""
        try:
            self._executor.submit(self._connection.close)
        except RuntimeError:
            return
        self._executor.shutdown(wait=True)


def _tell_of_damage(done: asyncio.Future[Any]) -> None:
    """Nobody waits for it any more. That there is no such attempt, or the like, is of no interest then."""
    if not done.cancelled() and isinstance(error := done.exception(), sqlite3.Error):
        log.error("a transaction failed whose caller has gone", exc_info=error)


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
    try:
        if 0 < version < len(MIGRATIONS):
            _keep_copy(connection, path, version)
        for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
            connection.executescript(f"BEGIN; {migration}; PRAGMA user_version = {number}; COMMIT;")
    except BaseException:
        # What is begun is undone: the file is of the last version that was reached whole.
        connection.close()
        raise
    return connection


def _keep_copy(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Write the file as it is beside itself: the way back to the version of the service that left it."""
    copy = path.with_name(f"{path.name}.version-{version}")
    partial = copy.with_name(f"{copy.name}.partial")
    partial.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(partial),))
    partial.replace(copy)
    sync_folder(path.parent)
    log.info("the store has schema version %d; a copy of it is kept in %s", version, copy)
