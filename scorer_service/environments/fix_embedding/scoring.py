"""The way of a submission from a script or a file to an outcome: the same for calibrations."""

import asyncio
import contextlib
import dataclasses
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scorer_launcher

from scorer_service.environments import submitted_source
from scorer_service.environments.fix_embedding import judgement
from scorer_service.environments.fix_embedding.judgement import Circumstances
from scorer_service.environments.fix_embedding.profiles import SCRIPT_FILE, WEIGHTS_FILE, Profile
from scorer_service.environments.interface import JudgingFailed, Outcome, WorkerDied
from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.tensors_file import WeightsRefused
from scorer_service.worker import script_run
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

_OPERATIONS = "scorer_service.environments.fix_embedding.judging"
_SCRIPT_ARGV = ("script", f"/work/{SCRIPT_FILE}")
Report = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Weights:
    """A file that has the right tensors; whether they are finite is not known."""

    descriptor: int
    circumstances: Circumstances


def unheard(done: int, total: int, unit: str) -> None:
    """For who follows no progress."""


class Scoring:
    """Takes submissions of one profile to their outcomes, on one device."""

    def __init__(self, device: DeviceAccess, info: DeviceInfo, profile: Profile, hidden: Path) -> None:
        self._device = device
        self._info = info
        self._profile = profile
        self._hidden = hidden

    async def repair(
        self,
        script: bytes,
        exit_stack: contextlib.AsyncExitStack,
        evaluator_details: Mapping[str, Any],
        report: Report = unheard,
    ) -> Weights | Outcome:
        """Run a repair script; the weights that it leaves. Raises JudgingFailed, WorkerDied."""

        def on_line(line: str) -> None:
            progress = script_run.progress_of(line)
            if progress is not None:
                report(*progress)

        try:
            result = await script_run.run_script(
                self._device,
                argv=_SCRIPT_ARGV,
                files={SCRIPT_FILE: script},
                budget=self._profile.repair,
                collect={WEIGHTS_FILE: self._profile.weights_limit_bytes},
                on_line=on_line,
            )
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the sandbox of the repair script failed: {error}") from error
        note = (
            "" if result.succeeded else f"The repair script {result.ending}; its last saved file was judged."
        )
        circumstances = Circumstances(
            diagnostics=result.output_tail,
            repair_s=result.wall_s,
            note=note,
            evaluator_details={
                **evaluator_details,
                "script": {
                    "ending": result.ending,
                    "wall_s": result.wall_s,
                    "cpu_s": result.cpu_s,
                    "peak_memory_bytes": result.peak_memory_bytes,
                },
            },
        )
        outcome = judgement.of_script(result, circumstances, self._profile)
        if outcome is not None:
            return outcome
        descriptor = await asyncio.to_thread(submitted_source.memory_file, result.files[WEIGHTS_FILE])
        return await self.check(descriptor, exit_stack, circumstances)

    async def check(
        self, descriptor: int, exit_stack: contextlib.AsyncExitStack, circumstances: Circumstances
    ) -> Weights | Outcome:
        """Hold the header of a file against the model's table. The descriptor belongs to `exit_stack` now."""
        exit_stack.callback(os.close, descriptor)
        try:
            await asyncio.to_thread(tensors_file.read_header, descriptor, self._profile.table)
        except WeightsRefused as refusal:
            return judgement.refused(refusal, circumstances)
        return Weights(descriptor, circumstances)

    async def judge(
        self, weights: Weights, report: Report = unheard, window_limit: int | None = None
    ) -> Outcome:
        """The loss on hidden text, beside who prepares. Raises JudgingFailed, WorkerDied."""
        if window_limit is None:
            window_limit = self._profile.window_limit
        # A place, so that nobody measures time meanwhile.
        async with self._device.gate.shared():
            answer = await self._call(
                {
                    "shape": dataclasses.asdict(self._profile.shape),
                    "hidden": str(self._hidden),
                    "batch_size": self._profile.batch_size(self._info.kind),
                    "window_limit": window_limit,
                },
                weights.descriptor,
                report,
            )
        try:
            return judgement.judged(answer, weights.circumstances, self._profile)
        except (KeyError, TypeError, ValueError) as error:
            raise JudgingFailed(f"judge answered {answer!r}: {error}") from error

    async def weights_of(self, file: Path, exit_stack: contextlib.AsyncExitStack) -> Weights:
        """A file of the service's own. Raises JudgingFailed where it is missing or does not fit."""
        try:
            descriptor = await asyncio.to_thread(tensors_file.open_regular, file)
        except (OSError, WeightsRefused) as error:
            raise JudgingFailed(f"{file} cannot be opened: {error}") from error
        checked = await self.check(descriptor, exit_stack, Circumstances())
        if isinstance(checked, Outcome):
            raise JudgingFailed(f"{file}: {checked.summary}")
        return checked

    async def _call(self, arguments: Mapping[str, Any], descriptor: int, report: Report) -> Mapping[str, Any]:
        session = {"session": uuid.uuid4().hex}
        calling = asyncio.ensure_future(
            self._device.worker.call(
                f"{_OPERATIONS}:judge", {**session, **arguments}, descriptors=[descriptor], progress=report
            )
        )
        try:
            answer = await asyncio.shield(calling)
        except asyncio.CancelledError:
            # It would go on computing on a place that belongs to somebody else.
            await asyncio.shield(self._stop(session, calling))
            raise
        except WorkerLost as error:
            raise WorkerDied("the worker died while it judged weights") from error
        except (OperationFailed, WorkerUnavailable) as error:
            raise JudgingFailed(f"judge: {error}") from error
        if not isinstance(answer, Mapping):
            raise JudgingFailed(f"judge answered {answer!r}")
        return answer

    async def _stop(self, session: Mapping[str, str], calling: asyncio.Future[Any]) -> None:
        with contextlib.suppress(OperationFailed, WorkerLost, WorkerUnavailable):
            await self._device.worker.call(f"{_OPERATIONS}:stop", session)
            await asyncio.wait([calling])
            await self._device.worker.call(f"{_OPERATIONS}:stop", {**session, "over": True})
        if calling.done() and not calling.cancelled():
            calling.exception()  # seen
