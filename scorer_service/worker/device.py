"""A device, as the trial protocol needs it; and the CPU as one."""

import fcntl
import mmap
import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import torch
import triton

from scorer_service.worker.device_info import DeviceInfo


class SharedBuffer(Protocol):
    """Memory of the device that the worker and one program see."""

    words: torch.Tensor
    """All of it, int32, flat, on the device."""
    descriptor: int
    """What the program maps it by. Closed with the buffer."""
    size_bytes: int

    def close(self) -> None:
        """Give the memory back, as far as the worker holds it. No view may be used afterwards."""


class Device(Protocol):
    """Where programs compute."""

    kind: str
    """"cpu" or "cuda"."""
    torch_device: torch.device
    identity: str
    """By which a program finds the device among those that it sees: the UUID of a GPU; empty for a CPU."""

    def describe(self) -> DeviceInfo:
        """What it is."""

    def state(self) -> dict[str, int]:
        """Clocks and the like at this moment, as far as they can be read."""

    def allocate_shared(self, size_bytes: int) -> SharedBuffer:
        """Memory that one program can map by its descriptor. Raises RuntimeError where there is too
        little."""

    def synchronize(self) -> None:
        """Wait until all that this process asked of the device is done."""

    def prepare_stop(
        self, outputs: Sequence[torch.Tensor], snapshots: Sequence[torch.Tensor]
    ) -> Callable[[], int]:
        """Get ready to copy `outputs` to `snapshots`, memory of the worker's own, off the clock.

        The function that comes back does so, and says when the clock stopped, as `perf_counter_ns` counts.
        Each device says what a program can still change in a snapshot after that.
        """


class CpuDevice:
    """The CPU: programs have one core and one torch thread, and memory is shared by memory files.

    The clock stops when the full snapshot was taken, so nothing that a program writes later is in it.
    """

    kind = "cpu"
    torch_device = torch.device("cpu")
    identity = ""

    def __init__(self) -> None:
        # A second thread would run on the core of the program that is timed.
        torch.set_num_threads(1)

    def describe(self) -> DeviceInfo:
        """The CPU's model and number of cores, and the machine's memory."""
        cpu = f"{_cpu_model()}; {os.cpu_count()} cores"
        return DeviceInfo(
            kind="cpu",
            name="cpu",
            fingerprint=f"{cpu}; torch {torch.__version__}; triton {triton.__version__}",
            torch_version=torch.__version__,
            triton_version=triton.__version__,
            memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        )

    def state(self) -> dict[str, int]:
        """Nothing: what a CPU says of its clock is not of the moment."""
        return {}

    def allocate_shared(self, size_bytes: int) -> "MemoryFile":
        """A memory file of a fixed size."""
        return MemoryFile(size_bytes)

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def prepare_stop(
        self, outputs: Sequence[torch.Tensor], snapshots: Sequence[torch.Tensor]
    ) -> Callable[[], int]:
        """The function copies everything, in an order that nobody can guess, then stops.

        A program that says "done" too early could write just ahead of a copy whose course it knows.
        """
        pieces = []
        for output, snapshot in zip(outputs, snapshots, strict=True):
            cut = secrets.randbelow(output.numel() + 1)
            pieces += [(output[:cut], snapshot[:cut]), (output[cut:], snapshot[cut:])]
        # Wherever the cut is, what was handed over last is as likely to be copied first as anything else.
        pieces.reverse()
        if len(pieces) > 2:
            secrets.SystemRandom().shuffle(pieces)

        def stop() -> int:
            for output, snapshot in pieces:
                snapshot.copy_(output)
            return time.perf_counter_ns()

        return stop


class MemoryFile:
    """A sealed memory file, mapped: a program that could shrink it could kill the worker by SIGBUS."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.descriptor = os.memfd_create("buffer", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size_bytes)
        fcntl.fcntl(
            self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        )
        memory = mmap.mmap(self.descriptor, size_bytes, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self.words = torch.frombuffer(memory, dtype=torch.int32)

    def close(self) -> None:
        """Close the file; the mapping goes with the last view of it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            del self.words


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return os.uname().machine
