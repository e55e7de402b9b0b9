"""A backend of each kind, and a program to run in its sandboxes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from container_engine import engine_or_skip

from scorer_service.sandbox.choice import ProbedBackend, open_backend


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The program of the launcher's tests, whose first argument says what it does."""
    target = tmp_path_factory.mktemp("programs") / "program"
    source = repository / "tests" / "launcher" / "programs.rs"
    flags = ["--edition", "2024", "-O", "-C", "target-feature=+crt-static"]
    subprocess.run(["rustc", *flags, "-o", str(target), str(source)], check=True, capture_output=True)
    return target


@pytest.fixture
def open_docker(tmp_path: Path) -> Callable[[], ProbedBackend]:
    """Makes a docker backend with two slots. Skips where there is no engine."""
    engine_or_skip()
    return lambda: open_backend("docker", tmp_path / "containers", 2)


@pytest.fixture
def docker_backend(open_docker: Callable[[], ProbedBackend]) -> ProbedBackend:
    return open_docker()


@pytest.fixture(params=["native", "docker"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> ProbedBackend:
    """Each backend that works here, with two slots."""
    if request.param == "docker":
        engine_or_skip()
    return open_backend(request.param, tmp_path / "containers", 2)
