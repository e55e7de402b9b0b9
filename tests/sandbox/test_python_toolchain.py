"""The Python of submissions: what is asked of an interpreter, and what is refused with which way out."""

import subprocess
import sys
from pathlib import Path

import pytest

from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.toolchain import ToolchainError


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with nothing in it."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder


def add_distribution(environment: Path, name: str, version: str) -> None:
    """What an installer leaves of a package, without its code: nothing here imports it."""
    (site,) = environment.glob("lib/python*/site-packages")
    metadata = site / f"{name}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_an_interpreter_without_torch_is_refused_with_the_way_out(bare: Path) -> None:
    with pytest.raises(ToolchainError, match=r"no torch and triton.*make setup.*--torch-python"):
        python_toolchain.load(bare / "bin" / "python")


def test_what_is_no_interpreter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"cannot be asked: .*nowhere"):
        python_toolchain.load(tmp_path / "nowhere")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no license >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(ToolchainError, match="no license"):
        python_toolchain.load(broken)


def test_an_environment_that_has_the_service_is_refused(bare: Path) -> None:
    for name, version in (("torch", "2.99.0"), ("triton", "3.99.0")):
        add_distribution(bare, name, version)
    found = python_toolchain.load(bare / "bin" / "python")
    assert (found.torch_version, found.triton_version) == ("2.99.0", "3.99.0")
    (site,) = bare.glob("lib/python*/site-packages")
    assert found.mounts["/python/site/0"] == str(site.resolve())
    package = site / "scorer_service"
    package.mkdir()
    (package / "__init__.py").touch()
    with pytest.raises(ToolchainError, match="has the service itself, which submissions must not see"):
        python_toolchain.load(bare / "bin" / "python")


def test_nothing_of_the_service_but_runner_and_launcher_is_mounted() -> None:
    python = python_toolchain.default_python()
    if python == Path(sys.executable):
        pytest.skip("no environment with torch: make setup")
    mounts = python_toolchain.load(python).mounts
    checkout = Path(python_toolchain.__file__).parents[2]
    inside = [Path(source) for source in mounts.values() if Path(source).is_relative_to(checkout)]
    assert not any((source / "scorer_service").exists() for source in inside)
    assert not any((checkout / "scorer_service").is_relative_to(source) for source in inside)
    assert set(mounts) >= {"/python/bin/python", "/runner", "/launcher/scorer_launcher", "/python/site/0"}
