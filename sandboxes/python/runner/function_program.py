"""Runs one submitted function for the worker: argv is `function FILE NAME`.

From the import of the file on, this process is in the hands of the submission. What is checked here spares
honest people a riddle; what decides is the output that the worker finds in its own memory.
"""

from collections.abc import Callable

from runner import outputs, submission
from runner.buffers import Buffers
from runner.worker_channel import WorkerChannel

CHANNEL_DESCRIPTOR = 3


def run(argv: list[str]) -> None:
    """Answer the worker until it closes the channel."""
    _, file, name = argv
    channel = WorkerChannel(CHANNEL_DESCRIPTOR)
    program = FunctionProgram(file, name)
    while True:
        packet, descriptors = channel.receive()
        if not packet:
            return
        if packet[:1] == b"P":
            channel.wait_awake(int.from_bytes(packet[1:5], "little"))
            continue
        channel.send(program.answer(packet, descriptors))


class FunctionProgram:
    """The function, the buffers, and the text of the last failure."""

    def __init__(self, file: str, name: str) -> None:
        self._file = file
        self._name = name
        self._function: Callable[..., object] | None = None
        self._buffers: Buffers | None = None
        self._failure = ""

    def answer(self, packet: bytes, descriptors: list[int]) -> bytes:
        """Do what the packet says; `d` (done), `f` (failed), or an explanation."""
        kind = packet[:1]
        try:
            if kind == b"G":
                self._call(packet[1:])
            elif kind == b"L":
                self._function = submission.load(self._file, self._name)
            elif kind == b"B":
                self._buffers = Buffers(packet[1:], descriptors)
            elif kind == b"E":
                return b"e" + self._failure.encode(errors="replace")
        except BaseException as error:  # whatever a submission raises is its failure
            self._failure = submission.explanation(error)
            return b"f"
        return b"d"

    def _call(self, calls: bytes) -> None:
        assert self._buffers is not None
        assert self._function is not None
        for size, values, output in self._buffers.calls(calls):
            outputs.hand_over(self._function(values), output, size, self._name)
        self._buffers.synchronize()
