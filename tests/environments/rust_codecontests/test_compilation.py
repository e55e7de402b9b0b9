"""Compiling in the real sandbox: once, with nothing to see, and never a score for our own failures."""

import asyncio
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import scorer_launcher

from scorer_service.environments.interface import JudgingFailed
from scorer_service.environments.rust_codecontests import compilation
from scorer_service.environments.rust_codecontests.program_cache import ProgramCache
from scorer_service.sandbox.interface import Sandbox
from scorer_service.sandbox.native import NativeBackend
from scorer_service.sandbox.toolchain import Toolchain, ToolchainError

HELLO = b'fn main() { println!("hello"); }'


class Recorder(NativeBackend):
    """Counts the sandboxes that were opened, or refuses to open any."""

    def __init__(self) -> None:
        super().__init__(2)
        self.opened: list[Sandbox] = []
        self.opening = threading.Event()
        self.failure: Exception | None = None

    def open(
        self, mounts: Mapping[str, str], environment: Mapping[str, str], copied: Collection[str] = ()
    ) -> Sandbox:
        if self.failure is not None:
            raise self.failure
        self.opened.append(super().open(mounts, environment, copied))
        self.opening.set()
        return self.opened[-1]


class Compiling:
    """A compiler with a cache of its own."""

    def __init__(self, folder: Path, language: Toolchain) -> None:
        self.backend = Recorder()
        self.folder = folder
        self.language = language

    def run(
        self, *sources: bytes, language: Toolchain | None = None, profile: str = "embedded"
    ) -> list[compilation.Compiled]:
        """Compile all of them at once; programs stay in the cache."""

        async def one(compiler: compilation.Compiler, source: bytes) -> compilation.Compiled:
            async with compiler.compiled(source, profile) as compiled:
                return compiled

        async def main(threads: ThreadPoolExecutor) -> Sequence[compilation.Compiled]:
            cache = ProgramCache(self.folder)
            compiler = compilation.Compiler(self.backend, language or self.language, cache, threads)
            return await asyncio.gather(*(one(compiler, source) for source in sources))

        with ThreadPoolExecutor(8) as threads:
            return list(asyncio.run(main(threads)))

    def output(self, compiled: compilation.Compiled, stdin: bytes = b"") -> bytes:
        assert compiled.program is not None, compiled.messages
        limits = scorer_launcher.Limits(cpu_limit_s=1, wall_limit_s=5, memory_limit_bytes=64 << 20)
        sandbox = self.backend.open({self.language.program: str(compiled.program)}, {})
        try:
            return sandbox.run(self.language.run.argv, limits=limits, stdin=stdin).stdout
        finally:
            sandbox.close()


@pytest.fixture
def compiling(tmp_path: Path, rust: Toolchain) -> Compiling:
    return Compiling(tmp_path, rust)


@pytest.mark.parametrize("profile", ["embedded", "paper"])
def test_a_program_runs_in_a_sandbox_that_holds_nothing_else(compiling: Compiling, profile: str) -> None:
    (compiled,) = compiling.run(HELLO, profile=profile)
    assert compiling.output(compiled) == b"hello\n"


def test_equal_sources_are_compiled_once_at_a_time_and_ever(compiling: Compiling) -> None:
    results = compiling.run(HELLO, HELLO, HELLO, HELLO)
    assert len(compiling.backend.opened) == 1
    assert len({result.program for result in results}) == 1
    (again,) = compiling.run(HELLO)
    assert again.cached
    assert len(compiling.backend.opened) == 1


def test_another_source_or_other_flags_are_compiled_anew(compiling: Compiling) -> None:
    compiling.run(HELLO)
    compiling.run(HELLO + b"\n")
    compiling.run(HELLO, profile="paper")
    assert len(compiling.backend.opened) == 3


def test_messages_of_a_compile_error_are_the_agents_own(compiling: Compiling) -> None:
    for cached in (False, True):
        (compiled,) = compiling.run(b"fn main() { let x: u8 = y; }")
        assert compiled.program is None
        assert compiled.cached is cached
        assert "solution.rs:1:25" in compiled.messages
        assert "cannot find value `y`" in compiled.messages
    assert len(compiling.backend.opened) == 1


def test_messages_name_no_folder_of_the_machine(compiling: Compiling) -> None:
    linking = b'extern "C" { fn absent(); } fn main() { unsafe { absent() } }'
    (compiled,) = compiling.run(linking)
    assert "undefined symbol: absent" in compiled.messages
    for folder in ("/toolchain/", "/usr/", "/work/", "/root/"):
        assert folder not in compiled.messages


def test_messages_are_cut_at_16_kib(compiling: Compiling) -> None:
    wrong = (
        b"fn main() {" + b"".join(b'let a%d: u8 = "\xc3\xa4";\n' % number for number in range(2000)) + b"}"
    )
    (compiled,) = compiling.run(wrong)
    assert 15 << 10 < len(compiled.messages.encode()) <= 16 << 10
    assert compiled.messages.endswith("(cut)")


@pytest.mark.parametrize(
    "source",
    [
        b'#![crate_type = "lib"]\npub fn f() {}',
        b"",
        b"fn main() { \xff }",
        b"use rand::Rng; fn main() {}",
        b'fn main() { println!("{}", include_str!("/etc/passwd")); }',
        b'fn main() { println!("{}", env!("PATH")); }',
        b'fn main() { println!("{}", env!("HOME")); }',
    ],
)
def test_what_is_no_program_of_its_own_is_a_compile_error(compiling: Compiling, source: bytes) -> None:
    (compiled,) = compiling.run(source)
    assert compiled.program is None
    assert compiled.messages


def test_a_program_learns_nothing_of_the_servers_environment(
    compiling: Compiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORER_SECRET", "hidden")
    (compiled,) = compiling.run(
        b'fn main() { print!("{:?} {:?} {}", option_env!("SCORER_SECRET"), option_env!("PATH"),'
        b" std::env::vars().count()); }"
    )
    assert compiling.output(compiled) == b"None None 0"


def test_the_compiler_sees_no_file_of_the_server(compiling: Compiling, tmp_path: Path) -> None:
    hidden = tmp_path.with_suffix(".hidden")
    hidden.write_text("hidden")
    sources = [
        f'fn main() {{ print!("{{}}", include_str!("{path}")); }}'.encode()
        for path in (hidden, Path(compilation.__file__), "/proc/1/environ")
    ]
    for compiled in compiling.run(*sources):
        assert compiled.program is None
        assert "couldn't read" in compiled.messages


def profile_of(language: Toolchain, **changes: Any) -> Toolchain:
    return replace(language, profiles={"embedded": replace(language.profiles["embedded"], **changes)})


# Constant evaluation that does not end: the compiler computes as long as it may.
ENDLESS = b"""
#![allow(long_running_const_eval)]
const X: u64 = { let mut i = 0u64; loop { i = i.wrapping_add(1); } };
fn main() { println!("{X}"); }
"""


def test_a_compiler_that_passes_its_time_is_a_compile_error_that_is_not_kept(
    compiling: Compiling, rust: Toolchain
) -> None:
    short = profile_of(rust, cpu_limit_s=0.5)
    for _ in range(2):
        (compiled,) = compiling.run(ENDLESS, language=short)
        assert compiled.program is None
        assert "limit of 0.5 s of CPU time" in compiled.messages
        assert not compiled.cached
    assert len(compiling.backend.opened) == 2


def test_a_compiler_that_passes_its_memory_is_a_compile_error_that_says_so(
    compiling: Compiling, rust: Toolchain
) -> None:
    (compiled,) = compiling.run(HELLO, language=profile_of(rust, memory_limit_bytes=24 << 20))
    assert compiled.program is None
    assert "limit of 24 MiB of memory" in compiled.messages


def test_a_program_that_is_too_large_is_a_compile_error(compiling: Compiling, rust: Toolchain) -> None:
    (compiled,) = compiling.run(HELLO, language=replace(rust, output_limit_bytes=1000))
    assert compiled.program is None
    assert "no program that can be run" in compiled.messages


@pytest.mark.parametrize(
    "command", [["/bin/ln", "-s", "/etc/passwd", "solution"], ["/bin/true"], ["/bin/mkdir", "solution"]]
)
def test_only_a_regular_file_is_a_program(compiling: Compiling, rust: Toolchain, command: list[str]) -> None:
    mounts = {**rust.compile_mounts, command[0]: str(Path(command[0]).resolve())}
    language = profile_of(replace(rust, compile_mounts=mounts), argv=command)
    (compiled,) = compiling.run(HELLO, language=language)
    assert compiled.program is None
    assert "no program that can be run" in compiled.messages


def test_a_damaged_program_is_compiled_again(compiling: Compiling) -> None:
    (compiled,) = compiling.run(HELLO)
    assert compiled.program is not None
    compiled.program.write_bytes(b"damaged")
    (again,) = compiling.run(HELLO)
    assert not again.cached
    assert compiling.output(again) == b"hello\n"


@pytest.mark.parametrize(
    "failure", [scorer_launcher.SandboxError("no namespace"), OSError(28, "No space left")]
)
def test_a_failure_of_the_service_is_not_a_compile_error(compiling: Compiling, failure: Exception) -> None:
    compiling.backend.failure = failure
    with pytest.raises(JudgingFailed, match=r"no namespace|No space left"):
        compiling.run(HELLO)
    compiling.backend.failure = None
    (compiled,) = compiling.run(HELLO)
    assert compiled.program is not None


def test_the_version_is_that_of_the_compiler_and_part_of_the_key(tmp_path: Path, rust: Toolchain) -> None:
    async def main(threads: ThreadPoolExecutor) -> None:
        compiler = compilation.Compiler(NativeBackend(1), rust, ProgramCache(tmp_path), threads)
        before = compiler.key(HELLO, "embedded")
        await compiler.start()
        assert compiler.version.startswith("rustc 1.")
        assert compiler.key(HELLO, "embedded") != before
        broken = replace(rust, version_argv=["/toolchain/bin/rustc", "--absent"])
        with pytest.raises(ToolchainError, match="does not run in its sandbox"):
            await compilation.Compiler(NativeBackend(1), broken, ProgramCache(tmp_path), threads).start()

    with ThreadPoolExecutor(2) as threads:
        asyncio.run(main(threads))


def test_cancelling_one_of_two_waiters_leaves_the_other_its_program(tmp_path: Path, rust: Toolchain) -> None:
    backend = Recorder()

    async def one(compiler: compilation.Compiler) -> compilation.Compiled:
        async with compiler.compiled(HELLO, "embedded") as compiled:
            return compiled

    async def main(threads: ThreadPoolExecutor) -> None:
        compiler = compilation.Compiler(backend, rust, ProgramCache(tmp_path), threads)
        first, second = asyncio.create_task(one(compiler)), asyncio.create_task(one(compiler))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert (await second).program is not None

    with ThreadPoolExecutor(2) as threads:
        asyncio.run(main(threads))
    assert len(backend.opened) == 1


def test_cancelling_the_last_waiter_kills_the_compiler(tmp_path: Path, rust: Toolchain) -> None:
    backend = Recorder()
    long = profile_of(rust, cpu_limit_s=300.0, wall_limit_s=600.0)

    async def main(threads: ThreadPoolExecutor) -> None:
        compiler = compilation.Compiler(backend, long, ProgramCache(tmp_path), threads)

        async def one() -> None:
            async with compiler.compiled(ENDLESS, "embedded"):
                raise AssertionError("it cannot end")

        task = asyncio.create_task(one())
        await asyncio.to_thread(backend.opening.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Whoever asks next gets a compiler of its own, not the one that was killed.
        short = compilation.Compiler(
            backend, profile_of(rust, cpu_limit_s=0.5), ProgramCache(tmp_path), threads
        )
        async with short.compiled(ENDLESS, "embedded") as compiled:
            assert compiled.program is None

    with ThreadPoolExecutor(2) as threads:
        asyncio.run(main(threads))
    with pytest.raises(scorer_launcher.SandboxClosed):
        backend.opened[0].run(
            ["/toolchain/bin/rustc"],
            limits=scorer_launcher.Limits(cpu_limit_s=1, wall_limit_s=1, memory_limit_bytes=1 << 30),
        )
