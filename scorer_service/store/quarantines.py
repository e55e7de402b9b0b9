"""Devices that are taken out of use, and what is known of them, in SQLite: a restart forgets neither."""

import sqlite3
from dataclasses import dataclass

from scorer_service.store.database import Database


@dataclass(frozen=True)
class Quarantine:
    """Why a device is not used."""

    reason: str
    since: float
    """Seconds since the epoch."""
    by_operator: bool
    """Otherwise the server's own doing, which a self-test that passes ends."""


class QuarantineStore:
    """Quarantines by the name of the device."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, device: str) -> Quarantine | None:
        """The quarantine of a device; None where it is in use."""
        return await self._database.run(_get, device)

    async def put(self, device: str, quarantine: Quarantine) -> None:
        """Quarantine a device, or replace its quarantine."""
        await self._database.run(_put, device, quarantine)

    async def end(self, device: str) -> None:
        """The device is in use again. Idempotent."""
        await self._database.run(_end, device)

    async def baseline(self, fingerprint: str, copy_bytes_per_s: float) -> float:
        """The copy bandwidth that was told first for a device of this kind, which this one is where there was
        none."""
        return await self._database.run(_baseline, fingerprint, copy_bytes_per_s)


def _get(connection: sqlite3.Connection, device: str) -> Quarantine | None:
    row = connection.execute("SELECT * FROM quarantines WHERE device = ?", (device,)).fetchone()
    return None if row is None else Quarantine(row["reason"], row["since"], bool(row["by_operator"]))


def _put(connection: sqlite3.Connection, device: str, quarantine: Quarantine) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO quarantines (device, reason, since, by_operator) VALUES (?, ?, ?, ?)",
        (device, quarantine.reason, quarantine.since, quarantine.by_operator),
    )


def _end(connection: sqlite3.Connection, device: str) -> None:
    connection.execute("DELETE FROM quarantines WHERE device = ?", (device,))


def _baseline(connection: sqlite3.Connection, fingerprint: str, copy_bytes_per_s: float) -> float:
    connection.execute(
        "INSERT OR IGNORE INTO device_baselines (fingerprint, copy_bytes_per_s) VALUES (?, ?)",
        (fingerprint, copy_bytes_per_s),
    )
    (baseline,) = connection.execute(
        "SELECT copy_bytes_per_s FROM device_baselines WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    return float(baseline)
