"""What a request may hold: checked before it is accepted."""

import asyncio
from collections.abc import Iterator

from scorer.v1 import result_pb2, triton_cumsum_pb2

from scorer_service.environments.interface import (
    FieldViolation,
    InvalidSubmission,
    JudgingFailed,
    StageContext,
)
from scorer_service.environments.triton_cumsum.profiles import INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES

FIELD = "solution.source"


def validate(request: triton_cumsum_pb2.ScoreTritonCumsumRequest) -> None:
    """Raises InvalidSubmission."""
    violations = [FieldViolation(FIELD, fault) for fault in _faults(request.solution)]
    if violations:
        raise InvalidSubmission(violations)


def _faults(source: result_pb2.SourceFile) -> Iterator[str]:
    kind = source.WhichOneof("content")
    if kind is None:
        yield "is not set; put the text into inline, or upload it and name the artifact"
    elif kind == "artifact":
        size = source.artifact.size_bytes
        if size > SOURCE_LIMIT_BYTES:
            yield f"the artifact has {size} bytes, the limit of a source is {SOURCE_LIMIT_BYTES} bytes"
        elif size <= 0:
            yield "the artifact is empty; send a solution"
    else:
        size = len(source.inline.encode())
        if size > INLINE_SOURCE_LIMIT_BYTES:
            yield f"has {size} bytes, the limit of a source is {INLINE_SOURCE_LIMIT_BYTES} bytes"
        elif not source.inline.strip():
            yield "is empty; send a solution"
        elif "\0" in source.inline:
            yield f"has a NUL character at offset {source.inline.index(chr(0))}, which is no Python source"


async def read(source: result_pb2.SourceFile, context: StageContext) -> bytes:
    """The text of a request that was validated. Raises JudgingFailed where its artifact cannot be read."""
    if source.WhichOneof("content") == "inline":
        return source.inline.encode()
    try:
        return await asyncio.to_thread(context.artifact(source.artifact.sha256).read_bytes)
    except OSError as error:
        raise JudgingFailed(f"artifact {source.artifact.sha256} cannot be read: {error}") from error
