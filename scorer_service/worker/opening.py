"""Opens the device that the server asked for."""

import re

import torch

from scorer_service.worker.device import CpuDevice, Device


def open_device(name: str) -> Device:
    """The device "auto" (a GPU where torch sees one, else the CPU), "cpu", "cuda" or "cuda:N".

    Raises ValueError for another name and RuntimeError where there is no such device.
    """
    if name == "cpu" or (name == "auto" and not torch.cuda.is_available()):
        return CpuDevice()
    if not (match := re.fullmatch(r"auto|cuda(?::(\d+))?", name)):
        raise ValueError(f"unknown device {name!r}; say auto, cpu, cuda or cuda:N")
    if not torch.cuda.is_available():
        raise RuntimeError(
            f"device {name!r} was asked for, but torch {torch.__version__} sees no CUDA device; "
            "install a driver and a CUDA build of torch, or ask for device cpu"
        )
    index = int(match[1] or 0)
    if index >= torch.cuda.device_count():
        raise RuntimeError(f"device {name!r} was asked for, but there are {torch.cuda.device_count()}")
    from scorer_service.worker.cuda import CudaDevice

    return CudaDevice(index)
