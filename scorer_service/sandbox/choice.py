"""Which backend makes the sandboxes of a server."""

from pathlib import Path
from typing import Protocol

import scorer_launcher

from scorer_service.sandbox.docker_backend import DockerBackend
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.sandbox.native import NativeBackend


class ProbedBackend(SandboxBackend, Protocol):
    """A backend of which it is known what it can enforce on this machine."""

    isolation: scorer_launcher.Isolation


def open_backend(name: str, folder: Path, slot_count: int | None = None) -> ProbedBackend:
    """The backend of a name; for auto the native one where it works, else docker.

    `folder` is for sockets to containers, and made where they are needed. Raises
    scorer_launcher.SandboxError.
    """
    if name == "docker":
        return DockerBackend(folder, slot_count)
    try:
        return NativeBackend(slot_count)
    except scorer_launcher.SandboxError as no_native:
        if name == "native":
            raise
        try:
            return DockerBackend(folder, slot_count)
        except scorer_launcher.SandboxError as no_docker:
            raise scorer_launcher.SandboxError(
                f"neither backend of the sandbox works here. native: {no_native}. docker: {no_docker}"
            ) from no_docker
