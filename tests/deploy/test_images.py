"""The server's image is made of files that there are, and starts a server whose settings there are."""

import dataclasses
import re
import shlex
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from scorer_service import configuration
from scorer_service.configuration import Configuration


@pytest.fixture
def dockerfile(repository: Path) -> Path:
    return repository / "deploy" / "images" / "server.Dockerfile"


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Each instruction with its arguments, continued lines joined."""
    lines = [line for line in dockerfile.read_text().splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def copied(dockerfile: Path) -> list[str]:
    """What is copied from the checkout."""
    found: list[str] = []
    for word, rest in instructions(dockerfile):
        if word == "COPY" and "--from=" not in rest:
            found += shlex.split(rest)[:-1]
    return found


def test_what_is_copied_is_there_and_is_sent_to_the_build(dockerfile: Path, repository: Path) -> None:
    sent = [
        line.removeprefix("!")
        for line in (dockerfile.parent / f"{dockerfile.name}.dockerignore").read_text().splitlines()
        if line.startswith("!")
    ]
    assert set(copied(dockerfile)) >= {"requirements.txt", "pyproject.toml", "scorer_service"}
    for source in copied(dockerfile):
        assert (repository / source).exists(), source
        assert any(source == one or fnmatch(source, f"{one}/*") for one in sent), source
    for one in sent:
        assert any(source == one or source.startswith(f"{one}/") for source in copied(dockerfile)), one


def test_what_a_wheel_is_built_from_is_copied(dockerfile: Path, repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source in (*wheel["packages"], *wheel["force-include"]):
        assert any(source == one or source.startswith(f"{one}/") for one in copied(dockerfile)), source
    [extras] = re.findall(r"scorer-service\[([a-z,]+)\]", dockerfile.read_text())
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])


def test_every_variant_has_its_stage(dockerfile: Path) -> None:
    stages = {
        rest.split(" AS ")[1] for word, rest in instructions(dockerfile) if word == "FROM" and " AS " in rest
    }
    assert {"torch-cuda", "torch-cpu", "torch-none"} <= stages
    for _, rest in instructions(dockerfile):
        for stage in re.findall(r"--from=(\S+)", rest):
            assert stage in stages


def test_variables_and_ports_are_those_of_the_server(dockerfile: Path) -> None:
    [text] = [rest for word, rest in instructions(dockerfile) if word == "ENV"]
    variables = dict(pair.split("=", 1) for pair in shlex.split(text))
    names = {f"SCORER_{setting.name.upper()}" for setting in dataclasses.fields(Configuration)}
    assert {name for name in variables if name.startswith("SCORER_")} <= names
    loaded, defaults = configuration.load({}, None, variables), Configuration()
    ports = []
    for field in ("listen", "metrics_listen"):
        host, port = configuration.host_and_port(getattr(loaded, field))
        assert host == "0.0.0.0"
        assert port == configuration.host_and_port(getattr(defaults, field))[1]
        ports.append(port)
    [exposed] = [rest for word, rest in instructions(dockerfile) if word == "EXPOSE"]
    assert [int(port) for port in exposed.split()] == ports
    [health] = [rest for word, rest in instructions(dockerfile) if word == "HEALTHCHECK"]
    assert f"http://127.0.0.1:{ports[1]}/healthz" in health


def test_the_image_does_not_run_as_root(dockerfile: Path) -> None:
    [user] = [rest for word, rest in instructions(dockerfile) if word == "USER"]
    assert user == "10001:10001"


def test_the_smaller_torch_is_the_locked_one_without_what_cuda_needs(
    dockerfile: Path, repository: Path, tmp_path: Path
) -> None:
    [filter_command] = re.findall(r"awk '[^']+' requirements.txt", dockerfile.read_text())
    locked = repository / "sandboxes" / "python"
    rest = subprocess.run(
        filter_command, shell=True, cwd=locked, capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^([a-z0-9-]+)==", rest, re.MULTILINE)
    every = re.findall(r"^([a-z0-9-]+)==", (locked / "requirements.txt").read_text(), re.MULTILINE)
    assert set(every) - set(names) >= {"torch", "nvidia-cublas"}
    assert {"numpy", "safetensors", "triton", "sympy"} <= set(names)
    assert not any(name.startswith(("nvidia", "cuda")) for name in names)
    hashes = rest.count("--hash=")
    assert hashes >= len(names)
