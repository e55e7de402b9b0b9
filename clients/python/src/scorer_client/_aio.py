"""The asynchronous client: performs flows on grpc.aio."""

import asyncio
import inspect
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import grpc
import grpc.aio
from google.protobuf.message import Message

from scorer_client import (
    _attempts,
    _environments,
    _jobs,
    _rust_codecontests,
    _scoring,
    _starter,
    _triton_cumsum,
)
from scorer_client._attempts import Attempt, CreatedAttempt, ScoreLogEntry
from scorer_client._channel import CHANNEL_OPTIONS, DEFAULT_TARGET, call_metadata
from scorer_client._environments import Environment
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
    T,
    Unary,
    Upload,
    emit_result,
)
from scorer_client._jobs import Job
from scorer_client._methods import Method
from scorer_client._reporting import REPORT_GRACE_S, log_failed_callback, names_job
from scorer_client._results import RustCodecontestsResult, TritonCumsumResult
from scorer_client._retry import Retry, RetryPolicy, Session


class AsyncScorerClient:
    """Scores submissions, on asyncio. An asynchronous context manager, for one event loop.

    Every method raises a subclass of `ScorerError` where the call fails, after the tries that `retry_policy`
    allows.

    Args:
        target: Where the server is, as `host:port` or any gRPC target.
        credentials: For TLS, from `grpc.ssl_channel_credentials`; None for plain text.
        evaluator_key: The key of `create_attempt`, sent with every call as a bearer token.
        retry_policy: How long to keep trying.
        on_retry: Called before each pause between tries.
    """

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        evaluator_key: str | None = None,
        retry_policy: RetryPolicy | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self._credentials = credentials
        # Made with the first call: a channel of grpc.aio belongs to the loop that runs when it is made.
        self._channel: grpc.aio.Channel | None = None
        self._metadata = call_metadata(evaluator_key)
        self._session = Session(
            target, retry_policy or RetryPolicy(), time.monotonic, random.random, on_retry
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection; calls in progress end. Jobs go on."""
        if self._channel is not None:
            await self._channel.close()

    async def environments(self) -> tuple[Environment, ...]:
        """All environments of the contract, in the order of their names, served here or not."""
        return await self._run(_environments.list_environments(self._session))

    async def starter(
        self, environment: str, directory: str | Path, *, overwrite: bool = False
    ) -> tuple[Path, ...]:
        """Writes an environment's starter (instructions, starting solution, public data) into a folder.

        Returns the paths of the files, sorted. Nothing is written unless all of it has come. Raises
        `UnsafeStarter` for a path that would leave the folder, and FileExistsError for a folder that is not
        empty unless `overwrite`; files that are not part of the starter are left alone.
        """
        return await self._run(
            _starter.fetch_starter(self._session, environment, Path(directory), overwrite=overwrite)
        )

    async def score_rust_codecontests(
        self,
        programs: Mapping[str, str | Path],
        *,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        on_progress: Callable[[Job], object] | None = None,
    ) -> RustCodecontestsResult:
        """Scores Rust programs, and waits for the verdict as long as it takes.

        A broken connection, a restart of the server and a full queue are waited out (see `RetryPolicy`): the
        call is made again with the same request id, which re-attaches to the job or returns its stored
        result. Cancelling the task cancels no job.

        Args:
            programs: For each problem id its program: the source as text, or a `Path` to it.
            attempt_id: The attempt whose log takes the score.
            request_id: A UUID of version 4, to re-attach to an earlier call; None for a new one.
            timeout: Seconds for all of it; None for no limit. When it passes, `DeadlinePassed` is raised and
                the job goes on.
            on_progress: Given the job after every change, never after this method returned; what it returns
                is awaited if it can be. What it raises is logged, and ends the reports only.
        """
        options = _scoring.ScoreOptions(attempt_id, request_id, timeout, on_progress)
        return await self._run(_rust_codecontests.score_rust_codecontests(self._session, programs, options))

    async def score_triton_cumsum(
        self,
        solution: str | Path,
        *,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        on_progress: Callable[[Job], object] | None = None,
    ) -> TritonCumsumResult:
        """Scores a kernel for prefix sums by its time, and waits for the verdict as long as it takes.

        Failures are waited out, and `attempt_id`, `request_id`, `timeout` and `on_progress` work, as in
        `score_rust_codecontests`.

        Args:
            solution: Python with a function `prefix_sum(x)`: the source as text, or a `Path` to it.
            attempt_id: The attempt whose log takes the score.
            request_id: A UUID of version 4, to re-attach to an earlier call; None for a new one.
            timeout: Seconds for all of it; None for no limit.
            on_progress: Given the job after every change.
        """
        options = _scoring.ScoreOptions(attempt_id, request_id, timeout, on_progress)
        return await self._run(_triton_cumsum.score_triton_cumsum(self._session, solution, options))

    async def get_job(self, job: str) -> Job:
        """The job of that job id or request id, as it is now."""
        return await self._run(_jobs.get_job(self._session, job))

    def watch(self, job: str) -> AsyncIterator[Job]:
        """The job of that job id or request id as it is now and after every change, until it has ended."""
        return self._iterate(_jobs.watch_job(self._session, job))

    async def cancel(self, job: str) -> Job:
        """Cancels the job of that job id or request id; see its state for whether it had ended before."""
        return await self._run(_jobs.cancel_job(self._session, job))

    async def create_attempt(
        self, environment: str, *, hidden: bool = False, label: str = ""
    ) -> CreatedAttempt:
        """Begins an attempt; `hidden` keeps scores from whoever has no evaluator key.

        Args:
            environment: The environment's name.
            hidden: Whether scores are hidden without the evaluator key.
            label: Says whose attempt it is, at most 200 characters; shown to the evaluator only.
        """
        return await self._run(
            _attempts.create_attempt(self._session, environment, hidden=hidden, label=label)
        )

    async def get_attempt(self, attempt_id: str) -> Attempt:
        """The attempt, with its final score so far."""
        return await self._run(_attempts.get_attempt(self._session, attempt_id))

    def list_scores(self, attempt_id: str) -> AsyncIterator[ScoreLogEntry]:
        """The score log of an attempt, oldest first; pages are fetched as they are needed."""
        return self._iterate(_attempts.list_scores(self._session, attempt_id))

    async def close_attempt(self, attempt_id: str) -> Attempt:
        """Closes an attempt, so that its final score stands. Needs the evaluator key."""
        return await self._run(_attempts.close_attempt(self._session, attempt_id))

    async def _run(self, flow: Flow[T]) -> T:
        async with aclosing(self._iterate(emit_result(flow))) as items:
            return cast(T, await anext(items))

    async def _iterate(self, flow: Flow[None]) -> AsyncGenerator[Any, None]:
        if self._channel is None:
            target = self._session.target
            self._channel = (
                grpc.aio.insecure_channel(target, CHANNEL_OPTIONS)
                if self._credentials is None
                else grpc.aio.secure_channel(target, self._credentials, CHANNEL_OPTIONS)
            )
        performer = _Performer(self._channel, self._metadata, self._session.target)
        async with aclosing(performer.iterate(flow)) as items:
            async for item in items:
                yield item


class _Performer:
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
            case Upload(method, requests, timeout_s):
                send = self._channel.stream_unary(method.path, method.serialize, method.parse)
                self._hold(send(requests(), timeout=timeout_s, metadata=self._metadata))
                with self._failures():
                    return await self._call
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
        beside = _Performer(self._channel, self._metadata, self._target)
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
