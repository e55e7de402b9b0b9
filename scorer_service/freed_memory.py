"""Gives memory that jobs took back to the system, so that an idle server is small."""

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_TRIM_THRESHOLD_BYTES = 16 << 20
_MMAP_THRESHOLD_BYTES = 4 << 20
"""Above the chunks of uploads: mapping and unmapping each of them costs as much as moving it."""


def return_to_system() -> None:
    """Fix glibc's thresholds for giving memory back; does nothing with another C library.

    Else glibc raises them with each large block that is freed, and keeps some 50 MB after a few problems.
    Holds for the whole process.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD_BYTES)
        mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)
