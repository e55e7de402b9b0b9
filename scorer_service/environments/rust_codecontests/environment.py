"""The environment as the service sees it."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import scorer_launcher
from google.protobuf.message import Message
from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments import interface
from scorer_service.environments.rust_codecontests import (
    compilation,
    hub,
    judge,
    problem_set,
    profiles,
    program_cache,
    program_judge,
    selftest,
    starter,
    submission,
)
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox import toolchain


def create(settings: EnvironmentSettings) -> "RustCodecontests":
    """The environment, not started yet. Raises NotServing for a profile that does not exist."""
    return RustCodecontests(settings)


class RustCodecontests(interface.Environment):
    """Judges Rust programs on the hidden tests of contest problems."""

    name = "rust_codecontests"
    request_type = rust_codecontests_pb2.ScoreRustCodecontestsRequest
    response_type = rust_codecontests_pb2.ScoreRustCodecontestsResponse

    def __init__(self, settings: EnvironmentSettings) -> None:
        if settings.profile not in profiles.PROFILES:
            known = ", ".join(profiles.PROFILES)
            raise interface.NotServing(f"there is no profile {settings.profile!r}; choose one of {known}")
        self._settings = settings
        self._profile = profiles.PROFILES[settings.profile]
        self._executor: ThreadPoolExecutor | None = None
        self._problems: problem_set.ProblemSet | None = None
        self._language: toolchain.Toolchain | None = None
        self._compiler_version = ""
        self._judge: judge.SubmissionJudge | None = None

    async def start(self) -> None:
        """Find the compiler, open the problem set, and judge known programs. Raises NotServing."""
        backend = self._settings.sandbox
        # Threads only wait for the sandboxes, whose places bound what runs; so there are more of them.
        self._executor = ThreadPoolExecutor(
            8 * backend.slot_count + 8, thread_name_prefix="rust_codecontests"
        )
        try:
            await self._start(self._executor)
        except (toolchain.ToolchainError, problem_set.ProblemSetRefused) as error:
            await self.close()
            raise interface.NotServing(str(error)) from error
        except (scorer_launcher.SandboxError, OSError) as error:
            await self.close()
            raise interface.NotServing(f"cannot get ready: {error}") from error
        except BaseException:
            await self.close()
            raise

    async def _start(self, executor: ThreadPoolExecutor) -> None:
        backend, cache_dir = self._settings.sandbox, self._settings.cache_dir
        language, problems, cache = await asyncio.gather(
            asyncio.to_thread(_load_toolchain),
            asyncio.to_thread(self._open_problems),
            asyncio.to_thread(program_cache.ProgramCache, cache_dir / "compiled"),
        )
        self._language, self._problems = language, problems
        _refuse_visible([cache_dir, problems.path, profiles.EMBEDDED_SET_DIR], language)
        compiler = compilation.Compiler(backend, language, cache, executor)
        await asyncio.gather(
            compiler.start(), selftest.run(backend, language, self._profile.compile_profile, executor)
        )
        self._compiler_version = compiler.version
        programs = program_judge.ProgramJudge(backend, language, compiler, compiler, executor)
        details = {
            "isolation": backend.description,
            "compiler": compiler.version,
            "compile_command": list(language.profile(self._profile.compile_profile).argv),
            "profile": self._profile.name,
        }
        self._judge = judge.SubmissionJudge(
            programs, problems, self._profile.compile_profile, backend.slot_count, details
        )

    def _open_problems(self) -> problem_set.ProblemSet:
        settings = self._settings
        path = settings.problem_set
        if path is None and self._profile.hub_split:
            path = hub.fetch(self._profile.hub_split, settings.cache_dir / "hub")
        if path is None:
            path = profiles.EMBEDDED_SET_DIR / profiles.PROBLEMS_FILE
            if not path.is_file():
                raise interface.NotServing(
                    f"the embedded problem set {path} was not built; build it with `scorer problems build`"
                )
        return problem_set.ProblemSet.open(path, settings.cache_dir / "index")

    async def close(self) -> None:
        """Give threads and files back. Idempotent."""
        executor, self._executor = self._executor, None
        problems, self._problems = self._problems, None
        self._judge = None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown)
        if problems is not None:
            problems.close()

    def describe(self) -> interface.EnvironmentDescription:
        """What a client is told."""
        own_set = self._settings.problem_set is None
        return interface.EnvironmentDescription(
            name=self.name,
            description="Rust programs for programming-contest problems, judged on hidden tests",
            profile=self._profile.name,
            device="cpu",
            raw_score_unit="problems solved / problems",
            direction=interface.Direction.HIGHER,
            anchors=self._profile.anchors if own_set else None,
            inline_source_limit_bytes=submission.INLINE_SOURCE_LIMIT_BYTES,
            source_limit_bytes=submission.SOURCE_LIMIT_BYTES,
            limits=self._limits(),
            isolation=self._settings.sandbox.description,
        )

    def _limits(self) -> list[tuple[str, str]]:
        limits = [
            ("CPU time a test", "as the problem says, 2 s where it does not"),
            ("wall time a test", "twice the CPU time and 1 s"),
            ("memory a test", "as the problem says, 256 MiB where it does not"),
            ("output a test", "twice the largest expected output, but 1 MiB to 8 MiB above it"),
        ]
        if self._problems is not None:
            limits.insert(0, ("problems", str(len(self._problems))))
        if self._language is not None:
            compiling = self._language.profile(self._profile.compile_profile)
            limits += [
                ("processes and threads a test", str(self._language.run.process_limit)),
                ("compile time", f"{compiling.cpu_limit_s:g} s of CPU, {compiling.wall_limit_s:g} s in all"),
                ("compile memory", f"{compiling.memory_limit_bytes >> 20} MiB"),
                ("compile command", " ".join(compiling.argv)),
                ("compiler", self._compiler_version.partition("\n")[0]),
            ]
        return limits

    def validate(self, request: Message) -> None:
        """Raises InvalidSubmission."""
        submission.validate(_typed(request), self._serving_problems().problems)

    @property
    def stages(self) -> Sequence[interface.Stage]:
        """One: compiling and running take turns on the same cores."""
        return (interface.Stage(name="judge", lane="judge", run=self._run),)

    async def _run(self, request: Any, context: interface.StageContext) -> interface.Outcome:
        if self._judge is None:
            raise interface.JudgingFailed("rust_codecontests is not started")
        return await self._judge.judge(_typed(request), context)

    def starter(self) -> Sequence[interface.StarterFile]:
        """Instructions, the problems with their public tests, stubs, and a local checker. Reads; blocks."""
        language = self._language
        if language is None:
            raise interface.NotServing("rust_codecontests is not started")
        return starter.files(
            self._serving_problems(), language.profile(self._profile.compile_profile), self.describe()
        )

    def _serving_problems(self) -> problem_set.ProblemSet:
        if self._problems is None:
            raise interface.NotServing("rust_codecontests is not started")
        return self._problems


def _load_toolchain() -> toolchain.Toolchain:
    return toolchain.load(toolchain.builtin("rust"))


def _typed(request: Message) -> rust_codecontests_pb2.ScoreRustCodecontestsRequest:
    if not isinstance(request, rust_codecontests_pb2.ScoreRustCodecontestsRequest):
        raise TypeError(f"expected ScoreRustCodecontestsRequest, not {type(request).__name__}")
    return request


def _refuse_visible(secrets: Iterable[Path], language: toolchain.Toolchain) -> None:
    """No sandbox may see a folder that holds hidden tests, wherever the service was installed."""
    mounts: Mapping[str, str] = {**language.compile_mounts, **language.run.mounts}
    for secret in secrets:
        for inside, outside in mounts.items():
            if secret.resolve().is_relative_to(outside):
                raise interface.NotServing(
                    f"{secret} lies in {outside}, which submissions see as {inside} while they are compiled;"
                    " install the service in a virtual environment elsewhere, or move its cache"
                )
