"""What is told of a device."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceInfo:
    """The device that a worker owns, as the worker found it."""

    kind: str
    """"cpu" or "cuda"."""
    name: str
    """"cpu", or the name of the GPU."""
    fingerprint: str
    """Stable text; devices with the same one share a calibration. It holds the CPU's model and number of
    cores, or the GPU's name, capability and driver, and the versions of torch and triton."""
    torch_version: str
    triton_version: str
    memory_bytes: int
