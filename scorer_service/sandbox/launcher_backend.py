"""What all backends of `scorer_launcher` have in common, wherever they make its sandboxes."""

import abc
from collections.abc import Collection, Mapping, Sequence

import scorer_launcher

from scorer_service.sandbox.interface import Sandbox, WarmSandbox


class LauncherBackend(abc.ABC):
    """Makes sandboxes of `scorer_launcher`, whose programs share one number of places."""

    def __init__(self, name: str, isolation: scorer_launcher.Isolation, slot_count: int) -> None:
        """`isolation` is what was found where sandboxes are made."""
        self.isolation = isolation
        self._name = name
        self._slots = scorer_launcher.Slots(slot_count)

    @property
    def description(self) -> str:
        """As in "native, memory by cgroup-v2, landlock 7"."""
        isolation = self.isolation
        landlock = f"landlock {isolation.landlock_abi}" if isolation.landlock_abi else "no landlock"
        return f"{self._name}, memory by {isolation.memory_accounting}, {landlock}"

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

    @abc.abstractmethod
    def _open(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        *,
        copied: Collection[str] = (),
        warm: Sequence[str] | None = None,
        devices: Sequence[str] = (),
    ) -> scorer_launcher.Sandbox:
        """A sandbox of either kind: warm where there is an interpreter."""
