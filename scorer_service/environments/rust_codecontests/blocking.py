"""Blocking work with sandboxes in threads, which a cancelled task kills and waits for."""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

import scorer_launcher

from scorer_service.sandbox.interface import Sandbox, SandboxBackend

_T = TypeVar("_T")


class SandboxScope:
    """The sandboxes of one piece of work: closed together, and none is opened once they are closed."""

    def __init__(self, backend: SandboxBackend) -> None:
        self.backend = backend
        self._lock = threading.Lock()
        self._sandboxes: list[Sandbox] = []
        self._closed = False

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        """Open a sandbox in the scope. Blocks. Raises SandboxError, and SandboxClosed after `close`."""
        with self._lock:
            if self._closed:
                raise scorer_launcher.SandboxClosed("the work was cancelled before its sandbox was opened")
        sandbox = self.backend.open(mounts, environment, copied)
        with self._lock:
            if not self._closed:
                self._sandboxes.append(sandbox)
                return sandbox
        sandbox.close()
        raise scorer_launcher.SandboxClosed("the work was cancelled while its sandbox was opened")

    def close(self) -> None:
        """Close every sandbox. Idempotent, from any thread."""
        with self._lock:
            self._closed = True
            sandboxes, self._sandboxes = self._sandboxes, []
        for sandbox in sandboxes:
            sandbox.close()


async def run(executor: Executor, scope: SandboxScope, work: Callable[[], _T]) -> _T:
    """Do `work` in a thread; close `scope` when it has ended.

    Cancelling kills what runs in the scope and waits until the thread is done before it is passed on, so that
    nothing of a cancelled job is left.
    """
    loop = asyncio.get_running_loop()

    def scoped() -> _T:
        try:
            return work()
        finally:
            scope.close()

    # As asyncio.to_thread does: lines that are logged in the thread say whose they are.
    thread = executor.submit(contextvars.copy_context().run, scoped)
    future = asyncio.wrap_future(thread)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if not thread.cancel():  # else it never began
            closing = loop.run_in_executor(None, scope.close)
            await outlast(asyncio.gather(closing, future, return_exceptions=True))
        raise


async def outlast(future: "asyncio.Future[Any]") -> None:
    """Wait for `future` whatever it ends with, also while this task is cancelled again."""
    while not future.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([future])
    if not future.cancelled():
        future.exception()  # seen
