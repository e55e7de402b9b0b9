"""The docker backend: each sandbox in a container of its own, made there by the native one's supervisor."""

import logging
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import scorer_launcher

from scorer_service.sandbox import docker_container
from scorer_service.sandbox.docker_engine import Engine
from scorer_service.sandbox.interface import Sandbox, WarmSandbox

log = logging.getLogger(__name__)


class DockerBackend:
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
        self._slots = scorer_launcher.Slots(slot_count or len(self._cores))
        with docker_container.started(self._engine, self._image, (), folder, self._cores) as control:
            self.isolation = scorer_launcher.probe(container=control.fileno())

    @property
    def description(self) -> str:
        """As in "docker 29.0.1, memory by cgroup-v2, landlock 7"."""
        isolation = self.isolation
        landlock = f"landlock {isolation.landlock_abi}" if isolation.landlock_abi else "no landlock"
        return f"docker {self._engine.version}, memory by {isolation.memory_accounting}, {landlock}"

    @property
    def slot_count(self) -> int:
        """How many programs run at once."""
        return self._slots.count

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        """A sandbox that sees `mounts` and nothing else. Raises scorer_launcher.SandboxError."""
        return self._open(mounts, environment, copied=copied)

    def take_places(self, count: int) -> scorer_launcher.Places:
        """Wait for places, in the order of asking."""
        return self._slots.take(count)

    def open_warm(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        argv: Sequence[str],
        devices: Sequence[str],
    ) -> WarmSandbox:
        """A sandbox whose programs are forked from `argv`. Raises scorer_launcher.SandboxError."""
        return self._open(mounts, environment, warm=argv, devices=devices)

    def special_checker(
        self, sandbox: Sandbox, argv: Sequence[str], limits: scorer_launcher.Limits
    ) -> scorer_launcher.Checker:
        """An output validator that runs in `sandbox`."""
        if not isinstance(sandbox, scorer_launcher.Sandbox):
            raise TypeError(f"a checker needs a sandbox of this backend, not {type(sandbox).__name__}")
        return scorer_launcher.Checker.special(sandbox, argv, limits)

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
