"""The asynchronous client."""

import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import grpc
import grpc.aio

from scorer_client import (
    _artifacts,
    _attempts,
    _environments,
    _fix_embedding,
    _jobs,
    _restricted_mlm,
    _rust_codecontests,
    _scoring,
    _starter,
    _triton_cumsum,
)
from scorer_client._access import call_metadata, channel_options
from scorer_client._aio_performer import Performer
from scorer_client._artifact_content import ArtifactReference, ContentSource
from scorer_client._artifacts import UploadProgress
from scorer_client._attempts import Attempt, CreatedAttempt, Priority, ScoreLogEntry
from scorer_client._channel import CHANNEL_OPTIONS, DEFAULT_TARGET
from scorer_client._environments import Environment
from scorer_client._flow import Flow, T, emit_result
from scorer_client._jobs import Job
from scorer_client._model_results import FixEmbeddingResult, RestrictedMlmResult
from scorer_client._results import RustCodecontestsResult, TritonCumsumResult
from scorer_client._retry import Retry, RetryPolicy, Session
from scorer_client._weights import Weights, WeightsSource


class AsyncScorerClient:
    """Scores submissions, on asyncio. An asynchronous context manager, for one event loop.

    Every method raises a subclass of `ScorerError` where the call fails, after the tries that `retry_policy`
    allows.

    Args:
        target: Where the server is, as `host:port` or any gRPC target.
        credentials: For TLS, from `tls_credentials` or `grpc.ssl_channel_credentials`; None for plain text.
        token: An access token, for a server that asks for one; sent with every call.
        evaluator_key: The key of `create_attempt`, which shows the whole attempt; sent with every call.
        allow_plaintext: Send token and key also to another machine without TLS. `InvalidRequest` is raised
            otherwise.
        retry_policy: How long to keep trying.
        on_retry: Called before each pause between tries.
    """

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        evaluator_key: str | None = None,
        allow_plaintext: bool = False,
        retry_policy: RetryPolicy | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self._credentials = credentials
        # Made with the first call: a channel of grpc.aio belongs to the loop that runs when it is made.
        self._channel: grpc.aio.Channel | None = None
        self._metadata = call_metadata(
            target,
            is_secure=credentials is not None,
            token=token,
            evaluator_key=evaluator_key,
            allow_plaintext=allow_plaintext,
        )
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

    async def score_restricted_mlm(
        self,
        model: str | Path,
        *,
        weights: Weights | None = None,
        training_script: str | Path | None = None,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        on_progress: Callable[[Job], object] | None = None,
        on_upload_progress: Callable[[UploadProgress], object] | None = None,
    ) -> RestrictedMlmResult:
        """Scores a masked language model by its loss on hidden text, and waits for the verdict.

        Give `weights` or `training_script`, one of the two. Failures are waited out, and `attempt_id`,
        `request_id`, `timeout` and `on_progress` work, as in `score_rust_codecontests`.

        Args:
            model: Python with `get_model()`: the source as text, or a `Path` to it.
            weights: A path to a safetensors file, its bytes, or what `upload` answered for it.
            training_script: Python that trains the model: the source as text, or a `Path` to it.
            attempt_id: The attempt whose log takes the score.
            request_id: A UUID of version 4, to re-attach to an earlier call; None for a new one.
            timeout: Seconds for all of it; None for no limit.
            on_progress: Given the job after every change.
            on_upload_progress: Told how far the upload of the weights is, as by `upload`.
        """
        given = WeightsSource(weights, training_script, _restricted_mlm.SCRIPT_FIELD, on_upload_progress)
        options = _scoring.ScoreOptions(attempt_id, request_id, timeout, on_progress)
        return await self._run(_restricted_mlm.score_restricted_mlm(self._session, model, given, options))

    async def score_fix_embedding(
        self,
        *,
        weights: Weights | None = None,
        repair_script: str | Path | None = None,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        on_progress: Callable[[Job], object] | None = None,
        on_upload_progress: Callable[[UploadProgress], object] | None = None,
    ) -> FixEmbeddingResult:
        """Scores a repaired language model by its loss on hidden text, and waits for the verdict.

        Give `weights` or `repair_script`, one of the two. Failures are waited out, and `attempt_id`,
        `request_id`, `timeout` and `on_progress` work, as in `score_rust_codecontests`.

        Args:
            weights: A path to a safetensors file with the names and shapes of the starter's model, its
                bytes, or what `upload` answered for it.
            repair_script: Python that writes such a file: the source as text, or a `Path` to it.
            attempt_id: The attempt whose log takes the score.
            request_id: A UUID of version 4, to re-attach to an earlier call; None for a new one.
            timeout: Seconds for all of it; None for no limit.
            on_progress: Given the job after every change.
            on_upload_progress: Told how far the upload of the weights is, as by `upload`.
        """
        given = WeightsSource(weights, repair_script, _fix_embedding.SCRIPT_FIELD, on_upload_progress)
        options = _scoring.ScoreOptions(attempt_id, request_id, timeout, on_progress)
        return await self._run(_fix_embedding.score_fix_embedding(self._session, given, options))

    async def upload(
        self,
        content: ContentSource,
        *,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        on_progress: Callable[[UploadProgress], object] | None = None,
    ) -> ArtifactReference:
        """Uploads a file as an artifact, unless the server has it; `weights` takes what this returns.

        The file is read twice, for its digest and to send it, a piece at a time. An upload that was
        interrupted, by a broken connection, a killed server or the end of this process, goes on where it
        stopped. While another client uploads the same content, this one waits for it. Raises OSError for a
        file that cannot be read, `InvalidRequest` for one that is no regular file or is over the server's
        limit, `FileChanged` for one that is written to meanwhile, and `Overloaded` where the server has no
        room.

        Args:
            content: A path to a file, or the bytes themselves.
            timeout: Seconds for all of it; None for no limit.
            on_progress: Told how far it is; what it returns is awaited if it can be. What it raises is
                logged, and ends the reports only.
        """
        return await self._run(_artifacts.upload(self._session, content, timeout, on_progress))

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
        self,
        environment: str,
        *,
        hidden: bool = False,
        label: str = "",
        priority: Priority = Priority.NORMAL,
        budget: int = 0,
    ) -> CreatedAttempt:
        """Begins an attempt; `hidden` keeps scores from whoever has no evaluator key.

        Args:
            environment: The environment's name.
            hidden: Whether scores are hidden without the evaluator key.
            label: Says whose attempt it is, at most 200 characters; shown to the evaluator only.
            priority: How its submissions are treated beside those of others.
            budget: How many scorings it may have; 0 for the server's default, which may be no limit.
        """
        return await self._run(
            _attempts.create_attempt(
                self._session, environment, hidden=hidden, label=label, priority=priority, budget=budget
            )
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
            options = channel_options(target, CHANNEL_OPTIONS)
            self._channel = (
                grpc.aio.insecure_channel(target, options)
                if self._credentials is None
                else grpc.aio.secure_channel(target, self._credentials, options)
            )
        performer = Performer(self._channel, self._metadata, self._session.target)
        async with aclosing(performer.iterate(flow)) as items:
            async for item in items:
                yield item
