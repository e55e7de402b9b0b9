"""The memory that worker and program share, as tensors."""

import json
import mmap
import os
import struct
from collections.abc import Iterator

import torch

_CALL_FORMAT = struct.Struct("<QQQ")


class Buffers:
    """The inputs' and the outputs' buffer, mapped."""

    def __init__(self, description: bytes, descriptors: list[int]) -> None:
        """`description` is JSON: kind and identity of the device, size_bytes of each buffer."""
        told = json.loads(description)
        self._on_gpu = told["kind"] == "cuda"
        inputs, outputs = zip(descriptors, told["size_bytes"], strict=True)
        if self._on_gpu:
            from runner.cuda_sharing import imported

            index = _index_of_gpu(told["identity"])
            self._memory = [imported(*inputs, index), imported(*outputs, index)]
            self._inputs, self._outputs = (memory.words for memory in self._memory)
        else:
            self._inputs, self._outputs = _mapped(*inputs), _mapped(*outputs)
        for descriptor in descriptors:
            os.close(descriptor)

    def calls(self, packed: bytes) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """Number of elements, input and place of the output, for each call."""
        for size, input_offset, output_offset in _CALL_FORMAT.iter_unpack(packed):
            yield (
                size,
                self._part(self._inputs, input_offset, size),
                self._part(self._outputs, output_offset, size),
            )

    def synchronize(self) -> None:
        """Wait until the device has done all that it was told."""
        if self._on_gpu:
            torch.cuda.synchronize()

    @staticmethod
    def _part(words: torch.Tensor, offset_bytes: int, size: int) -> torch.Tensor:
        return words[offset_bytes // 4 : offset_bytes // 4 + size]


def _index_of_gpu(identity: str) -> int:
    """A GPU's number in this process, which sees only those that its sandbox has; by its UUID."""
    for index in range(torch.cuda.device_count()):
        if str(torch.cuda.get_device_properties(index).uuid) == identity:
            return index
    raise RuntimeError(f"there is no GPU {identity} in this sandbox")


def _mapped(descriptor: int, size_bytes: int) -> torch.Tensor:
    # Populated, so that no call pays for page faults of this memory.
    memory = mmap.mmap(descriptor, size_bytes, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
    return torch.frombuffer(memory, dtype=torch.int32)
