"""When a failed call is tried again, and after which pause: decisions only, no waiting."""

from collections.abc import Callable
from dataclasses import dataclass

import grpc

from scorer_client._errors import CallFailed, DeadlinePassed, ScorerError


@dataclass(frozen=True)
class RetryPolicy:
    """How long a client keeps trying. Limits count from the first failure in a row; 0 means not at all.

    After failure n in a row (from 0) the pause is drawn from the upper half of `initial_backoff_s * 2**n`, at
    most `max_backoff_s`; where the server names a pause (RetryInfo, `grpc-retry-pushback-ms`) it is that one
    and up to a tenth more.
    """

    connect_limit_s: float = 10.0
    """For a server that this client never reached, seconds."""
    reconnect_limit_s: float = 300.0
    """For a server that was reached before: the time that a restart may take, seconds."""
    not_serving_limit_s: float = 60.0
    """For an environment whose self-tests run (ENVIRONMENT_NOT_SERVING), seconds."""
    overload_limit_s: float = 600.0
    """For a full queue and the limits of one client (RESOURCE_EXHAUSTED with RetryInfo), and for another
    client's upload of the same artifact (UPLOAD_BUSY) that does not move, seconds."""
    initial_backoff_s: float = 0.2
    """First pause, seconds."""
    max_backoff_s: float = 10.0
    """Longest pause of the client's own choice, seconds."""

    def patience_s(self, failed: CallFailed, *, reached: bool) -> float:
        """How long a failure like this may go on, in seconds."""
        error = failed.error
        if failed.must_not_retry:
            return 0.0
        if failed.connection_broke:
            return self.reconnect_limit_s if reached else self.connect_limit_s
        if error.reason == "ENVIRONMENT_NOT_SERVING":
            return self.not_serving_limit_s
        if error.code is grpc.StatusCode.UNAVAILABLE:
            return self.reconnect_limit_s
        if error.code is grpc.StatusCode.RESOURCE_EXHAUSTED and error.retry_after is not None:
            return self.overload_limit_s
        if _is_beside_another_upload(error):
            return self.overload_limit_s
        return 0.0

    def pause_s(self, error: ScorerError, failure_count: int, uniform: float) -> float:
        """The pause after that many failures in a row, in seconds; `uniform` is in [0, 1)."""
        if error.retry_after is not None:
            return error.retry_after.total_seconds() * (1 + 0.1 * uniform)
        # The exponent is bounded because 2.0**1024 overflows, and a day of failures gets there.
        whole = min(self.max_backoff_s, self.initial_backoff_s * 2.0 ** min(failure_count - 1, 60))
        return whole * (0.5 + 0.5 * uniform)


def _is_beside_another_upload(error: ScorerError) -> bool:
    """Whether another call uploads the same artifact, or did so between our two calls."""
    return error.reason == "UPLOAD_BUSY" or any(
        violation.field == "header.offset_bytes" for violation in error.field_violations
    )


@dataclass(frozen=True)
class Retry:
    """A try that failed, and the pause before the next."""

    error: ScorerError
    """Why it failed."""
    pause_s: float
    """Seconds until the next try."""
    failure_count: int
    """Failures in a row, this one included."""


@dataclass
class Session:
    """What all calls of one client share."""

    target: str
    policy: RetryPolicy
    now: Callable[[], float]
    """A monotonic clock, seconds."""
    uniform: Callable[[], float]
    """Draws from [0, 1)."""
    on_retry: Callable[[Retry], None] | None = None
    reached: bool = False
    """Whether a server ever answered."""


class Retrying:
    """The tries of one call."""

    def __init__(self, session: Session, timeout_s: float | None = None) -> None:
        self._session = session
        self._deadline = None if timeout_s is None else session.now() + timeout_s
        self._failing_since: float | None = None
        self._failure_count = 0

    def remaining_s(self) -> float | None:
        """Seconds that the next try may take; None for no limit."""
        return None if self._deadline is None else max(0.0, self._deadline - self._session.now())

    def answered(self) -> None:
        """Notes that a server answered: failures after this are a new row."""
        self._session.reached = True
        self._failing_since, self._failure_count = None, 0

    def pause_s_after(self, failed: CallFailed, *, idempotent: bool = True) -> float:
        """The pause before the next try, in seconds. Raises the failure's error where there is none.

        A call that is not idempotent is tried again only where the server itself said that it did nothing.
        """
        session, error = self._session, failed.error
        patience_s = session.policy.patience_s(failed, reached=session.reached or failed.accepted)
        if failed.accepted:
            self.answered()
        elif not failed.connection_broke:
            session.reached = True
        now = session.now()
        if self._failing_since is None:
            self._failing_since = now
        self._failure_count += 1
        pause_s = session.policy.pause_s(error, self._failure_count, session.uniform())
        if (failed.connection_broke and not idempotent) or now + pause_s - self._failing_since > patience_s:
            raise error from failed.__cause__
        if self._deadline is not None and now + pause_s >= self._deadline:
            raise DeadlinePassed(
                f"the time limit passed before the next try; the last one failed: {error.message}",
                code=grpc.StatusCode.DEADLINE_EXCEEDED,
                retry_after=error.retry_after,
            ) from error
        if session.on_retry is not None:
            session.on_retry(Retry(error, pause_s, self._failure_count))
        return pause_s
