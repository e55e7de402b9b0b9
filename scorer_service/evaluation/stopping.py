"""The worker's side of a call that can be stopped: by a session, of which the server has the name."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from scorer_service.worker.context import Context


class Stopped(Exception):
    """Nobody wants the result any more."""


@contextlib.contextmanager
def stoppable(context: Context, session: str) -> Iterator[Callable[[int, int], None]]:
    """A function that tells how many windows are done of how many, and raises Stopped once it is time."""
    stopped = context.sessions.setdefault(session, threading.Event())

    def report(done: int, total: int) -> None:
        if stopped.is_set():
            raise Stopped
        context.report(done, total, "windows")

    try:
        yield report
    finally:
        context.sessions.pop(session, None)


def stop(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    """End a call of this `session` after the batch in hand, also one that has not begun.

    With `over`, once the call has answered: forget that it was to be stopped.
    """
    if arguments.get("over"):
        context.sessions.pop(arguments["session"], None)
    else:
        context.sessions.setdefault(arguments["session"], threading.Event()).set()
    return {"status": "ok"}
