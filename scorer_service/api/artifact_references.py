"""Finds the artifacts that a request refers to, wherever they stand in it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from scorer.v1 import result_pb2

from scorer_service.environments.interface import FieldViolation
from scorer_service.store.artifacts import ArtifactKey


def artifact_key(reference: result_pb2.ArtifactReference) -> ArtifactKey:
    """A reference as the store knows it. Raises ValueError."""
    return ArtifactKey(reference.sha256, reference.size_bytes)


async def missing_artifacts(
    request: Message, present: Callable[[Sequence[ArtifactKey]], Awaitable[Sequence[bool]]]
) -> Sequence[FieldViolation]:
    """A violation for each reference that is malformed, or whose artifact is not here for the caller."""
    violations = []
    keys: dict[str, ArtifactKey] = {}
    for path, reference in references(request):
        try:
            keys[path] = artifact_key(reference)
        except ValueError as error:
            violations.append(FieldViolation(path, str(error)))
    here = await present(list(keys.values()))
    violations += (
        FieldViolation(
            path,
            f"no artifact {key.sha256} of {key.size_bytes} bytes is here: upload it with "
            "ArtifactService.UploadArtifact first",
        )
        for (path, key), found in zip(keys.items(), here, strict=True)
        if not found
    )
    return violations


def references(message: Message, path: str = "") -> Iterator[tuple[str, result_pb2.ArtifactReference]]:
    """Every artifact reference of a message with the path of its field."""
    for descriptor, value in message.ListFields():
        if descriptor.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        name = f"{path}.{descriptor.name}" if path else descriptor.name
        if descriptor.is_repeated:
            parts = [(f"{name}[{index}]", part) for index, part in enumerate(value)]
        else:
            parts = [(name, value)]
        for part_path, part in parts:
            if isinstance(part, result_pb2.ArtifactReference):
                yield part_path, part
            else:
                yield from references(part, part_path)
