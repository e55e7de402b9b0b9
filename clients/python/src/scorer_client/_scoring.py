"""What scoring is for every environment: sources, uploads, the call, and its re-attachment to the job."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from scorer.v1 import result_pb2

from scorer_client._artifact_content import ArtifactReference, Content, open_content
from scorer_client._artifacts import reference_message, upload_missing
from scorer_client._environments import Environment, list_environments
from scorer_client._errors import CallFailed, DeadlinePassed, NotServed, ScorerError, invalid_field
from scorer_client._flow import Flow, Pause, Report, T, Unary
from scorer_client._jobs import Job, report_job
from scorer_client._methods import Method, RequestT, ResponseT
from scorer_client._retry import Retrying, Session

# All inline sources of a request together: gRPC servers take messages of 4 MiB, and ids and lengths need
# room.
_INLINE_TOTAL_BYTES = 3 * 1024 * 1024


@dataclass(frozen=True)
class ScoreOptions:
    """What a caller of any score method gives beside the submission, in either colour."""

    attempt_id: str | None
    request_id: str | None
    timeout: float | timedelta | None
    on_progress: Callable[[Job], object] | None


def new_request_id() -> str:
    """A request id that was not used before."""
    return str(uuid.uuid4())


def score(
    session: Session,
    options: ScoreOptions,
    method: Method[RequestT, ResponseT],
    make_request: Callable[[result_pb2.RequestContext, Retrying], Flow[RequestT]],
    read_result: Callable[[ResponseT, str], T],
) -> Flow[T]:
    """Makes the request, scores it, and reads the response.

    Errors carry the request id, with which the same call re-attaches to the job.
    """
    request_id = _canonical_request_id(options.request_id)
    timeout = options.timeout
    tries = Retrying(session, timeout.total_seconds() if isinstance(timeout, timedelta) else timeout)
    try:
        context = result_pb2.RequestContext(request_id=request_id, attempt_id=options.attempt_id or "")
        request = yield from make_request(context, tries)
        report = None
        if options.on_progress is not None:
            report = Report(lambda: report_job(session, request_id), options.on_progress)
        while True:
            call = Unary(method, request, tries.remaining_s(), report)
            try:
                response = yield call
            except CallFailed as failed:
                yield Pause(tries.pause_s_after(failed))
            else:
                tries.answered()
                return read_result(response, request_id)
    except ScorerError as error:
        error.request_id = request_id
        if isinstance(error, DeadlinePassed):
            error.message += (
                f"; a job that was accepted goes on, the request id {request_id} re-attaches to it"
            )
        raise


def _canonical_request_id(request_id: str | None) -> str:
    if request_id is None:
        return new_request_id()
    try:
        parsed = uuid.UUID(request_id)
    except ValueError:
        parsed = None
    if parsed is None or parsed.version != 4 or str(parsed) != request_id.lower():
        raise invalid_field(
            "context.request_id", f"{request_id!r} is not a UUID of version 4, in 36 characters"
        )
    return str(parsed)


def read_source(source: str | Path, field: str) -> bytes:
    """The bytes of a source, read where it is a path. Blocks.

    Raises OSError, and InvalidRequest naming `field` for what is not UTF-8.
    """
    try:
        content = source.read_bytes() if isinstance(source, Path) else source.encode()
        content.decode()
    except UnicodeError as error:
        origin = f"{source} " if isinstance(source, Path) else ""
        raise invalid_field(field, f"{origin}is not UTF-8: {error}") from None
    return content


def find_environment(session: Session, tries: Retrying, name: str) -> Flow[Environment]:
    """The environment as the server describes it. Raises NotServed where it has none of that name."""
    environments = yield from list_environments(session, tries)
    for environment in environments:
        if environment.name == name:
            return environment
    raise NotServed(
        f"the server at {session.target} has no environment {name}", reason="ENVIRONMENT_NOT_SERVED"
    )


def source_files(
    session: Session, tries: Retrying, contents: Mapping[str, bytes], environment: Environment
) -> Flow[dict[str, result_pb2.SourceFile]]:
    """The sources as a request holds them, by the paths of their fields; large ones are uploaded.

    Raises InvalidRequest for one that is over the server's limit.
    """
    for field, content in contents.items():
        # 0 is what a server sends that tells no limit; it then checks by itself.
        if 0 < environment.source_limit_bytes < len(content):
            raise invalid_field(
                field, f"has {len(content)} bytes; the server takes at most {environment.source_limit_bytes}"
            )
    inline = inline_fields(contents, environment.inline_source_limit_bytes)
    sources: dict[str, result_pb2.SourceFile] = {}
    artifacts: dict[ArtifactReference, Content] = {}
    for field, content in contents.items():
        if field in inline:
            sources[field] = result_pb2.SourceFile(inline=content.decode())
        else:
            reference = ArtifactReference(hashlib.sha256(content).hexdigest(), len(content))
            artifacts[reference] = open_content(content, field)
            sources[field] = result_pb2.SourceFile(artifact=reference_message(reference))
    if artifacts:
        yield from upload_missing(session, artifacts, tries)
    return sources


def inline_fields(contents: Mapping[str, bytes], inline_limit_bytes: int) -> frozenset[str]:
    """Which sources go inline: those within the limit, the smallest first, as long as the message has room.

    Depends on nothing else, so that the same sources make the same payload when a call is made again.
    """
    chosen, total_bytes = set(), 0
    for field, content in sorted(contents.items(), key=lambda item: (len(item[1]), item[0])):
        total_bytes += len(content)
        if len(content) > inline_limit_bytes or total_bytes > _INLINE_TOTAL_BYTES:
            break
        chosen.add(field)
    return frozenset(chosen)
