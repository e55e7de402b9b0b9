"""Exit statuses, and which error ends with which."""

import enum

from scorer_client._errors import (
    AccessDenied,
    AttemptRefused,
    BudgetExhausted,
    InvalidRequest,
    JobCancelled,
    NotFound,
    ScorerError,
)


class ExitStatus(enum.IntEnum):
    """What a script can rely on."""

    OK = 0
    """Done; for `score`: there is a score, or the attempt hides it."""
    NO_SCORE = 1
    """Judged, or cancelled, without a score."""
    USAGE = 2
    """Something given is wrong: trying again does not help."""
    SERVICE_FAILURE = 3
    """The service failed or was not reached in time. It says nothing about the submission."""
    INTERRUPTED = 130
    """Ended by Ctrl-C; jobs go on. The shell's own convention: 128 and the number of SIGINT."""


class UsageError(Exception):
    """Something given on the command line, or in a file named there, is wrong."""


_STATUS_BY_CLASS: dict[type[ScorerError], ExitStatus] = {
    AccessDenied: ExitStatus.USAGE,
    AttemptRefused: ExitStatus.USAGE,
    BudgetExhausted: ExitStatus.USAGE,
    InvalidRequest: ExitStatus.USAGE,
    NotFound: ExitStatus.USAGE,
    JobCancelled: ExitStatus.NO_SCORE,
}


def exit_status_of(error: ScorerError) -> ExitStatus:
    """The status of the nearest class that has one; of any other error, a service failure."""
    for error_class in type(error).__mro__:
        if error_class in _STATUS_BY_CLASS:
            return _STATUS_BY_CLASS[error_class]
    return ExitStatus.SERVICE_FAILURE
