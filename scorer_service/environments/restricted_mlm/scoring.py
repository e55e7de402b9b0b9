"""The way of a submission from source and weights to an outcome: the same for calibrations."""

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.environments import stoppable_call, submitted_script, submitted_source
from scorer_service.environments.interface import JudgingFailed, Outcome
from scorer_service.environments.restricted_mlm import judgement
from scorer_service.environments.restricted_mlm.judgement import Circumstances
from scorer_service.environments.restricted_mlm.profiles import (
    ARCHIVE_FILE,
    MODEL_FILE,
    SCRIPT_FILE,
    WEIGHTS_FILE,
    Profile,
)
from scorer_service.environments.stoppable_call import Report, unheard
from scorer_service.language.materials import Solution
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo

_JUDGE = "scorer_service.environments.restricted_mlm.judging:judge"
_WORK = "/work"


@dataclass(frozen=True)
class Weights:
    """A file for the model's tensors, which nobody has opened yet."""

    content: bytes
    circumstances: Circumstances


@dataclass(frozen=True)
class ExportedModel:
    """An archive; whether it keeps to the rules is not known."""

    descriptor: int
    circumstances: Circumstances


@dataclass(frozen=True)
class Texts:
    """What is judged on."""

    hidden: Path
    public: Path
    """What is found on it may be told."""


class Scoring:
    """Takes submissions of one profile to their outcomes, on one device."""

    def __init__(self, device: DeviceAccess, info: DeviceInfo, profile: Profile, texts: Texts) -> None:
        self._device = device
        self._info = info
        self._profile = profile
        self._texts = texts

    async def train(
        self, model: bytes, script: bytes, evaluator_details: Mapping[str, Any], report: Report = unheard
    ) -> Weights | Outcome:
        """Run a training script; the weights that it leaves. Raises WorkerDied."""
        result = await submitted_script.run(
            self._device,
            ("script", f"{_WORK}/{SCRIPT_FILE}"),
            {MODEL_FILE: model, SCRIPT_FILE: script},
            self._profile.training,
            {WEIGHTS_FILE: self._profile.weights_limit_bytes},
            report,
        )
        circumstances = Circumstances(
            diagnostics=result.output_tail,
            training_s=result.wall_s,
            note=submitted_script.note(result, "training script"),
            evaluator_details={**evaluator_details, "training": submitted_script.facts(result)},
        )
        outcome = judgement.of_script(result, circumstances, self._profile)
        return outcome or Weights(result.files[WEIGHTS_FILE], circumstances)

    async def export(
        self, model: bytes, weights: Weights, exit_stack: contextlib.AsyncExitStack
    ) -> ExportedModel | Outcome:
        """Make an archive of a model and its weights. Raises WorkerDied."""
        profile = self._profile
        result = await submitted_script.run(
            self._device,
            (
                "export",
                f"{_WORK}/{MODEL_FILE}",
                f"{_WORK}/{ARCHIVE_FILE}",
                str(profile.window_length),
                str(profile.batch_rows(self._info.kind)),
                f"{_WORK}/{WEIGHTS_FILE}",
            ),
            {MODEL_FILE: model, WEIGHTS_FILE: weights.content},
            profile.export,
            {ARCHIVE_FILE: profile.archive_limit_bytes},
            unheard,
        )
        before = weights.circumstances
        circumstances = dataclasses.replace(
            before,
            diagnostics=judgement.joined(before.diagnostics, result.output_tail),
            evaluator_details={**before.evaluator_details, "export": submitted_script.facts(result)},
        )
        outcome = judgement.of_export(result, circumstances)
        if outcome is not None:
            return outcome
        descriptor = await asyncio.to_thread(submitted_source.memory_file, result.files[ARCHIVE_FILE])
        exit_stack.callback(os.close, descriptor)
        return ExportedModel(descriptor, circumstances)

    async def judge(
        self, model: ExportedModel, report: Report = unheard, window_limit: int | None = None
    ) -> Outcome:
        """The loss on hidden text, beside who prepares. Raises JudgingFailed, WorkerDied."""
        profile = self._profile
        # A place, so that nobody measures time meanwhile.
        async with self._device.gate.shared():
            answer = await stoppable_call.call(
                self._device.worker,
                _JUDGE,
                {
                    "interface": dataclasses.asdict(profile.interface(self._info.kind)),
                    "limits": dataclasses.asdict(profile.archive_limits),
                    "mask_token": profile.mask_token,
                    "draw_count": profile.draw_count,
                    "hidden": str(self._texts.hidden),
                    "public": str(self._texts.public),
                    "window_limit": profile.window_limit if window_limit is None else window_limit,
                    "judging_limit_s": profile.judging_limit_s,
                },
                [model.descriptor],
                report,
            )
        try:
            return judgement.judged(answer, model.circumstances, profile)
        except (KeyError, TypeError, ValueError) as error:
            raise JudgingFailed(f"judge answered {answer!r}: {error}") from error

    async def export_solution(
        self, solution: Solution, exit_stack: contextlib.AsyncExitStack
    ) -> ExportedModel:
        """Export a model of the service's own. Raises JudgingFailed where that fails."""
        try:
            source, weights = await asyncio.to_thread(
                lambda: (solution.model.read_bytes(), solution.weights.read_bytes())
            )
        except OSError as error:
            raise JudgingFailed(f"{solution.model.name} cannot be read: {error}") from error
        exported = await self.export(source, Weights(weights, Circumstances()), exit_stack)
        if isinstance(exported, Outcome):
            response: Any = exported.response
            raise JudgingFailed(f"{solution.model}: {exported.summary} {response.diagnostics[-500:]}")
        return exported
