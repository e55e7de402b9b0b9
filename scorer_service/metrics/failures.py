"""Failures of the service, by reason."""

from collections.abc import Iterable, Iterator

import scorer_launcher
from prometheus_client import CollectorRegistry, Counter

from scorer_service.environments.interface import JudgingFailed, WorkerDied
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

SET_ASIDE = "set_aside"
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (scorer_launcher.SandboxError, "sandbox"),
    (WorkerLost, "worker_died"),
    (WorkerUnavailable, "worker_unavailable"),
    (OperationFailed, "worker_operation"),
    (OSError, "storage"),
    (WorkerDied, "worker_died"),
    (JudgingFailed, "judging"),
)
"""The first that an error, or an error behind it, belongs to."""
_UNEXPECTED = "unexpected"
REASONS = (*dict.fromkeys(reason for _, reason in _REASONS), SET_ASIDE, _UNEXPECTED)
"""Every value of the label."""


class FailureMetrics:
    """Counts failures by reason."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._failures = Counter(
            "scorer_service_failures",
            "Failures of the service while it worked on a job, never of a submission; the job may be tried "
            f"again. Reasons: {', '.join(REASONS)}.",
            ["environment", "reason"],
            registry=registry,
        )

    def add_environments(self, environments: Iterable[str]) -> None:
        """Show them from the start, so that the first failure is seen as an increase."""
        for environment in environments:
            for reason in REASONS:
                self._failures.labels(environment, reason)

    def failed(self, environment: str, error: BaseException) -> None:
        """A stage raised an error."""
        self._failures.labels(environment, reason_of(error)).inc()

    def set_aside(self, environment: str) -> None:
        """The service died over a job too often for it to be tried again."""
        self._failures.labels(environment, SET_ASIDE).inc()


def reason_of(error: BaseException) -> str:
    """The reason that an error is counted under."""
    chain = list(_chain(error))
    for kind, reason in _REASONS:
        if any(isinstance(one, kind) for one in chain):
            return reason
    return _UNEXPECTED


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
