"""The Python of submissions: what a sandbox sees of the interpreter that has torch."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scorer_launcher

from scorer_service.sandbox import toolchain_table
from scorer_service.sandbox.toolchain import ToolchainError, builtin
from scorer_service.sandbox.toolchain_table import Table

_ASK_LIMIT_S = 30.0
_INSTALL = (
    "In a checkout, `make setup` makes an environment with torch; elsewhere, install torch and triton in a "
    "virtual environment of their own and name its python with --torch-python"
)
_QUESTIONS = """
import importlib.metadata, importlib.util, json, os, site, sys
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
print(json.dumps({
    "executable": os.path.realpath(sys.executable),
    "base": sys.base_prefix,
    "version": "python%d.%d" % sys.version_info[:2],
    "sites": [path for path in site.getsitepackages() if os.path.isdir(path)],
    "torch": version("torch"),
    "triton": version("triton"),
    "service": importlib.util.find_spec("scorer_service") is not None,
}))
"""


@dataclass(frozen=True)
class PythonToolchain:
    """What a sandbox for Python is made of."""

    mounts: Mapping[str, str]
    """Path inside -> path of the host."""
    warm_argv: Sequence[str]
    """The process that submissions are forked from."""
    environment: Mapping[str, str]
    cpu_environment: Mapping[str, str]
    """Added where there is no GPU."""
    torch_version: str
    triton_version: str


def default_python() -> Path:
    """The interpreter of a checkout's own environment with torch, else the one that runs this."""
    checkout = Path(__file__).resolve().parents[2] / ".venv-torch" / "bin" / "python"
    return checkout if checkout.exists() else Path(sys.executable)


def load(python: Path, file: Path | None = None) -> PythonToolchain:
    """Ask an interpreter where it is and what it has, without importing torch. Raises ToolchainError."""
    facts = _ask(python)
    if facts["torch"] is None or facts["triton"] is None:
        missing = " and ".join(name for name in ("torch", "triton") if facts[name] is None)
        raise ToolchainError(f"{python} has no {missing}. {_INSTALL}")
    if facts["service"]:
        raise ToolchainError(f"{python} has the service itself, which submissions must not see. {_INSTALL}")
    path = file or builtin("python")
    try:
        return _resolve(Table(tomllib.loads(path.read_text()), ""), facts)
    except (OSError, ValueError, toolchain_table.Malformed) as error:
        raise ToolchainError(f"toolchain file {path}: {error}") from error


def _ask(python: Path) -> dict[str, Any]:
    try:
        answer = subprocess.run(
            [str(python), "-I", "-c", _QUESTIONS],
            capture_output=True,
            text=True,
            timeout=_ASK_LIMIT_S,
            check=True,
            cwd="/",
        )
        facts: dict[str, Any] = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        reason = next(iter(error.stderr.strip().splitlines()[-1:]), f"exit status {error.returncode}")
        raise ToolchainError(f"{python} failed: {reason}. {_INSTALL}") from error
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{python} cannot be asked: {error}. {_INSTALL}") from error
    return facts


def _resolve(document: Table, facts: Mapping[str, Any]) -> PythonToolchain:
    document.take("name", str)
    warm_argv = document.take("warm", list)
    environment = document.take("environment", dict)
    cpu_environment = document.take("cpu_environment", dict)
    needed, optional = document.mounts()
    document.end()
    values = {name: facts[name] for name in ("executable", "base", "version")}
    values["runner"] = str(runner_folder())
    values["launcher"] = str(Path(scorer_launcher.__file__).resolve().parent)
    mounts = toolchain_table.host_paths(needed, optional, values)
    for number, site in enumerate(facts["sites"]):
        mounts[f"/python/site/{number}"] = str(Path(site).resolve())
    return PythonToolchain(
        mounts=mounts,
        warm_argv=warm_argv,
        environment=environment,
        cpu_environment=cpu_environment,
        torch_version=facts["torch"],
        triton_version=facts["triton"],
    )


def runner_folder() -> Path:
    """The folder of the runner: in an installed package beside this module, in a checkout in `sandboxes/`."""
    here = Path(__file__).resolve().parent
    candidates = here / "runner", here.parents[1] / "sandboxes" / "python" / "runner"
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise toolchain_table.Malformed(f"the runner is missing: looked for {' and '.join(map(str, candidates))}")
