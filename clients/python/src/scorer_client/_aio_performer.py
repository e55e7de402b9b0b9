"""Performs flows on grpc.aio, for the asynchronous client."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, cast

import grpc
import grpc.aio
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


class Performer:
    """Performs one flow. Everything it holds ends with the flow."""

    def __init__(self, channel: grpc.aio.Channel, metadata: tuple[tuple[str, str], ...], target: str) -> None:
        self._channel = channel
        self._metadata = metadata
        self._target = target
        self._call: Any = None

    async def iterate(self, flow: Flow[None]) -> AsyncGenerator[Any, None]:
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
                    answer = await self._perform(operation)
                except Exception as error:
                    failure = error
        finally:
            flow.close()
            if self._call is not None:
                self._call.cancel()

    async def _perform(self, operation: Operation) -> Any:
        match operation:
            case Unary(method, request, timeout_s, report):
                # As a stream of one message, which is the same on the wire: grpc shows the initial metadata
                # of a unary call, by which the server accepts the job, no sooner than the response.
                self._open(method, request, timeout_s)
                return await self._only_message(report)
            case Upload(method, parts, timeout_s):
                send = self._channel.stream_unary(method.path, method.serialize, method.parse)
                self._hold(send(_messages(parts()), timeout=timeout_s, metadata=self._metadata))
                with self._failures():
                    return await self._call
            case Tell():
                await _tell(operation)
            case Open(method, request):
                self._open(method, request, None)
            case Read():
                return await self._next_message()
            case Pause(duration_s):
                await asyncio.sleep(duration_s)
            case Blocking(work):
                return await asyncio.to_thread(work)
            case Emit():
                raise AssertionError("items go to the caller")
        return None

    def _open(self, method: Method[Any, Any], request: Message, timeout_s: float | None) -> None:
        stream = self._channel.unary_stream(method.path, method.serialize, method.parse)
        self._hold(stream(request, timeout=timeout_s, metadata=self._metadata))

    def _hold(self, call: Any) -> None:
        if self._call is not None:
            self._call.cancel()
        self._call = call

    async def _next_message(self) -> Any:
        with self._failures():
            message = await self._call.read()
        return None if message is grpc.aio.EOF else message

    async def _only_message(self, report: Report | None) -> Any:
        reporter = None
        if report is not None:
            reporter = asyncio.create_task(self._report(self._call, report))
        grace_s = 0.0
        try:
            message = await self._next_message()
            if message is None:
                raise empty_answer()
            await self._next_message()
            grace_s = REPORT_GRACE_S
            return message
        finally:
            self._call.cancel()
            if reporter is not None:
                await asyncio.wait((reporter,), timeout=grace_s)
                reporter.cancel()
                await asyncio.wait((reporter,))

    async def _report(self, call: Any, report: Report) -> None:
        if not names_job(await call.initial_metadata()):
            return
        beside = Performer(self._channel, self._metadata, self._target)
        async with aclosing(beside.iterate(report.feed())) as items:
            async for item in items:
                try:
                    outcome = report.callback(item)
                    if inspect.isawaitable(outcome):
                        await outcome
                except Exception:
                    log_failed_callback()
                    return

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except grpc.aio.AioRpcError as error:
            raise call_failed(
                error.code(),
                error.details(),
                cast(Any, error.trailing_metadata()),
                target=self._target,
                accepted=names_job(cast(Any, error.initial_metadata())),
            ) from error


async def _tell(tell: Tell) -> None:
    if not tell.listener.failed:
        try:
            outcome = tell.listener.callback(tell.item)
            if inspect.isawaitable(outcome):
                await outcome
        except Exception:
            tell.listener.failed = True
            log_failed_callback()


async def _messages(parts: Iterator[Message | Tell]) -> AsyncIterator[Message]:
    """The messages of an upload, read in a thread; what is to be told is told between them."""
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        if isinstance(part, Tell):
            await _tell(part)
        else:
            yield part
