"""Where the weights of a submission come from: a file of tensors, or a script that makes one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from scorer.v1 import result_pb2

from scorer_client import _scoring
from scorer_client._artifact_content import ArtifactReference, Content, ContentSource, open_content
from scorer_client._artifacts import UploadProgress, reference_message, upload_content
from scorer_client._environments import Environment
from scorer_client._errors import invalid_field
from scorer_client._flow import Flow, Listener, blocking
from scorer_client._retry import Retrying, Session

Weights: TypeAlias = ContentSource | ArtifactReference
"""A path to a safetensors file, its bytes, or what `upload` answered for it."""

WEIGHTS_FIELD = "weights"


@dataclass(frozen=True)
class WeightsSource:
    """What a caller gave: exactly one of the two is set."""

    weights: Weights | None
    script: str | Path | None
    script_field: str
    """Name of the script's field in the request."""
    on_upload_progress: Callable[[UploadProgress], object] | None

    def check(self) -> None:
        """Raises InvalidRequest where none or both are set."""
        if (self.weights is None) == (self.script is None):
            both = "both are given" if self.weights is not None else "none is given"
            raise invalid_field(
                "weights_source", f"{both}: give {WEIGHTS_FIELD} or {self.script_field}, one of the two"
            )


@dataclass(frozen=True)
class SentParts:
    """The parts of a submission, as its request holds them."""

    sources: dict[str, result_pb2.SourceFile]
    """By the names of their fields, the script among them where there is one."""
    weights: result_pb2.ArtifactReference | None
    """None where there is a script."""


def send_parts(
    session: Session, tries: Retrying, name: str, sources: dict[str, str | Path], given: WeightsSource
) -> Flow[SentParts]:
    """Reads and uploads the parts of a submission to the environment of that name.

    What is wrong with a file is found before anything is sent.
    """
    given.check()
    if given.script is not None:
        sources = {**sources, given.script_field: given.script}
    contents = yield from blocking(
        lambda: {field: _scoring.read_source(source, field) for field, source in sources.items()}
    )
    opened: Content | None = None
    if given.weights is not None and not isinstance(given.weights, ArtifactReference):
        opened = yield from blocking(partial(_open_weights, given.weights))
    try:
        environment: Environment = yield from _scoring.find_environment(session, tries, name)
        sent = yield from _scoring.source_files(session, tries, contents, environment)
        reference = given.weights if isinstance(given.weights, ArtifactReference) else None
        if opened is not None:
            listener = Listener.of(given.on_upload_progress)
            reference = yield from upload_content(session, opened, tries, listener)
    finally:
        if opened is not None:
            opened.close()
    return SentParts(sent, None if reference is None else reference_message(reference))


def _open_weights(source: ContentSource) -> Content:
    content = open_content(source, WEIGHTS_FIELD)
    try:
        begin = content.read(0, 9)
    except BaseException:
        content.close()
        raise
    # A zip archive, or a pickle's PROTO. In a safetensors file these could be a length, before a `{`.
    if begin[8:9] != b"{" and begin.startswith((b"PK\x03\x04", b"\x80")):
        content.close()
        raise invalid_field(
            WEIGHTS_FIELD,
            f"{content.name} is a PyTorch checkpoint, and safetensors are taken only: make one of it with "
            "`scorer-client convert`",
        )
    return content
