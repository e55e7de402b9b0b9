"""What an environment is told by the server when it is created."""

from dataclasses import dataclass
from pathlib import Path

from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.worker.device_access import DeviceAccess


@dataclass(frozen=True)
class EnvironmentSettings:
    """The surroundings of an environment."""

    profile: str
    """"embedded" or "paper"."""
    cache_dir: Path
    """A folder of the environment's own that outlives the server; readable by the server alone."""
    sandbox: SandboxBackend
    """Where submissions are built and run."""
    problem_set: Path | None = None
    """A problem set to serve in place of the profile's own (rust_codecontests)."""
    device: DeviceAccess | None = None
    """The device that submissions are measured on, shared by the environments of a server."""
    secret: bytes = b""
    """Of this installation, for what must be the same after a restart and must not be guessed."""
    calibration_dir: Path | None = None
    """Where the anchors that were measured on devices are kept."""
    data_dir: Path | None = None
    """Where an operator's own data lie, put there by `scorer data`; read only."""
    hidden_windows: int = 0
    """Windows of hidden text that models are judged on; 0: as many as the profile says."""
