"""The docker backend: each sandbox in a container of its own, made there by the native one's supervisor."""

import logging
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import scorer_launcher

from scorer_service.sandbox import docker_container
from scorer_service.sandbox.docker_engine import Engine
from scorer_service.sandbox.launcher_backend import LauncherBackend

log = logging.getLogger(__name__)


class DockerBackend(LauncherBackend):
    """Makes sandboxes in containers of an engine on this machine."""

    def __init__(self, folder: Path, slot_count: int | None = None) -> None:
        """`folder` is for sockets to containers; of what is in it, only what a killed server left there of
        those is removed.

        The engine must see it, and all that is mounted, under the same paths. Raises
        scorer_launcher.SandboxError where there is no engine, or it cannot make a sandbox.
        """
        self._folder = folder
        self._cores = sorted(os.sched_getaffinity(0))
        self._engine = Engine()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in folder.glob(f"{docker_container.MEETING_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        swept = self._engine.sweep()
        if swept:
            log.info("removed %d containers of servers that were killed", swept)
        self._image = self._engine.image()
        with docker_container.started(self._engine, self._image, (), folder, self._cores) as control:
            isolation = scorer_launcher.probe(container=control.fileno())
        super().__init__(f"docker {self._engine.version}", isolation, slot_count or len(self._cores))

    def _open(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        *,
        copied: Collection[str] = (),
        warm: Sequence[str] | None = None,
        devices: Sequence[str] = (),
    ) -> scorer_launcher.Sandbox:
        shown = list(mounts.values())
        made = [
            scorer_launcher.Mount(source, target, copy=target in copied)
            for source, target in zip(docker_container.sources(len(shown)), mounts, strict=True)
        ]
        with docker_container.started(
            self._engine, self._image, shown, self._folder, self._cores, gpu=bool(devices)
        ) as control:
            return scorer_launcher.Sandbox(
                mounts=made,
                slots=self._slots,
                environment=environment,
                warm=warm,
                devices=devices,
                container=control.fileno(),
            )
