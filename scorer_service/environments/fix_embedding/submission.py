"""What a request may hold: checked before it is accepted; and how its parts are read."""

import asyncio
import os
from collections.abc import Iterator

from scorer.v1 import fix_embedding_pb2, result_pb2

from scorer_service.environments.fix_embedding.profiles import (
    INLINE_SOURCE_LIMIT_BYTES,
    SOURCE_LIMIT_BYTES,
    Profile,
)
from scorer_service.environments.interface import (
    FieldViolation,
    InvalidSubmission,
    JudgingFailed,
    StageContext,
)
from scorer_service.evaluation import tensors_file


def validate(request: fix_embedding_pb2.ScoreFixEmbeddingRequest, profile: Profile) -> None:
    """Raises InvalidSubmission."""
    kind = request.WhichOneof("weights_source")
    if kind is None:
        violations = [
            FieldViolation("weights_source", "is not set; send weights or repair_script, exactly one of them")
        ]
    elif kind == "weights":
        violations = list(_faults_of_weights(request.weights, profile))
    else:
        violations = list(_faults_of_script(request.repair_script))
    if violations:
        raise InvalidSubmission(violations)


def _faults_of_weights(weights: result_pb2.ArtifactReference, profile: Profile) -> Iterator[FieldViolation]:
    if weights.size_bytes > profile.weights_limit_bytes:
        yield FieldViolation(
            "weights",
            f"the artifact has {weights.size_bytes} bytes, the limit is {profile.weights_limit_bytes}: the"
            f" model has {profile.parameter_count} parameters of at most 4 bytes",
        )
    elif weights.size_bytes <= 0:
        yield FieldViolation("weights", "the artifact is empty; send a safetensors file")


def _faults_of_script(script: result_pb2.SourceFile) -> Iterator[FieldViolation]:
    kind = script.WhichOneof("content")
    if kind is None:
        yield FieldViolation(
            "repair_script.content", "is not set; put the text into inline, or name an artifact"
        )
    elif kind == "artifact":
        size = script.artifact.size_bytes
        if size > SOURCE_LIMIT_BYTES:
            yield FieldViolation(
                "repair_script.artifact", f"has {size} bytes, the limit of a script is {SOURCE_LIMIT_BYTES}"
            )
        elif size <= 0:
            yield FieldViolation("repair_script.artifact", "is empty; send a script")
    else:
        size = len(script.inline.encode())
        if size > INLINE_SOURCE_LIMIT_BYTES:
            yield FieldViolation(
                "repair_script.inline",
                f"has {size} bytes, the limit of a script is {INLINE_SOURCE_LIMIT_BYTES}",
            )
        elif not script.inline.strip():
            yield FieldViolation("repair_script.inline", "is empty; send a script")
        elif "\0" in script.inline:
            offset = script.inline.index("\0")
            yield FieldViolation(
                "repair_script.inline",
                f"has a NUL character at offset {offset}, which is no Python source",
            )


async def read_script(script: result_pb2.SourceFile, context: StageContext) -> bytes:
    """The text of a script that was validated. Raises JudgingFailed where its artifact cannot be read."""
    if script.WhichOneof("content") == "inline":
        return script.inline.encode()
    try:
        return await asyncio.to_thread(context.artifact(script.artifact.sha256).read_bytes)
    except OSError as error:
        raise JudgingFailed(f"artifact {script.artifact.sha256} cannot be read: {error}") from error


async def open_weights(weights: result_pb2.ArtifactReference, context: StageContext) -> int:
    """A descriptor of an artifact, which the caller closes. Raises WeightsRefused, JudgingFailed."""
    try:
        return await asyncio.to_thread(tensors_file.open_regular, context.artifact(weights.sha256))
    except OSError as error:
        raise JudgingFailed(f"artifact {weights.sha256} cannot be opened: {error}") from error


def memory_file(content: bytes) -> int:
    """A descriptor of `content`, which nobody can change any more; the caller closes it."""
    descriptor = os.memfd_create("weights", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(content)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
