"""Source files of submissions: what is wrong with one, and its bytes."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from scorer.v1 import result_pb2

from scorer_service.environments.interface import JudgingFailed, StageContext


@dataclass(frozen=True)
class SourceRules:
    """What a source file may be."""

    what: str
    """As in "program", for messages."""
    language: str
    inline_limit_bytes: int
    limit_bytes: int

    def fault(self, source: result_pb2.SourceFile) -> str:
        """What is wrong with it, and the way out; empty where nothing is."""
        kind = source.WhichOneof("content")
        if kind is None:
            return "is not set; put the text into inline, or upload it and name the artifact"
        if kind == "artifact":
            size = source.artifact.size_bytes
            if size > self.limit_bytes:
                return f"the artifact has {size} bytes, the limit of a source is {self.limit_bytes} bytes"
            return f"the artifact is empty; send a {self.what}" if size <= 0 else ""
        return self._fault_of_text(source.inline)

    def _fault_of_text(self, text: str) -> str:
        size = len(text.encode())
        if size > self.limit_bytes:
            return f"has {size} bytes, the limit of a source is {self.limit_bytes} bytes"
        if size > self.inline_limit_bytes:
            return (
                f"has {size} bytes, the limit of an inline source is {self.inline_limit_bytes} bytes; upload"
                f" it as an artifact (up to {self.limit_bytes} bytes) and name that instead"
            )
        if not text.strip():
            return f"is empty; send a {self.what}"
        if "\0" in text:
            offset = text.index("\0")
            return f"has a NUL character at offset {offset}, which is no {self.language} source"
        return ""


async def read_source(source: result_pb2.SourceFile, context: StageContext) -> bytes:
    """The bytes of a file that has no fault. Raises JudgingFailed where its artifact cannot be read."""
    if source.WhichOneof("content") == "inline":
        return source.inline.encode()
    return await read_artifact(source.artifact, context)


async def read_artifact(reference: result_pb2.ArtifactReference, context: StageContext) -> bytes:
    """The bytes of an artifact, never more than its reference says. Raises JudgingFailed."""
    try:
        content = await asyncio.to_thread(_read, context.artifact(reference.sha256), reference.size_bytes + 1)
    except OSError as error:
        raise JudgingFailed(f"artifact {reference.sha256} cannot be read: {error.strerror}") from error
    if len(content) > reference.size_bytes:
        raise JudgingFailed(f"artifact {reference.sha256} is larger than its reference says")
    return content


def memory_file(content: bytes) -> int:
    """A descriptor of `content`, which nobody else has; the caller closes it."""
    descriptor = os.memfd_create("submitted", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(content)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _read(path: Path, limit_bytes: int) -> bytes:
    with path.open("rb") as file:
        return file.read(limit_bytes)
