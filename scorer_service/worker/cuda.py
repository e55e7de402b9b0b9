"""A GPU as a device. Not run on a GPU: see docs/design/timing.md."""

import ctypes
import os
import time
from collections.abc import Callable, Sequence

import torch
import triton

from scorer_service.worker import cuda_sharing
from scorer_service.worker.device_info import DeviceInfo

_SCATTERED_COUNT = 65_536
_LAST_COUNT = 256
"""Elements of an output that the probe reads: 2 MB at most, some microseconds. If one element in a thousand
is written late, the probe misses all of them once in 10^28 times."""


class CudaBuffer:
    """Memory of the driver's virtual memory management, exported as a descriptor."""

    def __init__(self, size_bytes: int, device_index: int) -> None:
        self._memory, self.descriptor = cuda_sharing.allocate(size_bytes, device_index)
        self.size_bytes = self._memory.size_bytes
        self.words = self._memory.words

    def close(self) -> None:
        """Unmap it here; the program's mapping is its own."""
        if self.descriptor >= 0:
            del self.words
            self._memory.close()
            os.close(self.descriptor)
            self.descriptor = -1


class CudaDevice:
    """One GPU, with torch's primary context in this process; programs have contexts of their own.

    Contexts take turns on the GPU. A program that says "done" while its kernels still run could hide behind
    the turn-taking, so the clock stops only when a kernel of this process has read scattered elements and
    the last ones; the full snapshot follows at once, and what the probe saw is put into it. A program that
    finishes its output between probe and snapshot would have to guess where the probe reads.
    """

    kind = "cuda"

    def __init__(self, index: int) -> None:
        self.torch_device = torch.device("cuda", index)
        self.identity = str(torch.cuda.get_device_properties(self.torch_device).uuid)
        torch.cuda.set_device(self.torch_device)
        # An event that waits by looking sees the end without the delay of being woken.
        self._event = torch.cuda.Event(blocking=False)
        self._generator = torch.Generator(self.torch_device).manual_seed(
            int.from_bytes(os.urandom(8), "little")
        )
        torch.zeros(1, device=self.torch_device).item()  # makes the context

    def describe(self) -> DeviceInfo:
        """Name, capability and memory of the GPU, and the driver."""
        properties = torch.cuda.get_device_properties(self.torch_device)
        capability = f"sm_{properties.major}{properties.minor}"
        gpu = f"{properties.name}; {capability}; CUDA {torch.version.cuda}; driver {_driver_version()}"
        return DeviceInfo(
            kind="cuda",
            name=properties.name,
            fingerprint=f"{gpu}; torch {torch.__version__}; triton {triton.__version__}",
            torch_version=torch.__version__,
            triton_version=triton.__version__,
            memory_bytes=properties.total_memory,
        )

    def state(self) -> dict[str, int]:
        """Clock and temperature; empty where torch has no bindings of NVML."""
        try:
            return {
                "clock_mhz": int(torch.cuda.clock_rate(self.torch_device)),
                "temperature_c": int(torch.cuda.temperature(self.torch_device)),
            }
        except (ImportError, RuntimeError):
            return {}

    def allocate_shared(self, size_bytes: int) -> CudaBuffer:
        """Memory of the GPU, exported as a descriptor."""
        return CudaBuffer(size_bytes, self.torch_device.index)

    def synchronize(self) -> None:
        """Wait for all kernels and copies of this process."""
        torch.cuda.synchronize(self.torch_device)

    def prepare_stop(
        self, outputs: Sequence[torch.Tensor], snapshots: Sequence[torch.Tensor]
    ) -> Callable[[], int]:
        """Choose what is probed; the function probes, stops, and takes the snapshots at once."""
        positions = [self._positions(output.numel()) for output in outputs]
        probes = [
            torch.empty(chosen.numel(), dtype=torch.int32, device=chosen.device) for chosen in positions
        ]

        def stop() -> int:
            for output, chosen, probe in zip(outputs, positions, probes, strict=True):
                torch.index_select(output, 0, chosen, out=probe)
            self._event.record()
            self._event.synchronize()
            stopped_ns = time.perf_counter_ns()
            for output, snapshot in zip(outputs, snapshots, strict=True):
                snapshot.copy_(output)
            # What was on time is what the probe saw.
            for snapshot, chosen, probe in zip(snapshots, positions, probes, strict=True):
                snapshot[chosen] = probe
            self.synchronize()
            return stopped_ns

        return stop

    def _positions(self, size: int) -> torch.Tensor:
        """Positions that a program cannot guess, and the last ones."""
        last = torch.arange(max(0, size - _LAST_COUNT), size, device=self.torch_device)
        if not size:
            return last
        scattered = torch.randint(
            0, size, (_SCATTERED_COUNT,), generator=self._generator, device=self.torch_device
        )
        return torch.cat([scattered, last])


def _driver_version() -> int:
    """As CUDA counts it: 12040 is 12.4."""
    version = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return version.value
