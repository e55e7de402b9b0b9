"""Runs of submitted Python, forked from a process that has imported torch already."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import scorer_launcher

from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.interface import SandboxBackend, WarmSandbox

log = logging.getLogger(__name__)


@dataclass
class _Generation:
    """A warm sandbox, and how many runs are alive in it."""

    sandbox: WarmSandbox
    runs: int = 0
    retired: bool = False


class SubmissionRun:
    """One submission's processes."""

    def __init__(self, run: scorer_launcher.Run, on_end: Callable[[], Awaitable[None]]) -> None:
        self._run = run
        self._on_end: Callable[[], Awaitable[None]] | None = on_end

    async def wait(self) -> scorer_launcher.RunResult:
        """How it ended, once it has. Raises scorer_launcher.SandboxError."""
        return await asyncio.to_thread(self._run.wait)

    async def kill(self) -> scorer_launcher.RunResult:
        """End it; when this returns, nothing of it runs any more. Idempotent. To be called for every run.

        Raises scorer_launcher.SandboxError.
        """
        try:
            return await asyncio.shield(asyncio.to_thread(self._kill))
        finally:
            on_end, self._on_end = self._on_end, None
            if on_end is not None:
                await asyncio.shield(on_end())

    async def freeze(self) -> None:
        """Stop every process of it where it stands, until `thaw`. Nothing where it has ended."""
        await asyncio.shield(asyncio.to_thread(self._unless_ended, self._run.freeze))

    async def thaw(self, places: scorer_launcher.Places) -> None:
        """Let it go on, on the cores of these places. Nothing where it has ended."""
        await asyncio.shield(asyncio.to_thread(self._unless_ended, lambda: self._run.thaw(places)))

    def _kill(self) -> scorer_launcher.RunResult:
        self._run.kill()
        return self._run.wait()

    def _unless_ended(self, step: Callable[[], None]) -> None:
        try:
            step()
        except scorer_launcher.SandboxError:
            # It ended meanwhile, which is the submission's doing, or the sandbox died, which is the service's
            # failure: `wait` says which.
            log.debug("a run ended before it was frozen or thawed", exc_info=True)


class WarmRunner:
    """Makes runs of submitted Python. Remakes the process that they are forked from where it has died."""

    def __init__(self, backend: SandboxBackend, python: Path) -> None:
        self._backend = backend
        self._python = python
        self._on_gpu = False
        self._mounts: dict[str, str] = {}
        self._generation: _Generation | None = None
        self._lock = asyncio.Lock()

    def add_mounts(self, mounts: Mapping[str, Path]) -> None:
        """Show folders of the host to every submission, read-only: path inside -> folder. Before `start`."""
        if self._generation is not None:
            raise RuntimeError("mounts are made at the start of the runner, which is past")
        self._mounts |= {inside: str(folder) for inside, folder in mounts.items()}

    async def start(self, *, on_gpu: bool) -> None:
        """Import torch. Raises toolchain.ToolchainError, scorer_launcher.SandboxError."""
        self._on_gpu = on_gpu
        await self._warm()

    async def close(self) -> None:
        """Kill everything. Idempotent."""
        async with self._lock:
            generation, self._generation = self._generation, None
        if generation is not None:
            await asyncio.to_thread(generation.sandbox.close)

    async def start_run(
        self,
        argv: Sequence[str],
        *,
        limits: scorer_launcher.Limits,
        places: scorer_launcher.Places,
        files: Mapping[str, bytes],
        channel: int,
        collect: Mapping[str, int] | None = None,
    ) -> SubmissionRun:
        """Fork a process that runs `argv` of the runner, with `files` in `/work`, `channel` as descriptor 3.

        `collect` maps paths below `/work` to size limits: the files that are handed back at the end.
        Raises scorer_launcher.SandboxError.
        """

        async def start(generation: _Generation) -> SubmissionRun:
            sandbox = generation.sandbox
            run = await asyncio.to_thread(
                lambda: sandbox.start(
                    argv, limits=limits, places=places, files=files, channel=channel, collect=collect or {}
                )
            )
            generation.runs += 1
            return SubmissionRun(run, lambda: self._run_ended(generation))

        generation = await self._warm()
        try:
            return await start(generation)
        except scorer_launcher.SandboxError as error:
            # The process that runs are forked from may be gone, by the kernel's hand for want of memory, say.
            log.warning("a run could not be started (%s); trying again from a new process", error)
            await self._retire(generation)
            return await start(await self._warm())

    async def _warm(self) -> _Generation:
        async with self._lock:
            if self._generation is None:
                self._generation = _Generation(await asyncio.to_thread(self._open))
            return self._generation

    async def _retire(self, generation: _Generation) -> None:
        """Start no more runs there; those that are alive may end."""
        async with self._lock:
            if self._generation is generation:
                self._generation = None
        generation.retired = True
        await self._close_if_unused(generation)

    async def _run_ended(self, generation: _Generation) -> None:
        generation.runs -= 1
        await self._close_if_unused(generation)

    async def _close_if_unused(self, generation: _Generation) -> None:
        if generation.retired and generation.runs == 0:
            await asyncio.to_thread(generation.sandbox.close)

    def _open(self) -> WarmSandbox:
        toolchain = python_toolchain.load(self._python)
        environment = dict(toolchain.environment)
        if not self._on_gpu:
            environment |= toolchain.cpu_environment
        return self._backend.open_warm(
            {**toolchain.mounts, **self._mounts},
            environment,
            toolchain.warm_argv,
            gpu_devices() if self._on_gpu else (),
        )


def gpu_devices() -> Sequence[str]:
    """The device nodes by which a process reaches NVIDIA GPUs."""
    return sorted(str(path) for path in Path("/dev").glob("nvidia*") if path.is_char_device())
