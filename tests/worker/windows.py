"""Operations for tests: a timed window whose program is a thread that follows a script."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import torch

from scorer_service.worker import window
from scorer_service.worker.channel import ProgramChannel
from scorer_service.worker.window import Call, run_window

SIZE = 1000


def _call(context: Any) -> tuple[Call, list[Any]]:
    buffers = [context.device.allocate_shared(8 * SIZE) for _ in range(2)]
    call = Call(
        private_input=torch.arange(1, SIZE + 1, dtype=torch.int32),
        input=buffers[0].words[SIZE:],
        input_offset_bytes=4 * SIZE,
        output=buffers[1].words[:SIZE],
        output_offset_bytes=0,
        snapshot=torch.full((SIZE,), -1, dtype=torch.int32),
    )
    return call, buffers


def _run(context: Any, call: Call, program: Callable[[socket.socket], None]) -> int:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        channel = ProgramChannel(ours.fileno())
    channel.allow(30)
    thread = threading.Thread(target=program, args=(theirs,))
    thread.start()
    try:
        return run_window(context.device, channel, [call], spin=False)
    finally:
        thread.join()
        theirs.close()
        channel.close()


def late_writes(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    """The output is right in the window, and changed after it."""
    call, buffers = _call(context)

    def program(channel: socket.socket) -> None:
        channel.recv(100)
        channel.send(b"r")
        channel.recv(100)
        call.output.copy_(call.input)
        channel.send(b"d")

    _run(context, call, program)
    call.output.fill_(0)
    answer = {
        "in_snapshot": bool(torch.equal(call.snapshot, call.private_input)),
        "in_buffer": bool(torch.equal(call.output, call.private_input)),
    }
    for buffer in buffers:
        buffer.close()
    return answer


def sight_of_input(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    """What of the input can be seen before "ready" is answered, when the clock is read, and at "go"."""
    call, buffers = _call(context)
    seen: dict[str, Any] = {"readings": []}

    class Clock:
        def perf_counter_ns(self) -> int:
            seen["readings"].append(bool(torch.equal(call.input, call.private_input)))
            return time.perf_counter_ns()

    def program(channel: socket.socket) -> None:
        channel.recv(100)
        seen["before"] = int((call.input == call.private_input).sum())
        time.sleep(0.05)  # as much as a program likes: this is not on the clock
        channel.send(b"r")
        seen["go"] = list(channel.recv(100)[:1])
        seen["at_go"] = int((call.input == call.private_input).sum())
        began_ns = time.perf_counter_ns()
        time.sleep(0.02)
        seen["worked_ns"] = time.perf_counter_ns() - began_ns
        channel.send(b"d")

    module: Any = window
    original, module.time = module.time, Clock()
    try:
        seen["timed_ns"] = _run(context, call, program)
    finally:
        module.time = original
    seen["snapshot_touched"] = bool((call.snapshot != -1).all())
    for buffer in buffers:
        buffer.close()
    return seen
