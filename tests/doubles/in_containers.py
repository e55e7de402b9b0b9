"""A plugin of pytest: has the tests of the launcher make their sandboxes in containers.

`pytest -p in_containers tests/launcher/...` puts a function with the same parameters in the place of
`scorer_launcher.Sandbox`, before tests import it, that goes by the docker backend.
"""

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import docker.errors
import pytest
import scorer_launcher
from container_engine import client

from scorer_service.sandbox import docker_container
from scorer_service.sandbox.docker_engine import SERVER_LABEL, Engine, this_process

_REAL_MOUNT = scorer_launcher.Mount
_REAL_SANDBOX = scorer_launcher.Sandbox
_REAL_PROBE = scorer_launcher.probe


class Mount:
    """What a mount was made of, once the launcher has found it sensible."""

    def __init__(self, source: str, target: str, *, copy: bool = False) -> None:
        _REAL_MOUNT(source, target, copy=copy)
        self.source, self.target, self.copy = source, target, copy


class Containers:
    """Sandboxes in containers, with the parameters of `scorer_launcher.Sandbox`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = Engine()
        self.image = self.engine.image()
        self.cgroup = self.probe().cgroup

    def probe(self) -> scorer_launcher.Isolation:
        with docker_container.started(self.engine, self.image, (), self.folder, ()) as control:
            return _REAL_PROBE(container=control.fileno())

    def open(
        self,
        *,
        mounts: Sequence[Mount],
        slots: scorer_launcher.Slots,
        environment: Mapping[str, str] | None = None,
        cgroup: str = "auto",
        warm: Sequence[str] | None = None,
        devices: Sequence[str] = (),
    ) -> scorer_launcher.Sandbox:
        if cgroup not in ("auto", self.cgroup):
            pytest.skip(f"containers here are accounted by cgroup {self.cgroup}")
        if devices:
            pytest.skip("devices of a container are those of a device request")
        shown = [str(mount.source) for mount in mounts]
        inside = docker_container.sources(len(shown))
        made = [
            _REAL_MOUNT(source, mount.target, copy=mount.copy)
            for source, mount in zip(inside, mounts, strict=True)
        ]
        with docker_container.started(self.engine, self.image, shown, self.folder, ()) as control:
            return _REAL_SANDBOX(
                mounts=made,
                slots=slots,
                environment=environment,
                warm=warm,
                devices=devices,
                container=control.fileno(),
            )


def _put_in_place() -> None:
    """To be done when this is imported: files of fixtures are, before a plugin is told of anything."""
    folder = Path(tempfile.mkdtemp(prefix="containers-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    containers = Containers(folder)
    module: Any = scorer_launcher
    module.Mount, module.Sandbox, module.probe = Mount, containers.open, containers.probe


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first process of a container is the engine's child; here, it is that of who asked for it."""
    for module in {item.module for item in items if isinstance(item, pytest.Function)}:
        if hasattr(module, "descendants"):
            # Of the file that it was imported from.
            names = module.descendants.__globals__
            names["processes"] = adopting(names["processes"])
        if hasattr(module, "FILTERS_OF_PROGRAMS"):
            module.FILTERS_OF_PROGRAMS += 1  # that of the engine


def adopting(processes: Callable[[], dict[int, tuple[int, str]]]) -> Callable[[], dict[int, tuple[int, str]]]:
    engine = client()
    mine = {"label": f"{SERVER_LABEL}={this_process()}"}

    def adopted() -> dict[int, tuple[int, str]]:
        found = processes()
        for container in engine.containers(filters=mine):
            with contextlib.suppress(docker.errors.NotFound):
                pid = engine.inspect_container(container["Id"])["State"]["Pid"]
                if pid in found:
                    found[pid] = (os.getpid(), found[pid][1])
        return found

    return adopted


_put_in_place()
