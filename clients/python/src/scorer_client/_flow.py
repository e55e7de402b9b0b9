"""Flows: what a client does, written once for both colours, as generators that ask for I/O and do none.

A flow yields an operation and is sent its answer (or thrown `CallFailed`). The two clients differ only in how
they perform the eight operations below.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from google.protobuf.message import Message

from scorer_client._errors import CallFailed
from scorer_client._methods import Method, RequestT, ResponseT
from scorer_client._retry import Retrying, Session

T = TypeVar("T")

# A call that does not wait for a judge takes milliseconds; a server that is stuck must not hold its callers.
PLAIN_CALL_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Report:
    """A feed that is read beside a call, from the job's acceptance on, each item given to a callback."""

    feed: "Callable[[], Flow[None]]"
    callback: Callable[[Any], object]


@dataclass(frozen=True)
class Unary:
    """Make one try of a unary call; the answer is its response."""

    method: Method[Any, Any]
    request: Message
    timeout_s: float | None
    report: Report | None = None


@dataclass
class Listener:
    """A caller's callback. What it raises is logged, and ends what it is told."""

    callback: Callable[[Any], object]
    failed: bool = False

    @classmethod
    def of(cls, callback: Callable[[Any], object] | None) -> "Listener | None":
        """A listener for a callback, where there is one."""
        return None if callback is None else cls(callback)


@dataclass(frozen=True)
class Tell:
    """Tell a listener; there is no answer."""

    listener: Listener
    item: Any


@dataclass(frozen=True)
class Upload:
    """Make one try of a client-streaming call; the answer is its response.

    `parts` may block, and is read in another thread: messages, and what to tell once the one before is sent.
    """

    method: Method[Any, Any]
    parts: Callable[[], Iterator[Message | Tell]]
    timeout_s: float | None


@dataclass(frozen=True)
class Open:
    """Begin a server-streaming call, in place of the one begun before."""

    method: Method[Any, Any]
    request: Message


@dataclass(frozen=True)
class Read:
    """Read from the stream; the answer is a message, or None at its end."""


@dataclass(frozen=True)
class Pause:
    """Wait."""

    duration_s: float


@dataclass(frozen=True)
class Blocking:
    """Do local work that may block, such as reading files; the answer is what it returns."""

    work: Callable[[], Any]


@dataclass(frozen=True)
class Emit:
    """Hand an item to the caller."""

    item: Any


Operation: TypeAlias = Unary | Upload | Tell | Open | Read | Pause | Blocking | Emit
Flow: TypeAlias = Generator[Operation, Any, T]


def emit_result(flow: Flow[T]) -> Flow[None]:
    """The flow, with its result as its only item: so that a client has one way to run a flow."""
    yield Emit((yield from flow))


def blocking(work: Callable[[], T]) -> Flow[T]:
    """Does local work that may block."""
    return cast(T, (yield Blocking(work)))


def unary(
    session: Session,
    method: Method[RequestT, ResponseT],
    request: RequestT,
    *,
    idempotent: bool = True,
    within: Retrying | None = None,
) -> Flow[ResponseT]:
    """Makes a call that does not wait for a judge, again after failures as the policy says.

    `within` is the call that this one is a part of, and whose time limit it has to keep.
    """
    tries = Retrying(session, None if within is None else within.remaining_s())
    while True:
        remaining_s = tries.remaining_s()
        timeout_s = PLAIN_CALL_TIMEOUT_S if remaining_s is None else min(PLAIN_CALL_TIMEOUT_S, remaining_s)
        try:
            response = yield Unary(method, request, timeout_s)
        except CallFailed as failed:
            yield Pause(tries.pause_s_after(failed, idempotent=idempotent))
        else:
            tries.answered()
            return cast(ResponseT, response)


def open_stream(
    method: Method[RequestT, ResponseT], request: RequestT
) -> Flow[Callable[[], Flow[ResponseT | None]]]:
    """Begins a stream. The answer reads a message each time, None at the end; it raises CallFailed."""
    yield Open(method, request)

    def read() -> Flow[ResponseT | None]:
        return cast(ResponseT | None, (yield Read()))

    return read
