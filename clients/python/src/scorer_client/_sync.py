"""The synchronous client: performs flows on grpc."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import grpc
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


class ScorerClient:
    """Scores submissions, synchronously. A context manager; may be used by several threads at once.

    Every method raises a subclass of `ScorerError` where the call fails, after the tries that `retry_policy`
    allows.

    Args:
        target: Where the server is, as `host:port` or any gRPC target.
        credentials: For TLS, from `grpc.ssl_channel_credentials`; None for plain text.
        evaluator_key: The key of `create_attempt`, sent with every call as a bearer token.
        retry_policy: How long to keep trying.
        on_retry: Called before each pause between tries, on the thread of the call.
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
        self._channel = (
            grpc.insecure_channel(target, CHANNEL_OPTIONS)
            if credentials is None
            else grpc.secure_channel(target, credentials, CHANNEL_OPTIONS)
        )
        self._metadata = call_metadata(evaluator_key)
        self._session = Session(
            target, retry_policy or RetryPolicy(), time.monotonic, random.random, on_retry
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; calls in progress end. Jobs go on."""
        self._channel.close()

    def environments(self) -> tuple[Environment, ...]:
        """All environments of the contract, in the order of their names, served here or not."""
        return self._run(_environments.list_environments(self._session))

    def starter(
        self, environment: str, directory: str | Path, *, overwrite: bool = False
    ) -> tuple[Path, ...]:
        """Writes an environment's starter (instructions, starting solution, public data) into a folder.

        Returns the paths of the files, sorted. Nothing is written unless all of it has come. Raises
        `UnsafeStarter` for a path that would leave the folder, and FileExistsError for a folder that is not
        empty unless `overwrite`; files that are not part of the starter are left alone.
        """
        return self._run(
            _starter.fetch_starter(self._session, environment, Path(directory), overwrite=overwrite)
        )

    def score_rust_codecontests(
        self,
        programs: Mapping[str, str | Path],
        *,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,
        on_progress: Callable[[Job], object] | None = None,
    ) -> RustCodecontestsResult:
        """Scores Rust programs, and waits for the verdict as long as it takes.

        A broken connection, a restart of the server and a full queue are waited out (see `RetryPolicy`): the
        call is made again with the same request id, which re-attaches to the job or returns its stored
        result.

        Args:
            programs: For each problem id its program: the source as text, or a `Path` to it.
            attempt_id: The attempt whose log takes the score.
            request_id: A UUID of version 4, to re-attach to an earlier call; None for a new one.
            timeout: Seconds for all of it; None for no limit. When it passes, `DeadlinePassed` is raised and
                the job goes on.
            on_progress: Given the job after every change. Called on a thread of its own, and never after this
                method returned. What it raises is logged, and ends the reports only.
        """
        options = _scoring.ScoreOptions(attempt_id, request_id, timeout, on_progress)
        return self._run(_rust_codecontests.score_rust_codecontests(self._session, programs, options))

    def score_triton_cumsum(
        self,
        solution: str | Path,
        *,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,
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
        return self._run(_triton_cumsum.score_triton_cumsum(self._session, solution, options))

    def get_job(self, job: str) -> Job:
        """The job of that job id or request id, as it is now."""
        return self._run(_jobs.get_job(self._session, job))

    def watch(self, job: str) -> Iterator[Job]:
        """The job of that job id or request id as it is now and after every change, until it has ended."""
        return self._iterate(_jobs.watch_job(self._session, job))

    def cancel(self, job: str) -> Job:
        """Cancels the job of that job id or request id; see its state for whether it had ended before."""
        return self._run(_jobs.cancel_job(self._session, job))

    def create_attempt(self, environment: str, *, hidden: bool = False, label: str = "") -> CreatedAttempt:
        """Begins an attempt; `hidden` keeps scores from whoever has no evaluator key.

        Args:
            environment: The environment's name.
            hidden: Whether scores are hidden without the evaluator key.
            label: Says whose attempt it is, at most 200 characters; shown to the evaluator only.
        """
        return self._run(_attempts.create_attempt(self._session, environment, hidden=hidden, label=label))

    def get_attempt(self, attempt_id: str) -> Attempt:
        """The attempt, with its final score so far."""
        return self._run(_attempts.get_attempt(self._session, attempt_id))

    def list_scores(self, attempt_id: str) -> Iterator[ScoreLogEntry]:
        """The score log of an attempt, oldest first; pages are fetched as they are needed."""
        return self._iterate(_attempts.list_scores(self._session, attempt_id))

    def close_attempt(self, attempt_id: str) -> Attempt:
        """Closes an attempt, so that its final score stands. Needs the evaluator key."""
        return self._run(_attempts.close_attempt(self._session, attempt_id))

    def _run(self, flow: Flow[T]) -> T:
        return cast(T, next(self._iterate(emit_result(flow))))

    def _iterate(self, flow: Flow[None]) -> Iterator[Any]:
        return _Performer(self._channel, self._metadata, self._session.target).iterate(flow)


class _Stopped(Exception):
    """The flow was stopped from another thread."""


class _Performer:
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
            case Upload(method, requests, timeout_s):
                send = self._channel.stream_unary(method.path, method.serialize, method.parse)
                self._hold(send.future(requests(), timeout_s, self._metadata))
                with self._failures():
                    return self._call.result()
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
            reporter = _Reporter(_Performer(self._channel, self._metadata, self._target), self._call, report)
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


class _Reporter(threading.Thread):
    """Follows the job of a call beside it, once the call was accepted."""

    def __init__(self, performer: _Performer, call: Any, report: Report) -> None:
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
