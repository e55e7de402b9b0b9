"""Performs flows on grpc, for the synchronous client."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.message import Message

from scorer_client._errors import call_failed, empty_answer
from scorer_client._flow import (
    Blocking,
    Emit,
    Flow,
    Open,
    Operation,
    Pause,
    Read,
    Report,
    Tell,
    Unary,
    Upload,
)
from scorer_client._methods import Method
from scorer_client._reporting import REPORT_GRACE_S, log_failed_callback, names_job


class _Stopped(Exception):
    """The flow was stopped from another thread."""


class Performer:
    """Performs one flow. Everything it holds ends with the flow."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], target: str) -> None:
        self._channel = channel
        self._metadata = metadata
        self._target = target
        self._call: Any = None
        self._stopped = threading.Event()

    def iterate(self, flow: Flow[None]) -> Iterator[Any]:
        answer: Any = None
        failure: Exception | None = None
        try:
            while True:
                try:
                    operation = flow.throw(failure) if failure is not None else flow.send(answer)
                except StopIteration:
                    return
                answer, failure = None, None
                if isinstance(operation, Emit):
                    yield operation.item
                    continue
                try:
                    answer = self._perform(operation)
                except Exception as error:
                    failure = error
        finally:
            flow.close()
            if self._call is not None:
                self._call.cancel()

    def stop(self) -> None:
        """Ends the flow, from another thread."""
        self._stopped.set()
        if (call := self._call) is not None:
            call.cancel()

    def _perform(self, operation: Operation) -> Any:
        match operation:
            case Unary(method, request, timeout_s, report):
                # As a stream of one message, which is the same on the wire: grpc shows the initial metadata
                # of a unary call, by which the server accepts the job, no sooner than the response.
                self._open(method, request, timeout_s)
                return self._only_message(report)
            case Upload(method, parts, timeout_s):
                send = self._channel.stream_unary(method.path, method.serialize, method.parse)
                messages = _Messages(parts())
                try:
                    self._hold(send.future(messages, timeout_s, self._metadata))
                    with self._failures():
                        return self._call.result()
                finally:
                    messages.end()
            case Tell():
                _tell(operation)
            case Open(method, request):
                self._open(method, request, None)
            case Read():
                with self._failures():
                    return next(self._call, None)
            case Pause(duration_s):
                if self._stopped.wait(duration_s):
                    raise _Stopped
            case Blocking(work):
                return work()
            case Emit():
                raise AssertionError("items go to the caller")
        return None

    def _open(self, method: Method[Any, Any], request: Message, timeout_s: float | None) -> None:
        stream = self._channel.unary_stream(method.path, method.serialize, method.parse)
        self._hold(stream(request, timeout_s, self._metadata))

    def _hold(self, call: Any) -> None:
        if self._call is not None:
            self._call.cancel()
        self._call = call
        if self._stopped.is_set():
            call.cancel()
            raise _Stopped

    def _only_message(self, report: Report | None) -> Any:
        reporter = None
        if report is not None:
            reporter = _Reporter(Performer(self._channel, self._metadata, self._target), self._call, report)
            reporter.start()
        grace_s = 0.0
        try:
            with self._failures():
                message = next(self._call, None)
                next(self._call, None)
            if message is None:
                raise empty_answer()
            grace_s = REPORT_GRACE_S
            return message
        finally:
            self._call.cancel()
            if reporter is not None:
                reporter.finish(grace_s)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (grpc.RpcError, grpc.FutureCancelledError) as error:
            if self._stopped.is_set():
                raise _Stopped from error
            call = self._call
            raise call_failed(
                call.code(),
                call.details(),
                call.trailing_metadata(),
                target=self._target,
                accepted=names_job(call.initial_metadata()),
            ) from error


def _tell(tell: Tell) -> None:
    if not tell.listener.failed:
        try:
            tell.listener.callback(tell.item)
        except Exception:
            tell.listener.failed = True
            log_failed_callback()


class _Messages:
    """The messages of an upload, as a thread of gRPC takes them; what is to be told is told between them."""

    def __init__(self, parts: Iterator[Message | Tell]) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._ended = False

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        with self._lock:
            while not self._ended:
                part = next(self._parts)
                if not isinstance(part, Tell):
                    return part
                _tell(part)
        raise StopIteration

    def end(self) -> None:
        """Nothing is read or told after this."""
        with self._lock:
            self._ended = True


class _Reporter(threading.Thread):
    """Follows the job of a call beside it, once the call was accepted."""

    def __init__(self, performer: Performer, call: Any, report: Report) -> None:
        super().__init__(name="scorer-client-progress", daemon=True)
        self._performer = performer
        self._call = call
        self._report = report

    def run(self) -> None:
        if not names_job(self._call.initial_metadata()):
            return
        try:
            for item in self._performer.iterate(self._report.feed()):
                try:
                    self._report.callback(item)
                except Exception:
                    log_failed_callback()
                    return
        except _Stopped:
            return

    def finish(self, grace_s: float) -> None:
        """Waits until the last state is reported, not long; then ends the reports, for good."""
        self.join(grace_s)
        self._performer.stop()
        self.join()
