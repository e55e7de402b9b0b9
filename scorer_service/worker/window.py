"""The timed window: from the moment an input may be seen to the moment the outputs are the worker's own.

    off the clock   the inputs lie in memory of the worker; the output regions hold random words
                    "ready?" wakes the program and its core
    t0              the inputs are copied into the shared buffer
                    "go" says where inputs and outputs lie; the program computes, copies, and says "done"
    t1              the device's stop took the outputs out of the shared buffer
    off the clock   the caller compares all of the snapshots

The input is written after t0, so nothing can be known of it before. What a program writes after it said
"done" is on the clock, or in no snapshot.
"""

import contextlib
import gc
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from scorer_service.worker.channel import DONE, READY, ProgramChannel, require
from scorer_service.worker.device import Device

PREPARE = b"P"
"""Asks whether the program waits; with the microseconds for which it is to look for "go" without sleeping."""
GO = b"G"
"""With number of elements, offset of the input and of the output in bytes, for each call."""
EXPLAIN = b"E"
"""Asks for the text of the last failure."""

_PREPARE_FORMAT = struct.Struct("<cI")
_CALL_FORMAT = struct.Struct("<QQQ")

SPIN_S = 0.05
"""How long both sides look without sleeping, where each has a core of its own. It covers the window at the
sizes where microseconds matter."""

CALL_LIMIT = 1024
"""Calls in one window, so that "go" fits into a packet."""


@dataclass(frozen=True)
class Call:
    """One call of the program's function."""

    private_input: torch.Tensor
    """Memory of the worker alone."""
    input: torch.Tensor
    """Where the program finds it: a part of the shared buffer, of the same size."""
    input_offset_bytes: int
    output: torch.Tensor
    """Where the program leaves its output: a part of the shared buffer, of the same size."""
    output_offset_bytes: int
    snapshot: torch.Tensor
    """Memory of the worker alone, touched before, into which the output is taken."""


def run_window(device: Device, channel: ProgramChannel, calls: Sequence[Call], *, spin: bool) -> int:
    """Time `calls` in one window; nanoseconds. Raises ProgramStopped.

    `spin` says that worker and program have a core each.
    """
    for call in calls:
        if call.snapshot.untyped_storage().data_ptr() == call.output.untyped_storage().data_ptr():
            raise ValueError("a snapshot lies in memory that the program can write")
    spin_s = SPIN_S if spin else 0.0
    go = GO + b"".join(
        _CALL_FORMAT.pack(call.private_input.numel(), call.input_offset_bytes, call.output_offset_bytes)
        for call in calls
    )
    stop = device.prepare_stop([call.output for call in calls], [call.snapshot for call in calls])
    require(channel.ask(_PREPARE_FORMAT.pack(PREPARE, int(spin_s * 1e6))), READY)
    device.synchronize()
    with _no_collection():
        channel.expect_silence()
        began_ns = time.perf_counter_ns()
        for call in calls:
            call.input.copy_(call.private_input)
        device.synchronize()
        channel.send(go)
        reply = channel.receive(int(spin_s * 1e9))
        ended_ns = stop()
    require(reply, DONE)
    return ended_ns - began_ns


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python's cycle collector out of the window."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
