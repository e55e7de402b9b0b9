"""What bounds a queue, who shares it, and why a submission is refused by its limits."""

import enum
from dataclasses import dataclass
from typing import ClassVar

SERVER = "server"
"""The client of the server's own jobs. There is one for each environment at most, and no limit holds for
them: how an overloaded device does is worth knowing."""
RATE_WINDOW_S = 3600.0


class Priority(enum.Enum):
    """How large a client's share is while several have jobs waiting."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def step(self) -> int:
        """How far one job moves its client's next turn: a client has a share of 1/step."""
        return _STEPS[self]


_STEPS = {Priority.HIGH: 1, Priority.NORMAL: 4, Priority.LOW: 16}


@dataclass(frozen=True)
class QueueLimits:
    """What is refused. Each holds for every environment on its own, but for the rate."""

    queue_limit: int = 256
    """Waiting jobs of one environment."""
    client_queue_limit: int = 128
    """Waiting jobs of one client in one environment. Besides, no client may have more jobs waiting than there
    are places free, so that there is one for whoever comes next."""
    scorings_per_hour: int = 0
    """Jobs of one client that are accepted within any hour, whatever becomes of them; 0: no limit."""


class SubmissionRefused(Exception):
    """A limit refuses a submission. Nothing was stored."""

    reason: ClassVar[str]
    """As the contract has it in ErrorInfo."""
    jobs_ahead: int | None = None
    """How many jobs have to begin before trying again helps; None where the queue has no say in it."""
    retry_after_s: float | None = None
    """When trying again helps, where that is known without the queue."""


class QueueFull(SubmissionRefused):
    """The environment's queue has no place."""

    reason = "QUEUE_FULL"

    def __init__(self, environment: str, limit: int) -> None:
        super().__init__(f"the queue of {environment} is full: {limit} jobs are waiting")
        self.jobs_ahead = limit


class ClientQueueFull(SubmissionRefused):
    """The client has as many jobs waiting as it may."""

    reason = "CLIENT_QUEUE_FULL"

    def __init__(self, environment: str, *, waiting: int, free: int, limit: int, jobs_ahead: int) -> None:
        why = (
            f"{limit} of one client may"
            if waiting >= limit
            else f"the queue has {free} places left, and a client may have no more waiting than that"
        )
        super().__init__(f"{waiting} jobs of this client are waiting for {environment}: {why}")
        self.jobs_ahead = jobs_ahead


class RateLimited(SubmissionRefused):
    """The client had as many jobs accepted within an hour as it may."""

    reason = "RATE_LIMITED"

    def __init__(self, limit: int, retry_after_s: float) -> None:
        super().__init__(
            f"this client had {limit} submissions accepted within an hour, which is the limit: the next may "
            f"come in {retry_after_s:.0f} s"
        )
        self.retry_after_s = retry_after_s


class BudgetExhausted(SubmissionRefused):
    """The attempt has no scoring left."""

    reason = "BUDGET_EXHAUSTED"

    def __init__(self, attempt_id: str, budget: int) -> None:
        super().__init__(
            f"attempt {attempt_id} has used its budget of {budget} scorings: trying again does not help, its "
            "evaluator may create another attempt"
        )


class PositionTooFar(SubmissionRefused):
    """The job would wait behind more others than its caller has time for."""

    reason = "DEADLINE_TOO_SHORT"

    def __init__(self, position: int) -> None:
        super().__init__(f"{position} jobs would be before this one")
        self.position = position


REFUSALS: tuple[type[SubmissionRefused], ...] = (
    QueueFull,
    ClientQueueFull,
    RateLimited,
    BudgetExhausted,
    PositionTooFar,
)
"""All of them."""
