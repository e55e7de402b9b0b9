"""The program's end of the socket to the worker."""

import array
import os
import select
import socket
import time

PACKET_LIMIT_BYTES = 64 * 1024
DESCRIPTOR_LIMIT = 4


class WorkerChannel:
    """Packets from and to the worker."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=descriptor)
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._awake_until_ns = 0

    def receive(self) -> tuple[bytes, list[int]]:
        """The next packet with its descriptors; an empty one is the end."""
        size = array.array("i").itemsize
        while True:
            try:
                packet, ancillary, _, _ = self._socket.recvmsg(
                    PACKET_LIMIT_BYTES, socket.CMSG_SPACE(DESCRIPTOR_LIMIT * size), socket.MSG_CMSG_CLOEXEC
                )
                break
            except BlockingIOError:
                # A core that is kept busy is not woken up on the clock.
                if time.perf_counter_ns() >= self._awake_until_ns:
                    self._poll.poll()
            except ConnectionError:
                return b"", []
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[: len(data) - len(data) % size])
        return packet, list(descriptors)

    def wait_awake(self, duration_us: int) -> None:
        """Say that the program is ready, and look for the next packet without sleeping for so long."""
        self._awake_until_ns = time.perf_counter_ns() + duration_us * 1000
        self.send(b"r")

    def send(self, packet: bytes) -> None:
        """Hand one packet over; end this process where the worker is gone."""
        while True:
            try:
                self._socket.send(packet)
                return
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                os._exit(0)
