"""The flow of scoring rust_codecontests: sources, uploads, the call, and its re-attachment to the job."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from scorer.v1 import result_pb2, rust_codecontests_pb2

from scorer_client import _methods as methods
from scorer_client._artifacts import artifact_reference, upload_missing
from scorer_client._environments import Environment, list_environments
from scorer_client._errors import CallFailed, DeadlinePassed, NotServed, ScorerError, invalid_field
from scorer_client._flow import Flow, Pause, Report, Unary, blocking
from scorer_client._jobs import Job, report_job
from scorer_client._results import RustCodecontestsResult, read_rust_codecontests_result
from scorer_client._retry import Retrying, Session

RUST_CODECONTESTS = "rust_codecontests"

# All inline sources of a request together: gRPC servers take messages of 4 MiB, and ids and lengths need
# room.
_INLINE_TOTAL_BYTES = 3 * 1024 * 1024


@dataclass(frozen=True)
class ScoreArguments:
    """What a caller of `score_rust_codecontests` gives, in either colour."""

    programs: Mapping[str, str | Path]
    attempt_id: str | None
    request_id: str | None
    timeout: float | timedelta | None
    on_progress: Callable[[Job], object] | None


def new_request_id() -> str:
    """A request id that was not used before."""
    return str(uuid.uuid4())


def score_rust_codecontests(session: Session, arguments: ScoreArguments) -> Flow[RustCodecontestsResult]:
    """Scores programs. Errors carry the request id, with which the same call re-attaches to the job."""
    request_id = _canonical_request_id(arguments.request_id)
    timeout = arguments.timeout
    tries = Retrying(session, timeout.total_seconds() if isinstance(timeout, timedelta) else timeout)
    try:
        sources = yield from blocking(lambda: _read_sources(arguments.programs))
        environment = yield from _environment(session, tries)
        request = rust_codecontests_pb2.ScoreRustCodecontestsRequest(
            context=result_pb2.RequestContext(request_id=request_id, attempt_id=arguments.attempt_id or ""),
            programs=(yield from _programs(session, tries, sources, environment)),
        )
        report = None
        if arguments.on_progress is not None:
            report = Report(lambda: report_job(session, request_id), arguments.on_progress)
        while True:
            call = Unary(methods.SCORE_RUST_CODECONTESTS, request, tries.remaining_s(), report)
            try:
                response = yield call
            except CallFailed as failed:
                yield Pause(tries.pause_s_after(failed))
            else:
                tries.answered()
                return read_rust_codecontests_result(response, request_id)
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


def _read_sources(programs: Mapping[str, str | Path]) -> dict[str, bytes]:
    """Reads those that are paths. Raises OSError, and InvalidRequest for a source that is not UTF-8."""
    if not programs:
        raise invalid_field("programs", "there is none: give at least one")
    sources = {}
    for problem_id, program in programs.items():
        try:
            content = program.read_bytes() if isinstance(program, Path) else program.encode()
            content.decode()
        except UnicodeError as error:
            origin = f"{program} " if isinstance(program, Path) else ""
            raise invalid_field(
                f"programs[{problem_id!r}].source", f"{origin}is not UTF-8: {error}"
            ) from None
        sources[problem_id] = content
    return sources


def _environment(session: Session, tries: Retrying) -> Flow[Environment]:
    environments = yield from list_environments(session, tries)
    for environment in environments:
        if environment.name == RUST_CODECONTESTS:
            return environment
    raise NotServed(
        f"the server at {session.target} has no environment {RUST_CODECONTESTS}",
        reason="ENVIRONMENT_NOT_SERVED",
    )


def _programs(
    session: Session, tries: Retrying, sources: Mapping[str, bytes], environment: Environment
) -> Flow[list[rust_codecontests_pb2.RustProgram]]:
    for problem_id, content in sources.items():
        # 0 is what a server sends that tells no limit; it then checks by itself.
        if 0 < environment.source_limit_bytes < len(content):
            raise invalid_field(
                f"programs[{problem_id!r}].source",
                f"has {len(content)} bytes; the server takes at most {environment.source_limit_bytes}",
            )
    inline = inline_problem_ids(sources, environment.inline_source_limit_bytes)
    programs, artifacts = [], {}
    for problem_id, content in sources.items():
        if problem_id in inline:
            source = result_pb2.SourceFile(inline=content.decode())
        else:
            reference = artifact_reference(content)
            artifacts[reference.sha256] = content
            source = result_pb2.SourceFile(artifact=reference)
        programs.append(rust_codecontests_pb2.RustProgram(problem_id=problem_id, source=source))
    if artifacts:
        yield from upload_missing(session, artifacts, tries)
    return programs


def inline_problem_ids(sources: Mapping[str, bytes], inline_limit_bytes: int) -> frozenset[str]:
    """Which sources go inline: those within the limit, the smallest first, as long as the message has room.

    Depends on nothing else, so that the same programs make the same payload when a call is made again.
    """
    chosen, total_bytes = set(), 0
    for problem_id, content in sorted(sources.items(), key=lambda item: (len(item[1]), item[0])):
        total_bytes += len(content)
        if len(content) > inline_limit_bytes or total_bytes > _INLINE_TOTAL_BYTES:
            break
        chosen.add(problem_id)
    return frozenset(chosen)
