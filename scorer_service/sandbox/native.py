"""The native backend: namespaces, cgroups and seccomp, without a daemon."""

import os
from collections.abc import Collection, Mapping, Sequence

import scorer_launcher

from scorer_service.sandbox.interface import Sandbox, WarmSandbox


class NativeBackend:
    """Makes sandboxes with `scorer_launcher`."""

    def __init__(self, slot_count: int | None = None) -> None:
        """Raises scorer_launcher.SandboxError where this machine cannot make a sandbox at all."""
        self.isolation = scorer_launcher.probe()
        self._slots = scorer_launcher.Slots(slot_count or len(os.sched_getaffinity(0)))

    @property
    def description(self) -> str:
        """As in "native, cgroup-v2, landlock 7"."""
        isolation = self.isolation
        landlock = f"landlock {isolation.landlock_abi}" if isolation.landlock_abi else "no landlock"
        return f"native, memory by {isolation.memory_accounting}, {landlock}"

    @property
    def slot_count(self) -> int:
        """How many programs run at once."""
        return self._slots.count

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        """A sandbox that sees `mounts` and nothing else. Raises scorer_launcher.SandboxError."""
        return scorer_launcher.Sandbox(
            mounts=[
                scorer_launcher.Mount(source, target, copy=target in copied)
                for target, source in mounts.items()
            ],
            slots=self._slots,
            environment=environment,
        )

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
        return scorer_launcher.Sandbox(
            mounts=[scorer_launcher.Mount(source, target) for target, source in mounts.items()],
            slots=self._slots,
            environment=environment,
            warm=argv,
            devices=devices,
        )

    def special_checker(
        self, sandbox: Sandbox, argv: Sequence[str], limits: scorer_launcher.Limits
    ) -> scorer_launcher.Checker:
        """An output validator that runs in `sandbox`."""
        if not isinstance(sandbox, scorer_launcher.Sandbox):
            raise TypeError(f"a native checker needs a native sandbox, not {type(sandbox).__name__}")
        return scorer_launcher.Checker.special(sandbox, argv, limits)
