"""Toolchain files: strict, and found under any HOME."""

import os
import stat
from pathlib import Path

import pytest

from scorer_service.sandbox import toolchain

MINIMAL = """
name = "shell"
source = "solution.sh"
output = "solution"
output_limit_bytes = 1000
program = "/program"
[root]
command = ["{command}"]
contains = ["bin"]
install = "Install the shell."
[compile]
version = ["/root/bin/shell", "--version"]
[compile.mounts]
"/root" = "{{root}}"
[compile.profiles.embedded]
argv = ["/root/bin/shell"]
cpu_limit_s = 1
wall_limit_s = 2.5
memory_limit_bytes = 1000
[run]
argv = ["/program"]
"""


def executable(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "installed" / "bin").mkdir(parents=True)
    return tmp_path / "installed"


@pytest.fixture
def minimal(tmp_path: Path, root: Path) -> str:
    return MINIMAL.format(command=executable(tmp_path / "where", f"echo {root}"))


def load(tmp_path: Path, text: str) -> toolchain.Toolchain:
    path = tmp_path / "toolchain.toml"
    path.write_text(text)
    return toolchain.load(path)


def test_the_root_that_the_command_prints_is_mounted(tmp_path: Path, root: Path, minimal: str) -> None:
    loaded = load(tmp_path, minimal)
    assert loaded.compile_mounts == {"/root": str(root)}
    assert loaded.profile("embedded").cpu_limit_s == 1.0
    assert loaded.run.argv == ["/program"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("[run]", "[run]\nspeed = 1", "run.speed"),
        ('name = "shell"', 'name = "shell"\nnaem = 1', "naem"),
        ("cpu_limit_s = 1", "cpu_limit_s = 1\ncpu_limit = 2", "compile.profiles.embedded.cpu_limit"),
        ("cpu_limit_s = 1", "", "compile.profiles.embedded.cpu_limit_s is missing"),
        ("cpu_limit_s = 1", "cpu_limit_s = true", "must be a number, not True"),
        ("cpu_limit_s = 1", "cpu_limit_s = -1", "must be above 0, not -1"),
        ('argv = ["/program"]', 'argv = "/program"', "run.argv must be a list of strings"),
        ('"/root" = "{root}"', '"root" = "{root}"', "'root' is not an absolute path"),
        ('"/root" = "{root}"', '"/root" = "{root}/absent"', "absent, which is not on this machine"),
        ('contains = ["bin"]', 'contains = ["lib"]', "has no lib"),
        ("[run]", "[run", "toolchain.toml"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, minimal: str, old: str, new: str, named: str) -> None:
    assert old in minimal
    with pytest.raises(toolchain.ToolchainError) as refused:
        load(tmp_path, minimal.replace(old, new, 1))
    assert named in str(refused.value)


def test_an_optional_mount_may_be_absent(tmp_path: Path, minimal: str) -> None:
    optional = '[compile.optional_mounts]\n"/a" = "/absent/a"\n"/b" = "/usr"\n[compile.profiles'
    loaded = load(tmp_path, minimal.replace("[compile.profiles", optional, 1))
    assert set(loaded.compile_mounts) == {"/root", "/b"}


def test_an_unknown_profile_lists_the_known_ones(tmp_path: Path, minimal: str) -> None:
    with pytest.raises(toolchain.ToolchainError, match="'fast'; it has embedded"):
        load(tmp_path, minimal).profile("fast")


def test_a_language_that_is_not_installed_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(
        toolchain.ToolchainError, match=r"absent-command is not in PATH .* Install the shell\."
    ):
        load(tmp_path, MINIMAL.format(command="absent-command"))


def test_a_command_that_fails_is_quoted(tmp_path: Path) -> None:
    failing = executable(tmp_path / "where", "echo no default toolchain >&2; exit 1")
    with pytest.raises(toolchain.ToolchainError, match=r"failed: no default toolchain.* Install the shell"):
        load(tmp_path, MINIMAL.format(command=failing))


def test_a_shim_that_needs_its_home_is_asked_again_with_the_folder_beside_it(
    tmp_path: Path, root: Path
) -> None:
    (tmp_path / "cargo" / "bin").mkdir(parents=True)
    (tmp_path / "rustup").mkdir()
    shim = executable(
        tmp_path / "cargo" / "bin" / "where",
        f'[ "$RUSTUP_HOME" -ef {tmp_path}/rustup ] && echo {root} || exit 1',
    )
    retry = 'retry_environments = [{ RUSTUP_HOME = "{command_dir}/../../rustup" }]\ninstall ='
    loaded = load(tmp_path, MINIMAL.format(command=shim).replace("install =", retry, 1))
    assert loaded.compile_mounts == {"/root": str(root)}


def test_rust_is_found_under_an_empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = toolchain.load(toolchain.builtin("rust"))
    for name in ("RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    found = toolchain.load(toolchain.builtin("rust"))
    assert found.compile_mounts == usual.compile_mounts


def test_rust_is_never_the_shim() -> None:
    compiler = Path(toolchain.load(toolchain.builtin("rust")).compile_mounts["/toolchain/bin/rustc"])
    assert compiler.name == "rustc"
    assert os.access(compiler, os.X_OK)


def test_the_folders_of_the_service_are_not_among_the_mounts_of_rust() -> None:
    import scorer_service

    mounts = toolchain.load(toolchain.builtin("rust")).compile_mounts.values()
    package = Path(scorer_service.__file__).resolve()
    assert not [mount for mount in mounts if package.is_relative_to(mount)]
