"""The folder that outlives a server: who may use it, the secret in it, and each environment's part of it."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from scorer_service.configuration import Configuration
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.whole_file import whole_file
from scorer_service.worker.device_access import DeviceAccess

CALIBRATION_DIR = "calibration"
"""Inside the folder: the anchors that were measured."""
CONTAINERS_DIR = "containers"
"""Inside the folder: sockets to containers, where sandboxes are made in those."""
DATA_DIR = "data"
"""Inside the folder: what `scorer data` put there."""
_SECRET_BYTES = 32


class StateDirBusy(Exception):
    """Another server works in the state folder."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Make the folder, for this user alone, and lock it. Raises StateDirBusy."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.chmod(0o700)
    with (path / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateDirBusy(
                f"another server works in {path}: stop it, or choose another folder with --state-dir"
            ) from None
        yield


def environment_settings(
    name: str, configuration: Configuration, sandbox: SandboxBackend, device: DeviceAccess
) -> EnvironmentSettings:
    """What an environment is told by whoever holds the folder: a server, or a calibration for one."""
    state_dir = configuration.state_dir
    cache_dir = state_dir / "cache" / name
    cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return EnvironmentSettings(
        profile=configuration.profile,
        cache_dir=cache_dir,
        sandbox=sandbox,
        problem_set=configuration.problem_set,
        device=device,
        secret=_secret(state_dir),
        calibration_dir=state_dir / CALIBRATION_DIR,
        data_dir=state_dir / DATA_DIR,
        hidden_windows=configuration.hidden_windows,
    )


def _secret(state_dir: Path) -> bytes:
    """Random bytes that stay the same as long as the folder does."""
    path = state_dir / "secret"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        secret = os.urandom(_SECRET_BYTES)
        # On the disk before it is used: models are damaged by it for good.
        with whole_file(path, mode=0o600) as file:
            file.write(secret)
        return secret
