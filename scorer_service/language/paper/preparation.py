"""What every step of preparing data from the hub keeps to: room on the disk, one exception."""

import shutil
from collections.abc import Mapping
from pathlib import Path

ROOM_LEFT_BYTES = 1 << 28
"""Stays free on a disk: a full one breaks whatever else writes to it."""


class PreparationFailed(Exception):
    """Data could not be prepared; the message says why and what would do."""


def require_room(needs: Mapping[Path, int]) -> None:
    """Hold the bytes that folders are going to need against what is free; folders may share a disk.

    Raises:
        PreparationFailed: a disk has too little.
    """
    disks: dict[int, tuple[Path, int]] = {}
    for folder, need_bytes in needs.items():
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        device = there.stat().st_dev
        first, sum_bytes = disks.get(device, (folder, 0))
        disks[device] = (first, sum_bytes + need_bytes)
    for folder, need_bytes in disks.values():
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free_bytes = shutil.disk_usage(there).free
        if need_bytes and free_bytes < need_bytes + ROOM_LEFT_BYTES:
            raise PreparationFailed(
                f"the disk of {folder} has {_in_gb(free_bytes)} free, {_in_gb(need_bytes + ROOM_LEFT_BYTES)}"
                " are needed: make room, take another folder with --state-dir, another disk for downloads"
                " with HF_HUB_CACHE, or less training text with --training-tokens"
            )


def _in_gb(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB"
