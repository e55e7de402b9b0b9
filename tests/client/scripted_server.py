"""A double of the server, in memory behind a real channel, to script failures.

A real server cannot be made to show them on demand: broken connections, a full queue (RESOURCE_EXHAUSTED), a
restart in the middle of judging, unsafe starters, results of a newer server. The double answers every call
of the contract that the client makes, and judges nothing: every program is accepted unless a test says
otherwise.
"""

import hashlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
from scorer.v1 import (
    artifact_pb2,
    artifact_pb2_grpc,
    attempt_pb2,
    attempt_pb2_grpc,
    environment_pb2,
    environment_pb2_grpc,
    job_pb2,
    job_pb2_grpc,
    scoring_pb2_grpc,
)

from tests.client.scripted_answers import (
    EmbeddingRequest,
    EmbeddingResponse,
    MlmRequest,
    MlmResponse,
    ScoreRequest,
    ScoreResponse,
    TritonRequest,
    TritonResponse,
    accepted,
    judged_embedding,
    judged_mlm,
    refuse,
    timed,
)

Step = Callable[["ScriptedServer", ScoreRequest, grpc.ServicerContext], ScoreResponse]


class ScriptedServer:
    """The state survives `restart`, as that of the real server does."""

    def __init__(self, credentials: grpc.ServerCredentials | None = None) -> None:
        """Speaks TLS where it is given credentials."""
        self._credentials = credentials
        self.steps: deque[Step] = deque()
        """What the next Score calls do, instead of judging."""
        self.respond: Callable[[ScoreRequest, str], ScoreResponse] = accepted
        self.respond_triton: Callable[[TritonRequest, str], TritonResponse] = timed
        self.respond_mlm: Callable[[MlmRequest, str], MlmResponse] = judged_mlm
        self.respond_embedding: Callable[[EmbeddingRequest, str], EmbeddingResponse] = judged_embedding
        self.score_requests: list[ScoreRequest] = []
        self.triton_requests: list[TritonRequest] = []
        self.mlm_requests: list[MlmRequest] = []
        self.embedding_requests: list[EmbeddingRequest] = []
        self.metadata: list[dict[str, str | bytes]] = []
        self.judged = threading.Event()
        """Cleared by a test that wants jobs to stay with the judge."""
        self.judged.set()
        self.inline_limit_bytes = 65536
        self.source_limit_bytes = 8 * 1024 * 1024
        self.model_environments: tuple[str, ...] = ()
        """Which of restricted_mlm and fix_embedding this server has."""
        self.starter: list[environment_pb2.GetStarterResponse] = []
        self.break_starter_after: deque[int] = deque()
        """After how many pieces each of the next GetStarter calls breaks."""
        self.artifacts: dict[str, bytes] = {}
        self.partial: dict[str, bytes] = {}
        self.upload_offsets: list[int] = []
        self.largest_chunk_bytes = 0
        self.break_upload_after: deque[int] = deque()
        """After how many chunks each of the next uploads breaks."""
        self.upload_failures: deque[Callable[[grpc.ServicerContext], None]] = deque()
        """What the next uploads fail with; none of their chunks is kept."""
        self.after_chunk: Callable[[int], object] = lambda number: None
        """Called after each chunk of an upload, with its number."""
        self.attempts: dict[str, attempt_pb2.Attempt] = {}
        self.agent_token = ""
        """What CreateAttempt answers; empty as by a server that asks for no tokens."""
        self.log: list[attempt_pb2.ScoreLogEntry] = []
        self.page_sizes: list[int] = []
        self.plain_failures: deque[Callable[[grpc.ServicerContext], None]] = deque()
        """What the next calls other than Score fail with."""
        self.end_watch_early = 0
        """How many of the next watches end after the first state, as those of a draining server may."""
        self.on_early_end: Callable[[], object] = lambda: None
        """Called when the last of them ends."""
        self._changed = threading.Condition()
        self._jobs: dict[str, job_pb2.Job] = {}
        self._results: dict[str, Any] = {}
        self._payloads: dict[str, bytes] = {}
        self._port = 0
        self._server: grpc.Server | None = None
        self.start()

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        # A thread for each call in progress: a watcher and a scoring wait for each other.
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=32))
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server(_Scoring(self), self._server)
        job_pb2_grpc.add_JobServiceServicer_to_server(_Jobs(self), self._server)
        environment_pb2_grpc.add_EnvironmentServiceServicer_to_server(_Environments(self), self._server)
        attempt_pb2_grpc.add_AttemptServiceServicer_to_server(_Attempts(self), self._server)
        artifact_pb2_grpc.add_ArtifactServiceServicer_to_server(_Artifacts(self), self._server)  # type: ignore[abstract]
        address = f"127.0.0.1:{self._port}"
        self._port = (
            self._server.add_insecure_port(address)
            if self._credentials is None
            else self._server.add_secure_port(address, self._credentials)
        )
        self._server.start()

    def stop(self) -> None:
        """Breaks every connection at once, as a crash does."""
        assert self._server is not None
        stopped = self._server.stop(grace=None)
        with self._changed:
            self._changed.notify_all()
        stopped.wait()

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        self.judged.set()
        self.stop()

    def set_job(self, request_id: str, **fields: Any) -> job_pb2.Job:
        """Changes a job (or makes it), and tells its watchers."""
        with self._changed:
            job = self._jobs.setdefault(
                request_id,
                job_pb2.Job(
                    job_id=f"job-{len(self._jobs) + 1}",
                    environment="rust_codecontests",
                    state=job_pb2.JOB_STATE_QUEUED,
                    delivery_count=1,
                ),
            )
            job.MergeFrom(job_pb2.Job(**fields))
            self._changed.notify_all()
            return job

    def find_job(self, name: job_pb2.JobName, context: grpc.ServicerContext) -> job_pb2.Job:
        with self._changed:
            found = next(
                (
                    job
                    for request_id, job in self._jobs.items()
                    if name.request_id == request_id or name.job_id == job.job_id
                ),
                None,
            )
        if found is None:
            refuse(
                context,
                grpc.StatusCode.NOT_FOUND,
                f"there is no job {name.request_id or name.job_id}",
                reason="JOB_NOT_FOUND",
            )
        return found

    def fail_plain_call(self, context: grpc.ServicerContext) -> None:
        self.metadata.append(dict(context.invocation_metadata()))
        if self.plain_failures:
            self.plain_failures.popleft()(context)

    def score(self, request: ScoreRequest, context: grpc.ServicerContext) -> ScoreResponse:
        self.score_requests.append(ScoreRequest.FromString(request.SerializeToString()))
        self.metadata.append(dict(context.invocation_metadata()))
        if self.steps:
            return self.steps.popleft()(self, request, context)
        response: ScoreResponse = self.judge(request, context)
        return response

    def score_triton(self, request: TritonRequest, context: grpc.ServicerContext) -> TritonResponse:
        self.triton_requests.append(TritonRequest.FromString(request.SerializeToString()))
        self.metadata.append(dict(context.invocation_metadata()))
        response: TritonResponse = self.judge(request, context)
        return response

    def score_mlm(self, request: MlmRequest, context: grpc.ServicerContext) -> MlmResponse:
        self.mlm_requests.append(MlmRequest.FromString(request.SerializeToString()))
        response: MlmResponse = self.judge(request, context)
        return response

    def score_embedding(self, request: EmbeddingRequest, context: grpc.ServicerContext) -> EmbeddingResponse:
        self.embedding_requests.append(EmbeddingRequest.FromString(request.SerializeToString()))
        response: EmbeddingResponse = self.judge(request, context)
        return response

    def judge(self, request: Any, context: grpc.ServicerContext) -> Any:
        request_id = request.context.request_id
        payload = request.SerializeToString(deterministic=True)
        if self._payloads.setdefault(request_id, payload) != payload:
            refuse(
                context,
                grpc.StatusCode.ALREADY_EXISTS,
                f"request_id {request_id} was used with another payload",
                reason="REQUEST_ID_REUSED",
            )
        job = self.set_job(request_id)
        context.send_initial_metadata((("scorer-job-id", job.job_id),))
        if request_id not in self._results:
            self.set_job(
                request_id,
                state=job_pb2.JOB_STATE_RUNNING,
                stage="judge",
                progress=job_pb2.Progress(done=1, total=2, unit="problems"),
            )
            while not self.judged.wait(0.02):
                if not context.is_active():
                    context.abort(grpc.StatusCode.CANCELLED, "the caller left")
                if job.state == job_pb2.JOB_STATE_CANCELLED:
                    refuse(
                        context, grpc.StatusCode.CANCELLED, "the job was cancelled", reason="JOB_CANCELLED"
                    )
            respond: Any = {
                ScoreRequest: self.respond,
                TritonRequest: self.respond_triton,
                MlmRequest: self.respond_mlm,
                EmbeddingRequest: self.respond_embedding,
            }[type(request)]
            self._results[request_id] = respond(request, job.job_id)
        self.set_job(
            request_id,
            state=job_pb2.JOB_STATE_SUCCEEDED,
            progress=job_pb2.Progress(done=2, total=2, unit="problems"),
        )
        return self._results[request_id]

    def watch(
        self, name: job_pb2.JobName, context: grpc.ServicerContext
    ) -> Iterator[job_pb2.WatchJobResponse]:
        job = self.find_job(name, context)
        last = b""
        while context.is_active():
            with self._changed:
                current = job.SerializeToString(deterministic=True)
                if current == last:
                    self._changed.wait(0.05)
                    continue
            last = current
            yield job_pb2.WatchJobResponse(job=job_pb2.Job.FromString(current))
            yield job_pb2.WatchJobResponse(job=job_pb2.Job.FromString(current), heartbeat=True)
            if job_pb2.Job.FromString(current).state >= job_pb2.JOB_STATE_SUCCEEDED:
                return
            if self.end_watch_early:
                self.end_watch_early -= 1
                if not self.end_watch_early:
                    self.on_early_end()
                return


class _Servicer:
    def __init__(self, server: ScriptedServer) -> None:
        self.server = server


class _Scoring(_Servicer, scoring_pb2_grpc.ScoringServiceServicer):
    def ScoreRustCodecontests(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self.server.score(request, context)

    def ScoreTritonCumsum(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self.server.score_triton(request, context)

    def ScoreRestrictedMlm(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self.server.score_mlm(request, context)

    def ScoreFixEmbedding(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self.server.score_embedding(request, context)


class _Jobs(_Servicer, job_pb2_grpc.JobServiceServicer):
    def GetJob(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        return job_pb2.GetJobResponse(job=self.server.find_job(request.name, context))

    def WatchJob(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self.server.watch(request.name, context)

    def CancelJob(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        job = self.server.find_job(request.name, context)
        if job.state < job_pb2.JOB_STATE_SUCCEEDED:
            job.state = job_pb2.JOB_STATE_CANCELLED
        return job_pb2.CancelJobResponse(job=job)


class _Environments(_Servicer, environment_pb2_grpc.EnvironmentServiceServicer):
    def ListEnvironments(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        response = environment_pb2.ListEnvironmentsResponse(server_version="0.1.0")
        response.environments.add(
            name="rust_codecontests",
            description="Rust programs for contest problems.",
            serving=True,
            profile="embedded",
            device="cpu",
            raw_score_unit="problems solved / problems",
            direction=environment_pb2.SCORE_DIRECTION_HIGHER,
            inline_source_limit_bytes=self.server.inline_limit_bytes,
            source_limit_bytes=self.server.source_limit_bytes,
            anchors=environment_pb2.Anchors(starting_raw=0, reference_raw=0.5),
            limits=[environment_pb2.EnvironmentLimit(name="compile time", value="10 s")],
            isolation="native, cgroup-v2",
        )
        response.environments.add(
            name="triton_cumsum",
            not_serving_reason="there is no worker for it",
            raw_score_unit="ln(ms)",
            inline_source_limit_bytes=self.server.inline_limit_bytes,
            source_limit_bytes=self.server.source_limit_bytes,
        )
        for name in self.server.model_environments:
            response.environments.add(
                name=name,
                serving=True,
                raw_score_unit="ln(nats - 1.5)",
                direction=environment_pb2.SCORE_DIRECTION_LOWER,
                inline_source_limit_bytes=self.server.inline_limit_bytes,
                source_limit_bytes=self.server.source_limit_bytes,
            )
        return response

    def GetStarter(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.environment != "rust_codecontests":
            refuse(
                context,
                grpc.StatusCode.NOT_FOUND,
                f"there is no environment {request.environment}",
                reason="ENVIRONMENT_NOT_FOUND",
            )
        limit = self.server.break_starter_after.popleft() if self.server.break_starter_after else None
        for number, piece in enumerate(self.server.starter):
            if number == limit:
                context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
            yield piece


class _Attempts(_Servicer, attempt_pb2_grpc.AttemptServiceServicer):
    def CreateAttempt(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        attempt = attempt_pb2.Attempt(
            attempt_id=f"attempt-{len(self.server.attempts) + 1}",
            environment=request.environment,
            policy=request.policy,
            label=request.label,
            priority=request.priority,
        )
        if request.scoring_budget:
            attempt.scoring_budget = attempt.remaining_scorings = request.scoring_budget
        attempt.created_at.FromSeconds(1_700_000_000)
        self.server.attempts[attempt.attempt_id] = attempt
        return attempt_pb2.CreateAttemptResponse(
            attempt=attempt, evaluator_key="key-of-the-evaluator", agent_token=self.server.agent_token
        )

    def _find(self, attempt_id: str, context: grpc.ServicerContext) -> attempt_pb2.Attempt:
        if attempt_id not in self.server.attempts:
            refuse(
                context,
                grpc.StatusCode.NOT_FOUND,
                f"there is no attempt {attempt_id}",
                reason="ATTEMPT_NOT_FOUND",
            )
        return self.server.attempts[attempt_id]

    def GetAttempt(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        return attempt_pb2.GetAttemptResponse(attempt=self._find(request.attempt_id, context))

    def ListScores(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        self._find(request.attempt_id, context)
        self.server.page_sizes.append(request.page_size)
        begin = int(request.page_token or 0)
        response = attempt_pb2.ListScoresResponse(entries=self.server.log[begin : begin + 2])
        if begin + 2 < len(self.server.log):
            response.next_page_token = str(begin + 2)
        return response

    def CloseAttempt(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.server.fail_plain_call(context)
        attempt = self._find(request.attempt_id, context)
        if self.server.metadata[-1].get("authorization") != "Bearer key-of-the-evaluator":
            refuse(
                context,
                grpc.StatusCode.PERMISSION_DENIED,
                "the evaluator key is wrong",
                reason="WRONG_EVALUATOR_KEY",
            )
        attempt.closed_at.FromSeconds(1_700_000_060)
        return attempt_pb2.CloseAttemptResponse(attempt=attempt)


class _Artifacts(_Servicer, artifact_pb2_grpc.ArtifactServiceServicer):
    def FindMissingArtifacts(self, request: Any, context: Any) -> Any:  # noqa: N802
        missing = [
            reference for reference in request.artifacts if reference.sha256 not in self.server.artifacts
        ]
        return artifact_pb2.FindMissingArtifactsResponse(missing=missing)

    def GetUploadOffset(self, request: Any, context: Any) -> Any:  # noqa: N802
        partial = self.server.partial.get(request.artifact.sha256, b"")
        return artifact_pb2.GetUploadOffsetResponse(offset_bytes=len(partial))

    def UploadArtifact(self, request_iterator: Any, context: Any) -> Any:  # noqa: N802
        header = next(request_iterator).header
        sha256 = header.artifact.sha256
        self.server.upload_offsets.append(header.offset_bytes)
        partial = self.server.partial.get(sha256, b"")[: header.offset_bytes]
        if self.server.upload_failures:
            # grpc.aio may lose the status of a call that is still written to (grpc#36066), now and then.
            for _ in request_iterator:
                pass
            self.server.upload_failures.popleft()(context)
        limit = self.server.break_upload_after.popleft() if self.server.break_upload_after else None
        for number, request in enumerate(request_iterator):
            if number == limit:
                context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
            self.server.largest_chunk_bytes = max(self.server.largest_chunk_bytes, len(request.chunk))
            partial += request.chunk
            self.server.partial[sha256] = partial
            self.server.after_chunk(number)
        if len(partial) < header.artifact.size_bytes:
            refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                "chunk: the stream ended before the artifact did",
                reason="INVALID_FIELD",
                violations={"chunk": "the stream ended before the artifact did"},
            )
        if hashlib.sha256(partial).hexdigest() != sha256:
            del self.server.partial[sha256]
            refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                "the content is another; what was uploaded is dropped",
                reason="DIGEST_MISMATCH",
            )
        self.server.artifacts[sha256] = partial
        return artifact_pb2.UploadArtifactResponse(artifact=header.artifact)
