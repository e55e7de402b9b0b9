"""Gives memory that tests took back to the system, so that an idle server is small."""

import ctypes

_M_TRIM_THRESHOLD = -1  # of mallopt(3)
_TRIM_THRESHOLD_BYTES = 128 << 10


def return_to_system() -> None:
    """Fix glibc's threshold for giving memory back at its first value; does nothing with another C library.

    Else glibc raises it with each large block that is freed, and keeps some 50 MB after a few problems.
    Holds for the whole process.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD_BYTES)
