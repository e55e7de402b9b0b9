"""Compiling: once for each source, toolchain and flags, in a sandbox that holds nothing else."""

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import scorer_launcher

from scorer_service.environments.interface import JudgingFailed, WorkerDied
from scorer_service.environments.rust_codecontests import blocking, program_cache
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.interface import SandboxBackend

MESSAGES_LIMIT_BYTES = 16 << 10
"""Of the compiler's messages; see ProblemResult.compiler_output."""

_LIMIT_WORDS = {
    scorer_launcher.Termination.CPU_TIME_LIMIT: "{limit.cpu_limit_s:g} s of CPU time",
    scorer_launcher.Termination.WALL_TIME_LIMIT: "{limit.wall_limit_s:g} s",
    scorer_launcher.Termination.MEMORY_LIMIT: "{mebibytes} MiB of memory",
    scorer_launcher.Termination.OUTPUT_LIMIT: "the size of an output",
    scorer_launcher.Termination.PROCESS_LIMIT: "{limit.process_limit} processes and threads",
}


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of a source."""

    program: Path | None
    """None where it is no program; `messages` then say why."""
    messages: str
    """At most MESSAGES_LIMIT_BYTES, empty where there is a program."""
    compile_cpu_s: float
    compile_wall_s: float
    cached: bool
    """Whether it was compiled before."""


@dataclass
class _Flight:
    task: "asyncio.Task[Compiled]"
    waiters: int = 0


class Compiler:
    """Compiles with one toolchain. Used from one event loop."""

    def __init__(
        self,
        backend: SandboxBackend,
        language: toolchain.Toolchain,
        cache: program_cache.ProgramCache,
        executor: Executor,
    ) -> None:
        self._backend = backend
        self._language = language
        self._cache = cache
        self._executor = executor
        self._flights: dict[str, _Flight] = {}
        self.version = ""
        """What the compiler says of itself; empty before `start`."""

    async def start(self) -> None:
        """Ask the compiler for its version, in its sandbox. Raises ToolchainError, SandboxError."""
        scope = blocking.SandboxScope(self._backend)
        limits = scorer_launcher.Limits(cpu_limit_s=10.0, wall_limit_s=30.0, memory_limit_bytes=1 << 30)

        def ask() -> scorer_launcher.RunResult:
            sandbox = scope.open(self._language.compile_mounts, self._language.compile_environment)
            return sandbox.run(self._language.version_argv, limits=limits)

        result = await blocking.run(self._executor, scope, ask)
        if result.termination is not scorer_launcher.Termination.EXITED or result.exit_code != 0:
            said = result.stderr.decode(errors="replace").strip()[:500]
            raise toolchain.ToolchainError(
                f"the compiler of {self._language.name} does not run in its sandbox"
                f" ({' '.join(self._language.version_argv)} ended {result.termination}): {said}"
            )
        self.version = result.stdout.decode(errors="replace").strip()

    def key(self, source: bytes, profile_name: str) -> str:
        """The key of a source: the same where compiling again could not give another program."""
        profile = self._language.profile(profile_name)
        parts = [hashlib.sha256(source).hexdigest(), self._language.digest, self.version, list(profile.argv)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @contextlib.asynccontextmanager
    async def compiled(self, source: bytes, profile_name: str) -> AsyncIterator[Compiled]:
        """The program of a source; it stays on disk until the context ends.

        Equal sources that are asked for at once are compiled once. Raises JudgingFailed, WorkerDied.
        """
        key = self.key(source, profile_name)
        with self._cache.pinned(key):
            yield await self._join(key, source, profile_name)

    async def _join(self, key: str, source: bytes, profile_name: str) -> Compiled:
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = _Flight(asyncio.create_task(self._compile(key, source, profile_name)))
            self._flights[key] = flight
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                if self._flights.get(key) is flight:
                    del self._flights[key]
                if not flight.task.done():  # the last one who waited was cancelled
                    flight.task.cancel()
                    await blocking.outlast(flight.task)

    async def _compile(self, key: str, source: bytes, profile_name: str) -> Compiled:
        scope = blocking.SandboxScope(self._backend)
        try:
            return await blocking.run(
                self._executor, scope, lambda: self._compile_in(scope, key, source, profile_name)
            )
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the sandbox of the compiler failed: {error}") from error
        except OSError as error:
            raise JudgingFailed(f"cannot compile: {error}") from error

    def _compile_in(
        self, scope: blocking.SandboxScope, key: str, source: bytes, profile_name: str
    ) -> Compiled:
        found = self._cache.get(key)
        if found is not None:
            return _from_cache(found, cached=True)
        language, profile = self._language, self._language.profile(profile_name)
        sandbox = scope.open(language.compile_mounts, language.compile_environment)
        result = sandbox.run(
            profile.argv,
            limits=profile.limits(language.output_limit_bytes),
            files={language.source: source},
            collect={language.output: language.output_limit_bytes},
        )
        scope.close()
        program, messages, lasting = _outcome(language, profile, result)
        if not lasting:
            return Compiled(None, messages, result.cpu_s, result.wall_s, cached=False)
        stored = self._cache.put(key, program, messages, result.cpu_s, result.wall_s)
        return _from_cache(stored, cached=False)


def _from_cache(found: program_cache.CachedResult, *, cached: bool) -> Compiled:
    return Compiled(found.program, found.messages, found.compile_cpu_s, found.compile_wall_s, cached)


def _outcome(
    language: toolchain.Toolchain, profile: toolchain.CompileProfile, result: scorer_launcher.RunResult
) -> tuple[bytes | None, str, bool]:
    """Program, messages, and whether compiling again would give the same."""
    said = clean_messages(result.stderr, _folders(language))
    if result.termination in _LIMIT_WORDS:
        words = _LIMIT_WORDS[result.termination].format(
            limit=profile, mebibytes=profile.memory_limit_bytes >> 20
        )
        return None, _cut(f"the compiler passed its limit of {words}\n{said}"), False
    if result.termination is not scorer_launcher.Termination.EXITED:
        return None, _cut(f"the compiler was ended by signal {result.signal}\n{said}"), False
    if result.exit_code != 0:
        return None, _cut(said or f"the compiler ended with exit code {result.exit_code}"), True
    if language.output in result.files:
        return result.files[language.output], "", True
    reason = result.refused_files.get(language.output, "it left none")
    return None, _cut(f"the compiler made no program that can be run: {reason}\n{said}"), True


def _folders(language: toolchain.Toolchain) -> list[str]:
    """Those that a compiler sees."""
    mounts = [Path(inside) for inside in language.compile_mounts]
    parents = [path.parent for path in mounts if path.parent != Path("/")]
    return [str(path) for path in {*mounts, *parents, Path("/work"), Path("/tmp")}]


def clean_messages(stderr: bytes, folders: list[str]) -> str:
    """The compiler's messages with the file names of `folders` in place of their paths."""
    text = stderr.decode(errors="replace")
    prefixes = "|".join(re.escape(folder) for folder in sorted(folders, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.])(?:{prefixes})/(?:[^\s\"'`:,()]*/)?", "", text).strip()


def _cut(text: str) -> str:
    raw = text.strip().encode()
    if len(raw) <= MESSAGES_LIMIT_BYTES:
        return raw.decode()
    note = "\n... (cut)"
    return raw[: MESSAGES_LIMIT_BYTES - len(note)].decode(errors="ignore") + note
