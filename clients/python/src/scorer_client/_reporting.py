"""What both colours do about progress reports beside a call."""

import logging
from collections.abc import Iterable

JOB_ID_KEY = "scorer-job-id"

# The last state of a job and its result leave the server together, on two streams: this long the slower one
# may take.
REPORT_GRACE_S = 2.0

_log = logging.getLogger("scorer_client")


def log_failed_callback() -> None:
    """Notes, in an except block, that a callback failed: a call is worth more than its reports."""
    _log.exception("a progress callback raised an exception; there are no more reports, the call goes on")


def names_job(initial_metadata: Iterable[tuple[str, str | bytes]] | None) -> bool:
    """Whether the call was accepted: the server sends the job's id once the job is in the queue."""
    return any(key == JOB_ID_KEY for key, _ in initial_metadata or ())
