"""The native backend: namespaces, cgroups and seccomp, without a daemon."""

import os
from collections.abc import Collection, Mapping, Sequence

import scorer_launcher

from scorer_service.sandbox.launcher_backend import LauncherBackend


class NativeBackend(LauncherBackend):
    """Makes sandboxes on this machine itself."""

    def __init__(self, slot_count: int | None = None) -> None:
        """Raises scorer_launcher.SandboxError where this machine cannot make a sandbox at all."""
        super().__init__("native", scorer_launcher.probe(), slot_count or len(os.sched_getaffinity(0)))

    def _open(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        *,
        copied: Collection[str] = (),
        warm: Sequence[str] | None = None,
        devices: Sequence[str] = (),
    ) -> scorer_launcher.Sandbox:
        return scorer_launcher.Sandbox(
            mounts=[
                scorer_launcher.Mount(source, target, copy=target in copied)
                for target, source in mounts.items()
            ],
            slots=self._slots,
            environment=environment,
            warm=warm,
            devices=devices,
        )
