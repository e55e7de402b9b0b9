"""A server may open more files than a login shell: each connection takes one, and each upload another."""

import contextlib
import resource

MOST = 1 << 16
"""Where the hard limit is higher: programs that close all descriptors one by one would take long."""


def raise_limit() -> None:
    """Up to the hard limit, for this process and all that it starts; sandboxes set one of their own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # A hard limit over fs.nr_open cannot be set again, be it the same.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
