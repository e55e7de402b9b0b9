"""The synchronous client."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import grpc

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
from scorer_client._access import call_metadata
from scorer_client._artifact_content import ArtifactReference, ContentSource
from scorer_client._artifacts import UploadProgress
from scorer_client._attempts import Attempt, CreatedAttempt, Priority, ScoreLogEntry
from scorer_client._channel import DEFAULT_TARGET, open_channel
from scorer_client._environments import Environment
from scorer_client._flow import Flow, T, emit_result
from scorer_client._jobs import Job
from scorer_client._model_results import FixEmbeddingResult, RestrictedMlmResult
from scorer_client._results import RustCodecontestsResult, TritonCumsumResult
from scorer_client._retry import Retry, RetryPolicy, Session
from scorer_client._sync_performer import Performer
from scorer_client._weights import Weights, WeightsSource


class ScorerClient:
    """Scores submissions, synchronously. A context manager; may be used by several threads at once.

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
        on_retry: Called before each pause between tries, on the thread of the call.
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
        self._metadata = call_metadata(
            target,
            is_secure=credentials is not None,
            token=token,
            evaluator_key=evaluator_key,
            allow_plaintext=allow_plaintext,
        )
        self._channel = open_channel(target, credentials)
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

    def score_restricted_mlm(
        self,
        model: str | Path,
        *,
        weights: Weights | None = None,
        training_script: str | Path | None = None,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,
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
        return self._run(_restricted_mlm.score_restricted_mlm(self._session, model, given, options))

    def score_fix_embedding(
        self,
        *,
        weights: Weights | None = None,
        repair_script: str | Path | None = None,
        attempt_id: str | None = None,
        request_id: str | None = None,
        timeout: float | timedelta | None = None,
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
        return self._run(_fix_embedding.score_fix_embedding(self._session, given, options))

    def upload(
        self,
        content: ContentSource,
        *,
        timeout: float | timedelta | None = None,
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
            on_progress: Told how far it is, in any thread, never after this method returned. What it
                raises is logged, and ends the reports only.
        """
        return self._run(_artifacts.upload(self._session, content, timeout, on_progress))

    def get_job(self, job: str) -> Job:
        """The job of that job id or request id, as it is now."""
        return self._run(_jobs.get_job(self._session, job))

    def watch(self, job: str) -> Iterator[Job]:
        """The job of that job id or request id as it is now and after every change, until it has ended."""
        return self._iterate(_jobs.watch_job(self._session, job))

    def cancel(self, job: str) -> Job:
        """Cancels the job of that job id or request id; see its state for whether it had ended before."""
        return self._run(_jobs.cancel_job(self._session, job))

    def create_attempt(
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
        return self._run(
            _attempts.create_attempt(
                self._session, environment, hidden=hidden, label=label, priority=priority, budget=budget
            )
        )

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
        return Performer(self._channel, self._metadata, self._session.target).iterate(flow)
