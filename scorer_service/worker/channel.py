"""The worker's end of the socket to a program, whose other end is in hostile hands.

Every packet that the worker expects is a single byte, or a text where it asked for one; all else is a
failure of the program. What comes is cut off at a size limit, descriptors that come with it are closed by
the kernel since no room is offered for them, and no call blocks beyond the program's time.
"""

import array
import contextlib
import os
import select
import socket
import time
from collections.abc import Sequence

REPLY_LIMIT_BYTES = 16 * 1024
"""Of a program's explanation; what is longer is cut off."""

SHORTEST_WAIT_NS = 10_000_000
"""Of one look at the clock: a program that is frozen at its last moment must not keep the worker looking."""

READY = b"r"
DONE = b"d"
FAILED = b"f"

_SECOND_NS = 1_000_000_000


class ProgramStopped(Exception):
    """The program can go on no further; `status` is "failed", "time_limit" or "gone"."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class ProgramFailed(ProgramStopped):
    """The runner said that the submission failed; it can be asked for the reason."""

    def __init__(self) -> None:
        super().__init__("failed", "the program said that it failed")


class ProgramChannel:
    """Packets to and from one program, within a time that belongs to the program alone.

    Only the time in which the worker waits for the program counts. Not thread-safe, but for `shut`.
    """

    def __init__(self, descriptor: int) -> None:
        """Take a duplicate of `descriptor`, a SOCK_SEQPACKET socket."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=os.dup(descriptor))
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._left_ns = 0
        self._held_since_ns: int | None = None
        self._held_ns = 0

    def allow(self, wall_limit_s: float) -> None:
        """Give the program this much time from now on."""
        self._left_ns = int(wall_limit_s * _SECOND_NS)

    def hold(self) -> None:
        """The program is being frozen: from now on its time stands still. From any thread; idempotent."""
        if self._held_since_ns is None:
            self._held_since_ns = time.perf_counter_ns()

    def release(self) -> None:
        """The program goes on. From any thread; idempotent."""
        since_ns, self._held_since_ns = self._held_since_ns, None
        if since_ns is not None:
            self._held_ns += time.perf_counter_ns() - since_ns

    def send(self, packet: bytes, descriptors: Sequence[int] = ()) -> None:
        """Hand one packet over. Raises ProgramStopped, also where the program does not read."""
        rights = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        )
        while True:
            try:
                self._socket.sendmsg([packet], rights)
                return
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                raise _gone() from None

    def expect_silence(self) -> None:
        """Raises ProgramStopped where the program has said something that nobody asked."""
        packet = self._receive()
        if packet is not None:
            raise ProgramStopped("failed", "the program answered before it was asked")

    def receive(self, spin_ns: int = 0) -> bytes:
        """The next packet, at most REPLY_LIMIT_BYTES of it. Raises ProgramStopped.

        For `spin_ns` the core is kept busy with looking, which sees the packet without the delay of waking
        up.
        """
        began_ns = time.perf_counter_ns()
        until_ns = began_ns + min(spin_ns, self._left_ns)
        packet = self._receive()
        while packet is None and time.perf_counter_ns() < until_ns:
            packet = self._receive()
        self._left_ns -= time.perf_counter_ns() - began_ns
        while packet is None:
            self._wait(select.POLLIN)
            packet = self._receive()
        return packet

    def ask(self, packet: bytes, descriptors: Sequence[int] = ()) -> bytes:
        """Send `packet` and return the answer, which nobody may have given before. Raises ProgramStopped."""
        self.expect_silence()
        self.send(packet, descriptors)
        return self.receive()

    def shut(self) -> None:
        """Make whoever waits on this channel see its end. From any thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _receive(self) -> bytes | None:
        try:
            packet = self._socket.recv(REPLY_LIMIT_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            raise _gone() from None
        if packet:
            return packet
        # No bytes are the end, or an empty packet.
        if self._poll_once(select.POLLIN, 0) & select.POLLHUP:
            raise _gone()
        raise ProgramStopped("failed", "the program sent an empty packet")

    def _own_time_ns(self) -> int:
        """A clock that stands still while the program is frozen."""
        since_ns, now_ns = self._held_since_ns, time.perf_counter_ns()
        return now_ns - self._held_ns - (0 if since_ns is None else now_ns - since_ns)

    def _wait(self, event: int) -> None:
        began_ns = self._own_time_ns()
        if self._left_ns > 0:
            self._poll_once(event, max(self._left_ns, SHORTEST_WAIT_NS) / 1e6)
            self._left_ns -= self._own_time_ns() - began_ns
        if self._left_ns <= 0:
            raise ProgramStopped("time_limit", "the program did not answer within its time")

    def _poll_once(self, event: int, limit_ms: float) -> int:
        self._poll.register(self._socket, event)
        events = self._poll.poll(limit_ms)
        return events[0][1] if events else 0


def require(answer: bytes, wanted: bytes) -> None:
    """Raises ProgramFailed where the program said so, ProgramStopped for whatever else is not wanted."""
    if answer == FAILED:
        raise ProgramFailed
    if answer != wanted:
        raise ProgramStopped("failed", "the program answered what no answer is")


def _gone() -> ProgramStopped:
    return ProgramStopped("gone", "the program ended")
