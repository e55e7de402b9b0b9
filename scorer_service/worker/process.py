"""One worker process, from its start to its end."""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import scorer_service
from scorer_service.logs.context import TRACEBACK_TEXT
from scorer_service.worker import protocol
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

_log = logging.getLogger(__name__)

START_LIMIT_S = 180.0
"""Importing torch from a cold disk and making a CUDA context take tens of seconds."""

_PACKAGE_ROOT = str(Path(scorer_service.__file__).parent.parent)

# Isolated (-I), so that neither the environment nor the current folder adds modules. The package root comes
# last, so that nothing beside the package shadows what the interpreter has.
_START = (
    "import sys; sys.path.append(sys.argv[1]); from scorer_service.worker.main import main; "
    "main(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))"
)

_ENVIRONMENT_NAMES = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH"})
_ENVIRONMENT_PREFIXES = ("CUDA_", "NVIDIA_")

Progress = Callable[[int, int, str], None]


class WorkerProcess:
    """A process, its socket, and the calls that wait for its answers. Made by `start`."""

    def __init__(
        self, process: asyncio.subprocess.Process, connection: socket.socket, on_end: Callable[[], None]
    ) -> None:
        self._process = process
        self._on_end = on_end
        self._connection = connection
        self._sending = asyncio.Lock()
        self._last_id = 0
        self._calls: dict[int, tuple[asyncio.Future[Any], Progress | None]] = {}
        self._log_task = asyncio.create_task(self._copy_log())
        self._answers_task: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, python: Path, device: str, on_end: Callable[[], None]
    ) -> tuple["WorkerProcess", DeviceInfo]:
        """Execute a worker and wait until it has its device. Raises WorkerUnavailable.

        `on_end` is called when the process has ended after that, just before its calls are told so.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, protocol.WORKER_SOCKET_TYPE)
        with theirs:
            ours.setblocking(False)
            try:
                process = await asyncio.create_subprocess_exec(
                    python,
                    *("-I", "-c", _START, _PACKAGE_ROOT, str(theirs.fileno()), device, str(os.getpid())),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    pass_fds=[theirs.fileno()],
                    env=_environment(),
                    # Ctrl-C in a terminal is for the server, which then ends its worker in order.
                    start_new_session=True,
                )
            except BaseException as error:
                # Also where the start is called off meanwhile.
                ours.close()
                if not isinstance(error, OSError):
                    raise
                raise WorkerUnavailable(
                    f"the worker's interpreter {python} cannot be executed ({error.strerror}); "
                    "`make setup` makes one with torch and triton"
                ) from None
        worker = cls(process, ours, on_end)
        try:
            device_info = await asyncio.wait_for(worker._first_message(python), START_LIMIT_S)
        except TimeoutError:
            await worker.kill()
            raise WorkerUnavailable(
                f"the worker was not ready {START_LIMIT_S:.0f} s after its start"
            ) from None
        except BaseException:
            await worker.kill()
            raise
        worker._answers_task = asyncio.create_task(worker._take_answers())
        return worker, device_info

    @property
    def pid(self) -> int:
        """Of the process, for the operator."""
        return self._process.pid

    async def call(
        self,
        operation: str,
        arguments: Mapping[str, protocol.JSON],
        descriptors: Sequence[int],
        progress: Progress | None,
    ) -> Any:
        """Do one operation. Raises WorkerLost and OperationFailed."""
        self._last_id += 1
        number = self._last_id
        packet = protocol.encode({"id": number, "operation": operation, "arguments": arguments})
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls[number] = future, progress
        try:
            try:
                await self._send(packet, descriptors)
            except OSError:
                raise WorkerLost(f"the worker ended before {operation} was asked of it") from None
            return await future
        except OperationFailed as error:
            # Here it is known for which job; what becomes of the job is said by whoever asked.
            _log.warning(
                "%s failed in worker %d", operation, self.pid, extra={TRACEBACK_TEXT: error.traceback}
            )
            raise
        finally:
            del self._calls[number]

    async def kill(self) -> None:
        """End the process. Idempotent."""
        with contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                self._process.kill()
        await self._process.wait()
        if self._answers_task is not None:
            await asyncio.wait([self._answers_task])
        self._connection.close()
        await asyncio.wait([self._log_task])

    async def _send(self, packet: bytes, descriptors: Sequence[int]) -> None:
        async with self._sending:
            while True:
                try:
                    return protocol.send(self._connection, packet, descriptors)
                except BlockingIOError:
                    await self._writable()

    async def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        writable: asyncio.Future[None] = loop.create_future()
        loop.add_writer(self._connection, _resolve, writable)
        try:
            await writable
        finally:
            loop.remove_writer(self._connection)

    async def _receive(self) -> dict[str, Any] | None:
        loop = asyncio.get_running_loop()
        try:
            packet = await loop.sock_recv(self._connection, protocol.MESSAGE_LIMIT_BYTES)
        except OSError:
            packet = b""
        return protocol.decode(packet) if packet else None

    async def _first_message(self, python: Path) -> DeviceInfo:
        message = await self._receive()
        if message is None:
            code = await self._process.wait()
            raise WorkerUnavailable(
                f"the worker ended at its start with exit status {code}; its log says why"
            )
        if "ready" not in message:
            raise WorkerUnavailable(
                f"the worker, run by {python}, cannot open its device: {message['unavailable']}"
            )
        return DeviceInfo(**message["ready"])

    async def _take_answers(self) -> None:
        while message := await self._receive():
            future, progress = self._calls.get(message["id"], (None, None))
            if future is None or future.done():  # its caller was cancelled
                continue
            if "progress" in message:
                if progress is not None:
                    progress(*message["progress"])
            elif "result" in message:
                future.set_result(message["result"])
            else:
                future.set_exception(OperationFailed(message["error"], message["traceback"]))
        self._on_end()
        for future, _ in self._calls.values():
            if not future.done():
                future.set_exception(WorkerLost(f"the worker (pid {self.pid}) ended during the call"))

    async def _copy_log(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        while True:
            try:
                line = await stream.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                line = error.partial
                if not line:
                    return
            except asyncio.LimitOverrunError as error:
                line = await stream.readexactly(error.consumed)
            _log.info("worker %d: %s", self.pid, line.decode(errors="replace").rstrip("\n"))


def _environment() -> dict[str, str]:
    """Where things are, and what is said of GPUs; nothing that changes what Python or torch do."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _ENVIRONMENT_NAMES or name.startswith(_ENVIRONMENT_PREFIXES)
    }
    return kept | {
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
