"""The worker process: takes calls from the server, runs each in a thread of its own."""

import contextlib
import ctypes
import dataclasses
import importlib
import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any

from scorer_service.worker import protocol
from scorer_service.worker.context import Context

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(descriptor: int, device_name: str, server_pid: int) -> None:
    """Serve the socket `descriptor` until the server closes it or dies; then end with all threads."""
    os.dup2(2, 1)  # whatever prints reaches the server's log
    sys.stdout = sys.stderr
    _die_with(server_pid)
    connection = socket.socket(socket.AF_UNIX, protocol.WORKER_SOCKET_TYPE, 0, fileno=descriptor)
    try:
        from scorer_service.worker.opening import open_device

        device = open_device(device_name)
    except Exception as error:
        # What hinders it is said by the libraries, in errors of every type.
        if not isinstance(error, ImportError | RuntimeError | ValueError):
            traceback.print_exc()
        protocol.send(connection, protocol.encode({"unavailable": f"{type(error).__name__}: {error}"[:4096]}))
        return
    protocol.send(connection, protocol.encode({"ready": dataclasses.asdict(device.describe())}))
    _Calls(connection, device).serve()
    # Threads may be in the middle of an operation, in which nobody has an interest any more.
    os._exit(0)


def _die_with(server_pid: int) -> None:
    """Be killed when the server ends, also where this process cannot see the end of the socket."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server_pid:
        sys.exit("the server ended before its worker began")


_ERROR_LIMIT_CHARACTERS = 8192
"""Of an error that is told. JSON takes twelve bytes for some characters, and a message has to hold all."""
_TRACEBACK_LIMIT_CHARACTERS = 4096
"""In ASCII, of which JSON takes six bytes at most; its end says most."""


class _Calls:
    def __init__(self, connection: socket.socket, device: Any) -> None:
        self._connection = connection
        self._device = device
        self._sessions: dict[str, Any] = {}
        self._sending = threading.Lock()

    def serve(self) -> None:
        while True:
            try:
                packet, descriptors = protocol.receive(self._connection)
            except OSError:
                return
            if not packet:
                return
            call = protocol.decode(packet)
            threading.Thread(
                target=self._run, args=(call, descriptors), name=str(call["operation"]), daemon=True
            ).start()

    def _run(self, call: dict[str, Any], descriptors: list[int]) -> None:
        """Do one call. Its descriptors are closed at the end; an operation duplicates what it keeps."""

        def report(done: int, total: int, unit: str) -> None:
            self._send({"id": call["id"], "progress": [done, total, unit]})

        context = Context(self._device, self._sessions, report)
        try:
            module, _, function = call["operation"].partition(":")
            operation = getattr(importlib.import_module(module), function)
            result = operation(context, call["arguments"], descriptors)
            answer = protocol.encode({"id": call["id"], "result": result})
        except Exception as error:
            told = f"{type(error).__name__}: {error}"[:_ERROR_LIMIT_CHARACTERS]
            trace = traceback.format_exc().encode("ascii", "backslashreplace").decode()
            answer = protocol.encode(
                {"id": call["id"], "error": told, "traceback": trace[-_TRACEBACK_LIMIT_CHARACTERS:]}
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._send_packet(answer)

    def _send(self, message: dict[str, Any]) -> None:
        self._send_packet(protocol.encode(message))

    def _send_packet(self, packet: bytes) -> None:
        # A server that is gone is seen by `serve`.
        with self._sending, contextlib.suppress(OSError):
            protocol.send(self._connection, packet)
