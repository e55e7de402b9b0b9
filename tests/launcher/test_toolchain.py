"""A compiler in the sandbox, with its files below a folder that only their owner may enter."""

import shutil
import subprocess
from pathlib import Path

import pytest
from scorer_launcher import Mount, Sandbox, Slots, Termination, write_executable

from .conftest import limits  # noqa: TID252 -- test files have no absolute name

SOURCE = b'fn main() { println!("hello"); }'
SYSTEM = ("/bin", "/usr/bin", "/usr/lib", "/usr/libexec", "/lib", "/lib64", "/etc/alternatives")


@pytest.fixture(scope="module")
def sysroot() -> Path:
    if shutil.which("rustc") is None:
        pytest.skip("no rustc on this machine")
    return Path(subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip())


def test_rust_is_compiled_and_the_result_runs(sysroot: Path, slots: Slots, tmp_path: Path) -> None:
    mounts = [Mount(path, path) for path in SYSTEM if Path(path).exists()]
    generous = limits(cpu_limit_s=60.0, wall_limit_s=120.0, memory_limit_bytes=2 << 30)
    with Sandbox(
        mounts=[*mounts, Mount(str(sysroot), "/rust")], slots=slots, environment={"PATH": "/usr/bin"}
    ) as compiler:
        command = [
            "/rust/bin/rustc",
            "--edition",
            "2021",
            "-O",
            "-C",
            "target-feature=+crt-static",
            "main.rs",
        ]
        built = compiler.run(command, limits=generous, files={"main.rs": SOURCE}, collect={"main": 64 << 20})
        assert built.exit_code == 0, built.stderr.decode()
        broken = compiler.run(
            command, limits=generous, files={"main.rs": b"fn main() {"}, collect={"main": 1}
        )
        assert (broken.exit_code, broken.files) == (1, {})
    target = tmp_path / "main"
    write_executable(str(target), built.files["main"])
    with Sandbox(mounts=[Mount(str(target), "/main")], slots=slots) as sandbox:
        result = sandbox.run(["/main"], limits=limits())
    assert (result.termination, result.stdout) == (Termination.EXITED, b"hello\n")
