"""Tests what a server needs on this machine, and says what is missing and how to get it."""

import enum
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scorer_launcher

from scorer_service import state_dir
from scorer_service.configuration import Configuration, host_and_port
from scorer_service.environments.discovery import create_environment, environment_names
from scorer_service.environments.interface import Environment, NotServing
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox import isolation, python_toolchain
from scorer_service.sandbox.choice import ProbedBackend, open_backend
from scorer_service.sandbox.toolchain import ToolchainError
from scorer_service.worker.device_access import DeviceAccess

FREE_DISK_BYTES = 2 << 30


class Status(enum.Enum):
    """What was found of one thing."""

    OK = "ok"
    DEGRADED = "degraded"
    """It works, with something less."""
    MISSING = "missing"
    """It does not work."""


@dataclass(frozen=True)
class Finding:
    """One thing that was tested."""

    subject: str
    status: Status
    text: str

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {"subject": self.subject, "status": self.status.value, "text": self.text}


async def examine(configuration: Configuration) -> Sequence[Finding]:
    """Test everything; nothing of the state folder is touched."""
    with tempfile.TemporaryDirectory(prefix="scorer-doctor-") as folder:
        backend = _backend(configuration, Path(folder))
        findings = [
            *_python(),
            *_torch(configuration),
            *_sandbox(configuration, backend),
            *_device(),
            *_state_dir(configuration),
            *_ports(configuration),
        ]
        if not isinstance(backend, scorer_launcher.SandboxError):
            findings += await _environments(configuration, backend, Path(folder))
    return findings


def table(findings: Sequence[Finding]) -> str:
    """For a person, a line each."""
    width = max(len(finding.subject) for finding in findings)
    return "\n".join(
        f"{finding.status.value:<8}  {finding.subject:<{width}}  {finding.text}" for finding in findings
    )


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", Status.OK, version)


def _torch(configuration: Configuration) -> Iterator[Finding]:
    python = configuration.torch_python or python_toolchain.default_python()
    try:
        found = python_toolchain.load(python)
    except ToolchainError as error:
        yield Finding("torch", Status.MISSING, str(error))
    else:
        versions = f"torch {found.torch_version}, triton {found.triton_version}"
        yield Finding("torch", Status.OK, f"{versions}, of {python}")


def _backend(configuration: Configuration, folder: Path) -> ProbedBackend | scorer_launcher.SandboxError:
    try:
        return open_backend(configuration.sandbox, folder / "containers", configuration.slots or None)
    except scorer_launcher.SandboxError as error:
        return error


def _sandbox(
    configuration: Configuration, backend: ProbedBackend | scorer_launcher.SandboxError
) -> Iterator[Finding]:
    if isinstance(backend, scorer_launcher.SandboxError):
        yield Finding("sandbox", Status.MISSING, str(backend))
        return
    found = backend.isolation
    name = backend.description.partition(",")[0]
    namespaces = ", ".join(found.namespaces)
    yield Finding("sandbox", Status.OK, f"{name}: namespaces {namespaces}; a filter of system calls")
    required = isolation.required(configuration.require_isolation)
    for name, mechanism in isolation.MECHANISMS.items():
        subject = f"isolation: {name}"
        if mechanism.is_held(found):
            yield Finding(subject, Status.OK, mechanism.description(found))
        elif name in required:
            yield Finding(subject, Status.MISSING, f"required, and not here: {mechanism.lost}")
        else:
            yield Finding(subject, Status.DEGRADED, f"not here: {mechanism.lost}")
    for complaint in found.complaints:
        yield Finding("sandbox", Status.DEGRADED, complaint)


def _device() -> Iterator[Finding]:
    gpus = sorted(Path("/proc/driver/nvidia/gpus").glob("*"))
    if gpus:
        yield Finding("device", Status.OK, f"{len(gpus)} NVIDIA GPU(s)")
    else:
        yield Finding(
            "device",
            Status.OK,
            f"cpu, {len(os.sched_getaffinity(0))} cores; no GPU: what is measured is measured on the CPU",
        )


def _state_dir(configuration: Configuration) -> Iterator[Finding]:
    path = configuration.state_dir
    # Where one may not look, one may not write either.
    existing = next(parent for parent in (path, *path.parents) if os.access(parent, os.F_OK))
    if not os.access(existing, os.W_OK):
        yield Finding(
            "state", Status.MISSING, f"{existing} is not writable: choose another folder with --state-dir"
        )
        return
    free = shutil.disk_usage(existing).free
    if free < FREE_DISK_BYTES:
        yield Finding(
            "state",
            Status.DEGRADED,
            f"{free >> 20} MiB are free on the disk of {path}: make room for {FREE_DISK_BYTES >> 20} MiB",
        )
    else:
        yield Finding("state", Status.OK, f"{path}, {free >> 30} GiB free")


def _ports(configuration: Configuration) -> Iterator[Finding]:
    for subject, option, address in (
        ("rpc port", "--listen", configuration.listen),
        ("metrics port", "--metrics-listen", configuration.metrics_listen),
    ):
        host, port = host_and_port(address)
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
        except OSError as error:
            yield Finding(
                subject,
                Status.DEGRADED,
                f"{address} cannot be listened on ({error.strerror}): a server may be running there; "
                f"choose another with {option}",
            )
        else:
            yield Finding(subject, Status.OK, f"{address} is free")


async def _environments(
    configuration: Configuration, backend: ProbedBackend, folder: Path
) -> Sequence[Finding]:
    python = configuration.torch_python or python_toolchain.default_python()
    device = DeviceAccess(backend, python, configuration.device)
    # All are made before one is started: what they mount is mounted when the device starts.
    environments = {
        name: _made(name, configuration, backend, device, folder / name) for name in environment_names()
    }
    try:
        return [await _tried(name, made) for name, made in environments.items()]
    finally:
        await device.close()


def _made(
    name: str, configuration: Configuration, backend: ProbedBackend, device: DeviceAccess, cache_dir: Path
) -> Environment | NotServing:
    cache_dir.mkdir()
    settings = EnvironmentSettings(
        profile=configuration.profile,
        cache_dir=cache_dir,
        sandbox=backend,
        problem_set=configuration.problem_set,
        device=device,
        calibration_dir=configuration.state_dir / state_dir.CALIBRATION_DIR,
        data_dir=configuration.state_dir / state_dir.DATA_DIR,
        hidden_windows=configuration.hidden_windows,
    )
    try:
        return create_environment(name, settings)
    except NotServing as error:
        return error


async def _tried(name: str, environment: Environment | NotServing) -> Finding:
    if isinstance(environment, NotServing):
        return Finding(name, Status.MISSING, str(environment))
    try:
        await environment.start()
    except (NotServing, scorer_launcher.SandboxError) as error:
        return Finding(name, Status.MISSING, str(error))
    finally:
        await environment.close()
    return Finding(name, Status.OK, f"self-test passed, profile {environment.describe().profile}")
