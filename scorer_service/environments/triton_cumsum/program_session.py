"""The worker's side of one submission: its channel, the buffers shared with it, and calls of its function."""

import json
import os
import threading
from collections.abc import Sequence

import torch

from scorer_service.worker.channel import DONE, ProgramChannel, ProgramStopped, require
from scorer_service.worker.device import Device, SharedBuffer
from scorer_service.worker.window import CALL_LIMIT, EXPLAIN, Call, run_window

LOAD = b"L"
"""Asks the runner to import the submission."""
BUFFERS = b"B"
"""Hands the runner the buffers' descriptors, with a description in JSON."""

ALIGNMENT_BYTES = 256
"""Of inputs and outputs, as torch's own allocations on a GPU are aligned."""

OFFSET_ROOM_BYTES = 512 * 1024
"""By so much offsets differ from call to call: 2048 places. Addresses are of no use as a key for what was
seen before, and a graph that was captured on one reads what lay there before."""


class ProgramSession:
    """One submission. Operations on it take turns by `turn`."""

    def __init__(self, device: Device, descriptor: int, timed_size: int, largest_size: int) -> None:
        self.turn = threading.Lock()
        self.channel = ProgramChannel(descriptor)
        self.timed_size = timed_size
        self.saw_hidden_inputs = False
        self._device = device
        self._slot_bytes = _aligned(4 * largest_size) + OFFSET_ROOM_BYTES
        self._slots = 0
        self._input_buffer: SharedBuffer | None = None
        self._output_buffer: SharedBuffer | None = None
        self._snapshots = torch.empty(0, dtype=torch.int32, device=device.torch_device)
        # For places and poison, which the program sees: no input is ever drawn from it.
        self._generator = torch.Generator(device.torch_device).manual_seed(
            int.from_bytes(os.urandom(8), "little")
        )

    def load(self) -> None:
        """Have the submission imported. Raises ProgramStopped."""
        self._ask(LOAD)

    def explanation(self) -> str:
        """What the program says of its last failure: text from hostile hands, for its author alone."""
        try:
            reply = self.channel.ask(EXPLAIN)
        except ProgramStopped as stopped:
            return str(stopped)
        text = reply[1:].decode(errors="replace") if reply[:1] == b"e" else ""
        return "".join(
            character if character.isprintable() or character in "\n\t" else "�" for character in text
        )

    def call(self, inputs: Sequence[torch.Tensor], *, spin: bool = False) -> tuple[int, list[torch.Tensor]]:
        """Call the function once for each of `inputs` in one window: nanoseconds, and the outputs.

        The outputs are valid until the next call. Raises ProgramStopped.
        """
        self._make_room(len(inputs))
        calls = [self._place(slot, private) for slot, private in enumerate(inputs)]
        elapsed_ns = run_window(self._device, self.channel, calls, spin=spin)
        return elapsed_ns, [call.snapshot for call in calls]

    def close(self) -> None:
        """Give everything back."""
        self.channel.close()
        self._drop_buffers()

    def _place(self, slot: int, private: torch.Tensor) -> Call:
        assert self._input_buffer is not None
        assert self._output_buffer is not None
        size = private.numel()
        room = (self._slot_bytes - _aligned(4 * size)) // ALIGNMENT_BYTES
        drawn = torch.randint(0, room + 1, (2,), generator=self._generator, device=self._device.torch_device)
        offsets = [slot * self._slot_bytes + int(number) * ALIGNMENT_BYTES for number in drawn.tolist()]
        values = self._input_buffer.words[offsets[0] // 4 :][:size]
        output = self._output_buffer.words[offsets[1] // 4 :][:size]
        # Nothing that lay there before can be the answer.
        output.random_(-(2**31), 2**31, generator=self._generator)
        # Written off the clock, so that its lines are in this core's cache when they are written on it:
        # otherwise they have to be taken from the program's, which took 0.1 ms of 256 KiB.
        values.zero_()
        return Call(
            private_input=private,
            input=values,
            input_offset_bytes=offsets[0],
            output=output,
            output_offset_bytes=offsets[1],
            snapshot=self._snapshots[slot * self._slot_bytes // 4 :][:size],
        )

    def _make_room(self, slots: int) -> None:
        if slots > CALL_LIMIT:
            raise ValueError(f"{slots} calls in a window; at most {CALL_LIMIT}")
        if slots <= self._slots:
            return
        self._drop_buffers()
        size_bytes = slots * self._slot_bytes
        self._input_buffer = self._device.allocate_shared(size_bytes)
        self._output_buffer = self._device.allocate_shared(size_bytes)
        # Written now, so that no page of it is made on the clock.
        self._snapshots = torch.ones(size_bytes // 4, dtype=torch.int32, device=self._device.torch_device)
        self._slots = slots
        buffers = (self._input_buffer, self._output_buffer)
        description = {
            "kind": self._device.kind,
            "identity": self._device.identity,
            "size_bytes": [buffer.size_bytes for buffer in buffers],
        }
        self._ask(BUFFERS + json.dumps(description).encode(), [buffer.descriptor for buffer in buffers])

    def _drop_buffers(self) -> None:
        for buffer in (self._input_buffer, self._output_buffer):
            if buffer is not None:
                buffer.close()
        self._input_buffer = self._output_buffer = None
        self._slots = 0

    def _ask(self, packet: bytes, descriptors: Sequence[int] = ()) -> None:
        require(self.channel.ask(packet, descriptors), DONE)


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
