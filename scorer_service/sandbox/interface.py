"""What a sandbox is to the environments, whichever backend makes it.

The data (Limits, RunResult, Checker and so on) is that of `scorer_launcher`; backends differ in how they
isolate, not in what they report.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import scorer_launcher


class Sandbox(Protocol):
    """The place of one submission; see `scorer_launcher.Sandbox` for what each call promises."""

    def run(
        self,
        argv: Sequence[str],
        *,
        limits: scorer_launcher.Limits,
        stdin: bytes = b"",
        files: Mapping[str, bytes] = ...,
        collect: Mapping[str, int] = ...,
    ) -> scorer_launcher.RunResult:
        """Run once, in an empty `/work`. Blocks; call it in a thread."""

    def run_tests(
        self,
        argv: Sequence[str],
        tests: Sequence[scorer_launcher.TestCase],
        *,
        limits: scorer_launcher.Limits,
        checker: scorer_launcher.Checker,
        stop_at_first_failure: bool = True,
        keep_output: bool = False,
    ) -> list[scorer_launcher.TestOutcome]:
        """Run tests in parallel. Blocks; call it in a thread."""

    def close(self) -> None:
        """Kill everything in it. Idempotent, from any thread."""


class WarmSandbox(Protocol):
    """A place whose programs are forked from a process that has made itself ready, once for all."""

    def start(
        self,
        argv: Sequence[str],
        *,
        limits: scorer_launcher.Limits,
        places: scorer_launcher.Places,
        files: Mapping[str, bytes],
        collect: Mapping[str, int],
        channel: int,
    ) -> scorer_launcher.Run:
        """Fork a program in namespaces of its own, with `channel` as its descriptor 3. Blocks."""

    def close(self) -> None:
        """Kill everything in it. Idempotent, from any thread."""


class SandboxBackend(Protocol):
    """Makes sandboxes."""

    @property
    def description(self) -> str:
        """As in "native, cgroup-v2, landlock 7"."""

    @property
    def slot_count(self) -> int:
        """How many programs run at once."""

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        """A sandbox that sees `mounts` (path inside -> path of the host, read-only) and nothing else.

        Those of the paths inside that are `copied` are files of which it gets a copy for itself. Submitted
        programs are due that: two sandboxes that map the same file could tell each other something by it.

        Blocks; call it in a thread. Raises scorer_launcher.SandboxError.
        """

    def take_places(self, count: int) -> scorer_launcher.Places:
        """Wait for places that programs run in, in the order of asking. Blocks; call it in a thread."""

    def open_warm(
        self,
        mounts: Mapping[str, str],
        environment: Mapping[str, str],
        argv: Sequence[str],
        devices: Sequence[str],
    ) -> WarmSandbox:
        """A warm sandbox: `argv` is started in it and makes itself ready; see `scorer_launcher.Sandbox`.

        `devices` are device nodes that its programs may use. Blocks. Raises scorer_launcher.SandboxError.
        """

    def special_checker(
        self, sandbox: Sandbox, argv: Sequence[str], limits: scorer_launcher.Limits
    ) -> scorer_launcher.Checker:
        """An output validator that runs in `sandbox`; see `scorer_launcher.Checker.special`."""
