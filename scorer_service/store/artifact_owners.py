"""Who has shown to have an artifact's content, in SQLite.

Rows go with the artifact when it expires: whoever wants it again shows again to have its content.
"""

import json
import sqlite3
from collections.abc import Sequence

from scorer_service.store.database import Database
from scorer_service.store.interface import Owner


class SqliteArtifactOwners:
    """`ArtifactOwners` on one machine."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, owner: Owner, sha256: str) -> None:
        """See `ArtifactOwners.add`."""
        await self._database.run(_add, owner, sha256)

    async def reachable(
        self, owner: Owner, evaluator_key_sha256: str | None, sha256s: Sequence[str]
    ) -> frozenset[str]:
        """See `ArtifactOwners.reachable`."""
        return await self._database.run(_reachable, owner, evaluator_key_sha256, sha256s)


def _add(connection: sqlite3.Connection, owner: Owner, sha256: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO artifact_owners (sha256, attempt_id, token_id) VALUES (?, ?, ?)",
        (sha256, owner.attempt_id, owner.token_id),
    )


def _reachable(
    connection: sqlite3.Connection, owner: Owner, evaluator_key_sha256: str | None, sha256s: Sequence[str]
) -> frozenset[str]:
    rows = connection.execute(
        "SELECT owned.sha256 FROM json_each(:sha256s) AS asked "
        "JOIN artifact_owners AS owned ON owned.sha256 = asked.value "
        "LEFT JOIN attempts ON attempts.attempt_id = owned.attempt_id "
        "WHERE (owned.attempt_id = :attempt_id AND :attempt_id != '') "
        "OR (:token_id != '' AND (owned.token_id = :token_id OR attempts.created_by = :token_id "
        "OR attempts.evaluator_key_sha256 = :key_sha256))",
        {
            "sha256s": json.dumps(list(sha256s)),
            "attempt_id": owner.attempt_id,
            "token_id": owner.token_id,
            "key_sha256": evaluator_key_sha256,
        },
    )
    return frozenset(row["sha256"] for row in rows)
