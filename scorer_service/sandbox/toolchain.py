"""A language's toolchain file: what a sandbox sees, its limits and its commands."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import scorer_launcher

from scorer_service.sandbox import toolchain_root, toolchain_table
from scorer_service.sandbox.toolchain_table import Table


class ToolchainError(Exception):
    """A toolchain file is wrong, or what it names is not on this machine. The message says the way out."""


@dataclass(frozen=True)
class CompileProfile:
    """One way to compile: the command and its limits."""

    argv: Sequence[str]
    """Run in a folder that holds the source alone."""
    cpu_limit_s: float
    wall_limit_s: float
    memory_limit_bytes: int
    scratch_limit_bytes: int = 64 << 20
    """Size of the compiler's working folder: objects, program and temporary files."""
    process_limit: int = 32

    def limits(self, output_limit_bytes: int) -> scorer_launcher.Limits:
        """The limits of a run; what the compiler prints is cut, not punished."""
        return scorer_launcher.Limits(
            cpu_limit_s=self.cpu_limit_s,
            wall_limit_s=self.wall_limit_s,
            memory_limit_bytes=self.memory_limit_bytes,
            stderr_limit_bytes=256 << 10,
            process_limit=self.process_limit,
            file_size_limit_bytes=max(output_limit_bytes + 1, self.scratch_limit_bytes),
            scratch_limit_bytes=self.scratch_limit_bytes,
            open_files_limit=256,
        )


@dataclass(frozen=True)
class RunProfile:
    """How a compiled program is run."""

    argv: Sequence[str]
    mounts: Mapping[str, str]
    """Path inside -> path of the host, beside the program."""
    environment: Mapping[str, str]
    process_limit: int = 32
    scratch_limit_bytes: int = 64 << 20


@dataclass(frozen=True)
class Toolchain:
    """A toolchain file, with the paths of this machine."""

    name: str
    source: str
    """Name of the file that holds the source."""
    output: str
    """Name of the file that the compiler must leave."""
    output_limit_bytes: int
    program: str
    """Where a sandbox sees the program when it runs."""
    compile_mounts: Mapping[str, str]
    """Path inside -> path of the host, symlinks resolved."""
    compile_environment: Mapping[str, str]
    version_argv: Sequence[str]
    profiles: Mapping[str, CompileProfile]
    run: RunProfile
    digest: str
    """SHA-256 of the file and of the paths it was resolved to."""

    def profile(self, name: str) -> CompileProfile:
        """The compile profile of that name. Raises ToolchainError."""
        if name not in self.profiles:
            known = ", ".join(sorted(self.profiles))
            raise ToolchainError(f"toolchain {self.name} has no compile profile {name!r}; it has {known}")
        return self.profiles[name]


def builtin(name: str) -> Path:
    """The file of a toolchain that comes with the service.

    In an installed package it lies beside this module, in a checkout in `sandboxes/`. Raises ToolchainError.
    """
    here = Path(__file__).resolve().parent
    checkout = here.parents[1]
    candidates = here / "toolchains" / f"{name}.toml", checkout / "sandboxes" / name / "toolchain.toml"
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise ToolchainError(f"there is no toolchain {name!r}: looked for {' and '.join(map(str, candidates))}")


def load(path: Path) -> Toolchain:
    """Read a toolchain file and find what it names on this machine. Raises ToolchainError."""
    try:
        content = path.read_bytes()
        document = tomllib.loads(content.decode())
    except OSError as error:
        raise ToolchainError(f"cannot read the toolchain file {path}: {error.strerror}") from error
    except ValueError as error:
        raise ToolchainError(f"toolchain file {path}: {error}") from error
    try:
        return _resolve(Table(document, ""), content)
    except (toolchain_table.Malformed, toolchain_root.RootNotFound) as error:
        raise ToolchainError(f"toolchain file {path}: {error}") from error


def _resolve(document: Table, content: bytes) -> Toolchain:
    name = document.take("name", str)
    source = document.take("source", str)
    output = document.take("output", str)
    output_limit_bytes = document.take("output_limit_bytes", int)
    program = document.take("program", str)
    root_table, compile_table, run_table = (document.table(key) for key in ("root", "compile", "run"))
    document.end()

    wanted = toolchain_root.RootSearch(
        command=root_table.take("command", list),
        contains=root_table.take("contains", list),
        install=root_table.take("install", str),
        search=root_table.take("search", list, []),
        retry_environments=root_table.environments("retry_environments"),
    )
    root_table.end()

    version_argv = compile_table.take("version", list)
    mount_tables = compile_table.mounts(), run_table.mounts()
    compile_environment = compile_table.take("environment", dict, {})
    profiles = {key: _profile(table) for key, table in compile_table.table("profiles").tables()}
    compile_table.end()
    run_argv = run_table.take("argv", list)
    run_environment = run_table.take("environment", dict, {})
    run_options = run_table.optional(process_limit=int, scratch_limit_bytes=int)
    run_table.end()

    root = toolchain_root.find(wanted)
    compile_mounts, run_mounts = (
        toolchain_table.host_paths(needed, optional, {"root": str(root)}) for needed, optional in mount_tables
    )
    digest = hashlib.sha256(content)
    for inside, outside in [*sorted(compile_mounts.items()), *sorted(run_mounts.items())]:
        digest.update(f"{inside}={outside}\n".encode())
    return Toolchain(
        name=name,
        source=source,
        output=output,
        output_limit_bytes=output_limit_bytes,
        program=program,
        compile_mounts=compile_mounts,
        compile_environment=compile_environment,
        version_argv=version_argv,
        profiles=profiles,
        run=RunProfile(argv=run_argv, mounts=run_mounts, environment=run_environment, **run_options),
        digest=digest.hexdigest(),
    )


def _profile(table: Table) -> CompileProfile:
    profile = CompileProfile(
        argv=table.take("argv", list),
        cpu_limit_s=table.take("cpu_limit_s", float),
        wall_limit_s=table.take("wall_limit_s", float),
        memory_limit_bytes=table.take("memory_limit_bytes", int),
        **table.optional(scratch_limit_bytes=int, process_limit=int),
    )
    table.end()
    return profile
