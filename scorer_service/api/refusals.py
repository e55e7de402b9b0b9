"""Limits that refuse a submission, as errors of the contract."""

import random

import grpc

from scorer_service.api.errors import ApiError
from scorer_service.scheduling.scheduler import Scheduler
from scorer_service.store.limits import PositionTooFar, SubmissionRefused

RETRY_LEAST_S = 0.1


def refusal(
    error: SubmissionRefused, scheduler: Scheduler, environment: str, time_left_s: float | None
) -> ApiError:
    """What the client is told, with the time after which it helps to try again."""
    message, retry_after_s = str(error), error.retry_after_s
    if isinstance(error, PositionTooFar) and time_left_s is not None:
        wait_s, end_s = scheduler.expected_s(environment, error.position)
        message = (
            f"as the last jobs went, this one would end in {end_s:.1f} s, after {wait_s:.1f} s in the queue, "
            f"and the call has {time_left_s:.1f} s: give it a longer deadline, or a request_id, with "
            "which the job outlives the call"
        )
        # Where the judging alone takes too long, an empty queue is of no use either.
        if end_s - wait_s <= time_left_s:
            retry_after_s = end_s - time_left_s
    elif error.jobs_ahead is not None:
        wait_s, _ = scheduler.expected_s(environment, error.jobs_ahead - 1)
        # Before all those places are free, so that there is always work; and not everybody at once.
        retry_after_s = wait_s * random.uniform(0.5, 1)
    return ApiError(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        error.reason,
        message,
        retry_after_s=None if retry_after_s is None else max(RETRY_LEAST_S, retry_after_s),
    )
