"""Leases that this server holds: how many, for how long, and which were lost."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge

from scorer_service.store.interface import Lease


@dataclass
class _Held:
    number: int
    environment: str
    taken_at: float
    renewed_at: float


class LeaseMetrics:
    """Follows the leases from their claim to their end. Belongs to the event loop."""

    def __init__(self, registry: CollectorRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held_gauge = Gauge(
            "scorer_leases_held", "Jobs that this server works on.", ["environment"], registry=registry
        )
        self._age = Gauge(
            "scorer_lease_oldest_age_seconds",
            "How long the job that has been worked on for the longest time has been; 0 where there is none.",
            ["environment"],
            registry=registry,
        )
        self._renewal_age = Gauge(
            "scorer_lease_oldest_renewal_age_seconds",
            "The longest time that a lease was not renewed; a worker that lives renews every 10 s.",
            ["environment"],
            registry=registry,
        )
        self._lost = Counter(
            "scorer_leases_lost",
            "Leases that ran out while their job was worked on here; the work was dropped.",
            ["environment"],
            registry=registry,
        )
        self._held: dict[str, _Held] = {}

    def add_environments(self, environments: Iterable[str]) -> None:
        """Show them from the start, so that the first lost lease is seen as an increase."""
        for environment in environments:
            self._lost.labels(environment)

    def taken(self, lease: Lease) -> None:
        """A job was claimed."""
        now = self._clock()
        self._held[lease.job_id] = _Held(lease.number, lease.environment, now, now)

    def renewed(self, lease: Lease) -> None:
        """The lease holds on."""
        held = self._held.get(lease.job_id)
        if held is not None and held.number == lease.number:
            held.renewed_at = self._clock()

    def lost(self, lease: Lease) -> None:
        """The lease was found void. One that was ended here, by cancelling its job say, was not lost."""
        if self._drop(lease):
            self._lost.labels(lease.environment).inc()

    def ended(self, lease: Lease) -> None:
        """What the lease was for is done."""
        self._drop(lease)

    def cancelled(self, job_id: str) -> None:
        """The job was cancelled, whoever works on it."""
        self._held.pop(job_id, None)

    def refresh(self, environments: Iterable[str]) -> None:
        """Bring the gauges up to now."""
        now = self._clock()
        for environment in environments:
            held = [lease for lease in self._held.values() if lease.environment == environment]
            self._held_gauge.labels(environment).set(len(held))
            self._age.labels(environment).set(max((now - one.taken_at for one in held), default=0.0))
            self._renewal_age.labels(environment).set(
                max((now - one.renewed_at for one in held), default=0.0)
            )

    def _drop(self, lease: Lease) -> bool:
        held = self._held.get(lease.job_id)
        if held is None or held.number != lease.number:
            return False
        del self._held[lease.job_id]
        return True
