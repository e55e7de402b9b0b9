"""One log line a call, and on every line logged within it the call's number, and the ids that it names."""

import asyncio
import logging
import time
from typing import Any

import grpc

from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context
from scorer_service.logs import context as log_context

log = logging.getLogger(__name__)


class CallLogInterceptor(AroundInterceptor):
    """Gives each call a number that the logs of this process can be searched for."""

    def __init__(self) -> None:
        self._count = 0

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Log the end of the call."""
        self._count += 1
        return _LogCall(self._count, method, context)


class _LogCall(Around):
    def __init__(self, number: int, method: str, context: Context) -> None:
        self._number = number
        self._method = method
        self._context = context
        self._began = time.monotonic()

    async def __aenter__(self) -> "_LogCall":
        log_context.bind(call=self._number, method=self._method.removeprefix("/"))
        return self

    def on_request(self, request: Any) -> None:
        log_context.bind_ids_of(request)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: Any) -> None:
        code = self._context.code()
        ending = "CANCELLED" if isinstance(error, asyncio.CancelledError) else _name_of(code)
        log.debug("%s %s in %.3f s", self._method, ending, time.monotonic() - self._began)


def _name_of(code: Any) -> str:
    if isinstance(code, grpc.StatusCode):
        return code.name
    return "OK" if not code else str(code)
