"""The way of a submission from a script or a file to an outcome: the same for calibrations."""

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.environments import stoppable_call, submitted_script, submitted_source
from scorer_service.environments.fix_embedding import judgement
from scorer_service.environments.fix_embedding.judgement import Circumstances
from scorer_service.environments.fix_embedding.profiles import SCRIPT_FILE, WEIGHTS_FILE, Profile
from scorer_service.environments.interface import JudgingFailed, Outcome
from scorer_service.environments.stoppable_call import Report, unheard
from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.tensors_file import WeightsRefused
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.script_run import ScriptResult

_JUDGE = "scorer_service.environments.fix_embedding.judging:judge"
_SCRIPT_ARGV = ("script", f"/work/{SCRIPT_FILE}")


@dataclass(frozen=True)
class Weights:
    """A file that has the right tensors; whether they are finite is not known."""

    descriptor: int
    circumstances: Circumstances


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
        collect = {WEIGHTS_FILE: self._profile.weights_limit_bytes}
        result = await self.run_script(script, collect, report)
        circumstances = Circumstances(
            diagnostics=result.output_tail,
            repair_s=result.wall_s,
            note=submitted_script.note(result, "repair script"),
            evaluator_details={**evaluator_details, "script": submitted_script.facts(result)},
        )
        outcome = judgement.of_script(result, circumstances, self._profile)
        if outcome is not None:
            return outcome
        descriptor = await asyncio.to_thread(submitted_source.memory_file, result.files[WEIGHTS_FILE])
        return await self.check(descriptor, exit_stack, circumstances)

    async def run_script(
        self, script: bytes, collect: Mapping[str, int], report: Report = unheard
    ) -> ScriptResult:
        """Within the budget of a repair script. Raises WorkerDied."""
        return await submitted_script.run(
            self._device, _SCRIPT_ARGV, {SCRIPT_FILE: script}, self._profile.repair, collect, report
        )

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
            answer = await stoppable_call.call(
                self._device.worker,
                _JUDGE,
                {
                    "shape": dataclasses.asdict(self._profile.shape),
                    "hidden": str(self._hidden),
                    "batch_size": self._profile.batch_size(self._info.kind),
                    "window_limit": window_limit,
                },
                [weights.descriptor],
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
