"""Anchors that the command line measured are those that a server on the same state folder scores by."""

import asyncio
from pathlib import Path

from scorer_service import configuration, state_dir
from scorer_service.environments.discovery import create_environment
from scorer_service.environments.interface import Anchors
from scorer_service.main import main
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess


def test_a_server_finds_the_anchors_of_its_own_damaged_model(tmp_path: Path, torch_python: Path) -> None:
    """Which is another one in every state folder."""
    folder = tmp_path / "state"
    options = {"state_dir": str(folder), "torch_python": str(torch_python), "device": "cpu"}
    options["hidden_windows"] = "8"
    arguments = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    assert main(["calibrate", "fix_embedding", *arguments]) == 0

    async def anchors() -> Anchors | None:
        given = configuration.load(options)
        backend = NativeBackend()
        device = DeviceAccess(backend, torch_python, "cpu")
        settings = state_dir.environment_settings("fix_embedding", given, backend, device)
        environment = create_environment("fix_embedding", settings)
        try:
            await environment.start()
            return environment.describe().anchors
        finally:
            await environment.close()
            await device.close()

    found = asyncio.run(anchors())
    assert found is not None
    assert found.reference_raw < found.starting_raw
