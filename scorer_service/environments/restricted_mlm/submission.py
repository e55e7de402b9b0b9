"""What a request may hold: checked before it is accepted; and how its parts are read."""

import asyncio
import os
import stat
from collections.abc import Iterator

from scorer.v1 import restricted_mlm_pb2, result_pb2

from scorer_service.environments.interface import (
    FieldViolation,
    InvalidSubmission,
    JudgingFailed,
    StageContext,
)
from scorer_service.environments.restricted_mlm.profiles import (
    INLINE_SOURCE_LIMIT_BYTES,
    SOURCE_LIMIT_BYTES,
    Profile,
)


def validate(request: restricted_mlm_pb2.ScoreRestrictedMlmRequest, profile: Profile) -> None:
    """Raises InvalidSubmission."""
    violations = list(_faults_of_source("model", "model", request.model))
    match request.WhichOneof("weights_source"):
        case None:
            violations.append(
                FieldViolation(
                    "weights_source", "is not set; send weights or training_script, exactly one of them"
                )
            )
        case "weights":
            violations += _faults_of_weights(request.weights, profile)
        case _:
            violations += _faults_of_source("training_script", "script", request.training_script)
    if violations:
        raise InvalidSubmission(violations)


def _faults_of_weights(weights: result_pb2.ArtifactReference, profile: Profile) -> Iterator[FieldViolation]:
    if weights.size_bytes > profile.weights_limit_bytes:
        yield FieldViolation(
            "weights",
            f"the artifact has {weights.size_bytes} bytes, the limit is {profile.weights_limit_bytes};"
            " float16 halves a file in float32",
        )
    elif weights.size_bytes <= 0:
        yield FieldViolation("weights", "the artifact is empty; send a safetensors file")


def _faults_of_source(field: str, what: str, source: result_pb2.SourceFile) -> Iterator[FieldViolation]:
    kind = source.WhichOneof("content")
    if kind is None:
        yield FieldViolation(f"{field}.content", "is not set; put the text into inline, or name an artifact")
    elif kind == "artifact":
        size = source.artifact.size_bytes
        if size > SOURCE_LIMIT_BYTES:
            yield FieldViolation(
                f"{field}.artifact", f"has {size} bytes, the limit of a {what} is {SOURCE_LIMIT_BYTES}"
            )
        elif size <= 0:
            yield FieldViolation(f"{field}.artifact", f"is empty; send a {what}")
    else:
        size = len(source.inline.encode())
        if size > INLINE_SOURCE_LIMIT_BYTES:
            yield FieldViolation(
                f"{field}.inline",
                f"has {size} bytes, the limit of a {what} is {INLINE_SOURCE_LIMIT_BYTES}",
            )
        elif not source.inline.strip():
            yield FieldViolation(f"{field}.inline", f"is empty; send a {what}")
        elif "\0" in source.inline:
            offset = source.inline.index("\0")
            yield FieldViolation(
                f"{field}.inline", f"has a NUL character at offset {offset}, which is no Python source"
            )


async def read_source(source: result_pb2.SourceFile, context: StageContext) -> bytes:
    """The text of a file that was validated. Raises JudgingFailed where its artifact cannot be read."""
    if source.WhichOneof("content") == "inline":
        return source.inline.encode()
    return await read_artifact(source.artifact, context)


async def read_artifact(reference: result_pb2.ArtifactReference, context: StageContext) -> bytes:
    """The bytes of an artifact, at most as many as the reference says. Raises JudgingFailed."""
    try:
        return await asyncio.to_thread(
            _read_regular, str(context.artifact(reference.sha256)), reference.size_bytes
        )
    except OSError as error:
        raise JudgingFailed(f"artifact {reference.sha256} cannot be read: {error}") from error


def _read_regular(path: str, size_bytes: int) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return file.read(size_bytes)


def memory_file(content: bytes) -> int:
    """A descriptor of `content`, which nobody else has; the caller closes it."""
    descriptor = os.memfd_create("archive", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(content)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
