"""GPU memory that two processes map by a file descriptor: the driver's virtual memory management, by ctypes.

Not run on a GPU: written after the CUDA driver API's documentation (section "Virtual Memory Management").

The older IPC handles (cudaIpcGetMemHandle) do not work between PID namespaces, and share whole blocks of
torch's allocator; a handle of this kind is a descriptor, goes over a unix socket, and covers one
allocation.

The same file, byte for byte, is in the worker, which makes memory, and in the runner, which imports it.
"""

import ctypes
import os

import torch

_PINNED = 1  # CU_MEM_ALLOCATION_TYPE_PINNED
_FILE_DESCRIPTOR = 1  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_DEVICE = 1  # CU_MEM_LOCATION_TYPE_DEVICE
_READ_WRITE = 3  # CU_MEM_ACCESS_FLAGS_PROT_READWRITE
_MINIMUM = 0  # CU_MEM_ALLOC_GRANULARITY_MINIMUM


class _Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _AllocationFlags(ctypes.Structure):
    _fields_ = (
        ("compression_type", ctypes.c_ubyte),
        ("gpu_direct_rdma_capable", ctypes.c_ubyte),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 4),
    )


class _AllocationProperties(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("requested_handle_types", ctypes.c_int),
        ("location", _Location),
        ("win32_handle_meta_data", ctypes.c_void_p),
        ("allocation_flags", _AllocationFlags),
    )


class _AccessDescription(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


class Memory:
    """An allocation of one device, mapped into this process; `words` is all of it, int32, flat."""

    def __init__(self, handle: ctypes.c_ulonglong, size_bytes: int, device_index: int) -> None:
        self._handle = handle
        self.size_bytes = size_bytes
        self._address = ctypes.c_ulonglong()
        _do(
            "cuMemAddressReserve",
            ctypes.byref(self._address),
            _size(size_bytes),
            _size(0),
            _address(0),
            _flags(0),
        )
        _do("cuMemMap", self._address, _size(size_bytes), _size(0), handle, _flags(0))
        access = _AccessDescription(_Location(_DEVICE, device_index), _READ_WRITE)
        _do("cuMemSetAccess", self._address, _size(size_bytes), ctypes.byref(access), _size(1))
        # What torch reads to see foreign memory as a tensor.
        self.__cuda_array_interface__ = {
            "shape": (size_bytes // 4,),
            "typestr": "<i4",
            "data": (self._address.value, False),
            "strides": None,
            "version": 3,
        }
        self.words: torch.Tensor = torch.as_tensor(self, device=torch.device("cuda", device_index))

    def close(self) -> None:
        """Unmap; the memory is free when the last process has done so. No view may be used afterwards."""
        if self._address.value:
            torch.cuda.synchronize()
            del self.words
            _do("cuMemUnmap", self._address, _size(self.size_bytes))
            _do("cuMemAddressFree", self._address, _size(self.size_bytes))
            _do("cuMemRelease", self._handle)
            self._address.value = 0


def allocate(size_bytes: int, device_index: int) -> tuple[Memory, int]:
    """New memory, of at least this size, and a descriptor that stands for it. Raises RuntimeError."""
    _make_context_current(device_index)
    properties = _AllocationProperties(
        type=_PINNED,
        requested_handle_types=_FILE_DESCRIPTOR,
        location=_Location(_DEVICE, device_index),
    )
    granularity = ctypes.c_size_t()
    _do(
        "cuMemGetAllocationGranularity",
        ctypes.byref(granularity),
        ctypes.byref(properties),
        ctypes.c_int(_MINIMUM),
    )
    size_bytes = -(-size_bytes // granularity.value) * granularity.value
    handle = ctypes.c_ulonglong()
    _do("cuMemCreate", ctypes.byref(handle), _size(size_bytes), ctypes.byref(properties), _flags(0))
    descriptor = ctypes.c_int(-1)
    _do(
        "cuMemExportToShareableHandle",
        ctypes.byref(descriptor),
        handle,
        ctypes.c_int(_FILE_DESCRIPTOR),
        _flags(0),
    )
    os.set_inheritable(descriptor.value, False)
    return Memory(handle, size_bytes, device_index), descriptor.value


def imported(descriptor: int, size_bytes: int, device_index: int) -> Memory:
    """The memory for which another process exported `descriptor`. Raises RuntimeError."""
    _make_context_current(device_index)
    handle = ctypes.c_ulonglong()
    _do(
        "cuMemImportFromShareableHandle",
        ctypes.byref(handle),
        ctypes.c_void_p(descriptor),
        ctypes.c_int(_FILE_DESCRIPTOR),
    )
    return Memory(handle, size_bytes, device_index)


def _make_context_current(device_index: int) -> None:
    """torch's own (primary) context; the driver's calls above work in the current one."""
    torch.cuda.set_device(device_index)
    torch.empty(1, device=torch.device("cuda", device_index))


def _do(function: str, *arguments: object) -> None:
    """Call the driver. Raises RuntimeError with the driver's own name of the error."""
    driver = ctypes.CDLL("libcuda.so.1")
    if status := getattr(driver, function)(*arguments):
        name = ctypes.c_char_p()
        driver.cuGetErrorName(ctypes.c_int(status), ctypes.byref(name))
        raise RuntimeError(f"{function} failed: {(name.value or b'unknown').decode()} ({status})")


def _size(value: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(value)


def _address(value: int) -> ctypes.c_ulonglong:
    return ctypes.c_ulonglong(value)


def _flags(value: int) -> ctypes.c_ulonglong:
    return ctypes.c_ulonglong(value)
