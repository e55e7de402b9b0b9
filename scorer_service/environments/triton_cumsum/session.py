"""One submission that runs in a sandbox, and the worker's session with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any

import scorer_launcher

from scorer_service.environments.interface import JudgingFailed, WorkerDied
from scorer_service.environments.triton_cumsum import profiles
from scorer_service.environments.triton_cumsum.judgement import Phase
from scorer_service.sandbox.warm import SubmissionRun
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

log = logging.getLogger(__name__)

TRIALS = "scorer_service.environments.triton_cumsum.trials"
SOLUTION_FILE = "solution.py"
ARGV = ("function", f"/work/{SOLUTION_FILE}", "prefix_sum")

_ENDING_LIMIT_S = 2.0
"""A program whose channel is closed has ended, or is about to be counted as ended."""


class Session:
    """Made by `open_session`. The program runs only within `running`; between, it is frozen."""

    def __init__(self, device: DeviceAccess, run: SubmissionRun) -> None:
        self._device = device
        self._run = run
        self._id = uuid.uuid4().hex
        self._worker_restarts = device.worker.restarts
        self.ending: scorer_launcher.RunResult | None = None
        """How the program ended, where it was waited for."""

    async def open(self, element_count: int, channel: socket.socket) -> None:
        """Hand the worker its end of the channel."""
        await self._call("open_session", {"element_count": element_count}, [channel.fileno()])

    async def ask(self, phase: Phase, wall_limit_s: float, **arguments: Any) -> Mapping[str, Any]:
        """Have the worker take the submission through a phase; its answer, as the worker gave it."""
        return await self._call(phase.value, {"wall_limit_s": wall_limit_s, **arguments})

    async def freeze(self) -> None:
        """Stop the program where it stands, and its clock, whatever the worker is asking it. Idempotent."""
        await self._tell("hold")
        await self._run.freeze()

    async def thaw(self, places: scorer_launcher.Places) -> None:
        """Let the program go on, on these places."""
        await self._run.thaw(places)
        await self._tell("release")

    @contextlib.asynccontextmanager
    async def running(self, places: scorer_launcher.Places) -> AsyncIterator[None]:
        """Let the program go on, on these places. It is frozen at the end, or killed if that is an error."""
        await self.thaw(places)
        async with self.frozen_after():
            yield

    @contextlib.asynccontextmanager
    async def frozen_after(self) -> AsyncIterator[None]:
        """As `running`, for a program that runs already."""
        try:
            yield
            if self.ending is None:
                await self.freeze()
        except BaseException:
            # The places go to others next: nothing may run on there.
            await _kill(self._run)
            raise

    async def end(self) -> scorer_launcher.RunResult:
        """Wait for a program that has closed its channel; kill it where it stays. Raises WorkerDied."""
        waiting = asyncio.ensure_future(self._run.wait())
        try:
            await asyncio.wait([waiting], timeout=_ENDING_LIMIT_S)
            self.ending = await self._run.kill()
            await waiting
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the sandbox of the submission failed: {error}") from error
        return self.ending

    async def kill(self) -> scorer_launcher.RunResult:
        """End the program now. Raises WorkerDied where its sandbox has died."""
        try:
            self.ending = await self._run.kill()
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the sandbox of the submission failed: {error}") from error
        return self.ending

    async def close(self) -> None:
        """Have the worker forget it. Never raises."""
        await self._tell("close_session")

    async def _tell(self, operation: str) -> None:
        """Where the worker has died, the next question says so."""
        try:
            await self._device.worker.call(f"{TRIALS}:{operation}", {"session": self._id})
        except (OperationFailed, WorkerLost, WorkerUnavailable) as error:
            log.debug("session %s: no %s: %s", self._id, operation, error)

    async def _call(
        self, operation: str, arguments: Mapping[str, Any], descriptors: list[int] | None = None
    ) -> Mapping[str, Any]:
        worker = self._device.worker
        try:
            answer = await worker.call(
                f"{TRIALS}:{operation}", {"session": self._id, **arguments}, descriptors=descriptors or []
            )
        except WorkerLost as error:
            raise WorkerDied(f"the worker died in {operation}") from error
        except (OperationFailed, WorkerUnavailable) as error:
            if worker.restarts != self._worker_restarts:
                raise WorkerDied(f"the worker died before {operation}, and the session with it") from error
            raise JudgingFailed(f"{operation}: {error}") from error
        if not isinstance(answer, Mapping):
            raise JudgingFailed(f"{operation} answered {answer!r}")
        return answer


async def open_session(
    device: DeviceAccess,
    source: bytes,
    kind: str,
    measurement: profiles.Measurement,
    places: scorer_launcher.Places,
    exit_stack: contextlib.AsyncExitStack,
) -> Session:
    """Start a submission on these places, and a session of the worker with it.

    Both end with `exit_stack`. Raises JudgingFailed, WorkerDied.
    """
    # Sequenced packets: each message arrives whole, and a program that is gone is seen at once.
    program_end, worker_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    exit_stack.callback(program_end.close)
    with worker_end:
        starting = asyncio.ensure_future(
            device.runner.start_run(
                ARGV,
                limits=profiles.run_limits(kind, measurement),
                places=places,
                files={SOLUTION_FILE: source},
                channel=program_end.fileno(),
            )
        )
        exit_stack.push_async_callback(_kill_started, starting)
        try:
            # Cancelling would not call off the thread that starts it, and leave a run that nobody knows.
            run = await asyncio.shield(starting)
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the submission could not be started: {error}") from error
        except asyncio.CancelledError:
            await _kill_started(starting)
            raise
        # Else the worker would never see that the program is gone.
        program_end.close()
        session = Session(device, run)
        # Called before the run is killed; then what the worker still waits for ends, and nothing is left.
        exit_stack.push_async_callback(session.close)
        exit_stack.push_async_callback(_kill, run)
        try:
            await session.open(measurement.element_count, worker_end)
        except BaseException:
            await _kill(run)
            raise
    return session


async def _kill_started(starting: asyncio.Future[SubmissionRun]) -> None:
    with contextlib.suppress(scorer_launcher.SandboxError):
        await _kill(await starting)


async def _kill(run: SubmissionRun) -> None:
    try:
        await run.kill()
    except scorer_launcher.SandboxError as error:
        log.warning("a submission was not killed, its sandbox failed: %s", error)
