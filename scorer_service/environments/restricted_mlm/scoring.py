"""The way of a submission from source and weights to an outcome: the same for calibrations."""

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
from scorer_service.environments.interface import JudgingFailed, Outcome, WorkerDied
from scorer_service.environments.restricted_mlm import judgement
from scorer_service.environments.restricted_mlm.judgement import Circumstances
from scorer_service.environments.restricted_mlm.profiles import (
    ARCHIVE_FILE,
    MODEL_FILE,
    SCRIPT_FILE,
    WEIGHTS_FILE,
    Profile,
    Solution,
)
from scorer_service.worker import script_run
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable
from scorer_service.worker.script_run import ScriptBudget, ScriptResult

_OPERATIONS = "scorer_service.environments.restricted_mlm.judging"
_WORK = "/work"
Report = Callable[[int, int, str], None]


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


def unheard(done: int, total: int, unit: str) -> None:
    """For who follows no progress."""


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

        def on_line(line: str) -> None:
            progress = script_run.progress_of(line)
            if progress is not None:
                report(*progress)

        result = await self._run(
            ("script", f"{_WORK}/{SCRIPT_FILE}"),
            {MODEL_FILE: model, SCRIPT_FILE: script},
            self._profile.training,
            {WEIGHTS_FILE: self._profile.weights_limit_bytes},
            on_line,
        )
        note = ""
        if not result.succeeded:
            note = f"The training script {result.ending}; its last saved file was judged."
        circumstances = Circumstances(
            diagnostics=result.output_tail,
            training_s=result.wall_s,
            note=note,
            evaluator_details={**evaluator_details, "training": _facts(result)},
        )
        outcome = judgement.of_script(result, circumstances, self._profile)
        return outcome or Weights(result.files[WEIGHTS_FILE], circumstances)

    async def export(
        self, model: bytes, weights: Weights, exit_stack: contextlib.AsyncExitStack
    ) -> ExportedModel | Outcome:
        """Make an archive of a model and its weights. Raises WorkerDied."""
        profile = self._profile
        result = await self._run(
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
        )
        before = weights.circumstances
        circumstances = dataclasses.replace(
            before,
            diagnostics=judgement.joined(before.diagnostics, result.output_tail),
            evaluator_details={**before.evaluator_details, "export": _facts(result)},
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
            answer = await self._call(
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
                model.descriptor,
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

    async def _run(
        self,
        argv: tuple[str, ...],
        files: Mapping[str, bytes],
        budget: ScriptBudget,
        collect: Mapping[str, int],
        on_line: Callable[[str], None] = lambda line: None,
    ) -> ScriptResult:
        try:
            return await script_run.run_script(
                self._device, argv=argv, files=files, budget=budget, collect=collect, on_line=on_line
            )
        except scorer_launcher.SandboxError as error:
            raise WorkerDied(f"the sandbox of a {argv[0]} failed: {error}") from error

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
            raise WorkerDied("the worker died while it judged a model") from error
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


def _facts(result: ScriptResult) -> Mapping[str, Any]:
    return {
        "ending": result.ending,
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "peak_memory_bytes": result.peak_memory_bytes,
    }
