"""Writes tests/fixtures/schema/version_N.sql: a store of the newest schema, with rows in every state.

Run once for each version that is released, before the next migration is begun; a file that is there is never
written again: it is what that version left.
"""

import sqlite3
import sys
from pathlib import Path

from scorer_service.store.database import MIGRATIONS

FOLDER = Path(__file__).parent.parent / "tests" / "fixtures" / "schema"
ROWS = """
    INSERT INTO attempts
        (attempt_id, environment, policy, label, evaluator_key_sha256, created_at, closed_at)
    VALUES ('attempt-open', 'rust_codecontests', 'visible', 'run 7', 'digest', 1000, NULL),
        ('attempt-closed', 'rust_codecontests', 'hidden', 'run 8', 'digest', 1000, 2000);
    INSERT INTO jobs (job_id, request_id, attempt_id, environment, payload, payload_sha256, state,
        delivery_count, lease_owner, lease_expires_at, accepted_at, started_at, finished_at, failure, verdict,
        raw_score, normalized_score, summary, response, evaluator_details, profile, log_position)
    VALUES
        ('job-scored', 'request-1', 'attempt-closed', 'rust_codecontests', NULL, 'a', 'succeeded', 1,
            'host:1', 1100, 1001, 1002, 1003, '', 'scored', 0.25, 0.5, '1 of 4 solved', x'', '{"time": 1}',
            'embedded', 1),
        ('job-wrong', NULL, NULL, 'rust_codecontests', NULL, 'b', 'succeeded', 2, 'host:1', 1100, 1001, 1002,
            1003, '', 'incorrect', NULL, NULL, 'an output was wrong', x'', '{}', 'embedded', 2),
        ('job-failed', NULL, 'attempt-open', 'rust_codecontests', NULL, 'c', 'failed', 1, 'host:1', 1100,
            1001, 1002, 1003, 'the sandbox failed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        ('job-cancelled', NULL, NULL, 'rust_codecontests', NULL, 'd', 'cancelled', 0, NULL, NULL, 1001, NULL,
            1003, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        ('job-running', 'request-2', 'attempt-open', 'rust_codecontests', x'01', 'e', 'running', 1, 'host:1',
            1100, 1004, 1005, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        ('job-queued', NULL, NULL, 'rust_codecontests', x'02', 'f', 'queued', 0, NULL, NULL, 1006, NULL, NULL,
            '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
"""


def write(version: int) -> Path:
    """The file of a version."""
    connection = sqlite3.connect(":memory:")
    for migration in MIGRATIONS[:version]:
        connection.executescript(migration)
    connection.executescript(ROWS)
    path = FOLDER / f"version_{version}.sql"
    path.write_text("\n".join(connection.iterdump()) + f"\nPRAGMA user_version = {version};\n")
    return path


if __name__ == "__main__":
    newest = len(MIGRATIONS)
    if (FOLDER / f"version_{newest}.sql").exists():
        sys.exit(f"version {newest} was written already")
    print(write(newest))
