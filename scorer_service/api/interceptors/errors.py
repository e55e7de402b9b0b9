"""Turns exceptions into statuses: those of the contract as they are, any other into INTERNAL."""

import asyncio
import logging
import uuid
from typing import Any

import grpc
import grpc.aio

from scorer_service.api.errors import ApiError
from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context
from scorer_service.store.disk_room import DiskFull

log = logging.getLogger(__name__)


DISK_RETRY_S = 30.0
"""Room comes back by a person's hand, or when something expires."""


class ErrorInterceptor(AroundInterceptor):
    """The only place where a call is aborted."""

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Map what the handler raises."""
        return _MapErrors(method, context)


class _MapErrors(Around):
    def __init__(self, method: str, context: Context) -> None:
        self._method = method
        self._context = context

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: Any) -> None:
        if error is None or isinstance(error, asyncio.CancelledError | GeneratorExit | grpc.aio.AbortError):
            return  # a swallowed CancelledError leaks its call (grpc#43360)
        if isinstance(error, grpc.aio.InternalError):
            raise _gone() from error
        if isinstance(error, NotImplementedError) and _code(self._context) == _UNIMPLEMENTED:
            # The generated base class of a servicer that lacks the method, as that of the health service.
            await self._context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{self._method} is not implemented")
        if isinstance(error, DiskFull):
            error = ApiError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, "DISK_FULL", str(error), retry_after_s=DISK_RETRY_S
            )
        if not isinstance(error, ApiError):
            # The traceback goes to the log: of what is inside, a client gets a number to quote.
            incident = uuid.uuid4().hex[:12]
            log.error("%s failed, incident %s", self._method, incident, exc_info=error)
            error = ApiError(
                grpc.StatusCode.INTERNAL,
                "JUDGING_FAILED",
                f"the service failed (incident {incident}); nothing was scored: "
                "try again, or tell its operator",
            )
        try:
            await self._context.abort_with_status(error.status())
        except grpc.aio.InternalError as unsent:
            raise _gone() from unsent


def _gone() -> asyncio.CancelledError:
    """What ends a call to which nothing can be sent any more.

    gRPC cancels it too, but may not know of it yet, and would log the failed sending as one of the service.
    """
    return asyncio.CancelledError("the client has gone")


_UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED.value[0]


def _code(context: Context) -> Any:
    """The status set so far as a number; grpc.aio tells some codes as numbers, and some as members."""
    code: Any = context.code()
    return code.value[0] if isinstance(code, grpc.StatusCode) else code
