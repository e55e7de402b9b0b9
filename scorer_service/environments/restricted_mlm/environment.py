"""The environment as the service sees it."""

import asyncio
import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message
from scorer.v1 import restricted_mlm_pb2, result_pb2

from scorer_service.calibration.store import Calibration, CalibrationStore
from scorer_service.environments import (
    evaluator_details,
    hidden_windows,
    interface,
    loss_anchors,
    public_folder,
    submitted_source,
)
from scorer_service.environments.restricted_mlm import (
    profiles,
    public_data,
    scoring,
    starter,
    submission,
)
from scorer_service.environments.restricted_mlm.judgement import Circumstances
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.language import materials
from scorer_service.worker.device_access import DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo

_NOT_NORMALISED = (
    "Scores are raw only: this device is not calibrated (run `scorer calibrate restricted_mlm`)."
)
_SELF_TEST_WINDOWS = 16
_SELF_TEST_SCRIPT = f"""
import pathlib, safetensors.torch, model
assert pathlib.Path("{profiles.DATA_DIR}/training.u16").stat().st_size > 0
safetensors.torch.save_file(model.get_model().state_dict(), "{profiles.WEIGHTS_FILE}")
print("1/1 files")
"""


def create(settings: EnvironmentSettings) -> "RestrictedMlm":
    """The environment, not started yet. Raises NotServing for settings that it cannot serve."""
    return RestrictedMlm(settings)


class RestrictedMlm(interface.Environment):
    """Judges language models built from few primitives by their loss on masked tokens of hidden text."""

    name = "restricted_mlm"
    request_type = restricted_mlm_pb2.ScoreRestrictedMlmRequest
    response_type = restricted_mlm_pb2.ScoreRestrictedMlmResponse

    def __init__(self, settings: EnvironmentSettings) -> None:
        if settings.profile not in profiles.PROFILES:
            known = ", ".join(profiles.PROFILES)
            raise interface.NotServing(f"there is no profile {settings.profile!r}; choose one of {known}")
        self._settings = settings
        profile = profiles.PROFILES[settings.profile]
        self._profile = dataclasses.replace(
            profile, window_limit=hidden_windows.window_limit(profile.window_limit, settings)
        )
        self._store = CalibrationStore(settings.calibration_dir) if settings.calibration_dir else None
        # It is mounted when the device starts, and filled when this environment does.
        self._public_dir = public_folder.folder(settings.cache_dir)
        self._info: DeviceInfo | None = None
        self._scoring: scoring.Scoring | None = None
        self._calibration: Calibration | None = None
        self._fingerprint = ""
        self._materials: materials.Materials | None = None
        if settings.device is not None:
            settings.device.add_mounts({profiles.DATA_DIR: self._public_dir})

    async def start(self) -> None:
        """Start the device, try script, export and judge on it. Raises NotServing."""
        device = self._settings.device
        if device is None:
            raise interface.NotServing("this server has no device to judge on")
        try:
            found = await asyncio.to_thread(
                materials.load, self._profile.name, self._settings.data_dir, materials.RESTRICTED_MLM_FILES
            )
            await asyncio.to_thread(public_folder.fill, self._public_dir, public_data.contents(found))
        except (materials.MaterialsUnavailable, OSError) as error:
            raise interface.NotServing(str(error)) from error
        self._profile = dataclasses.replace(
            self._profile, vocabulary_size=found.vocabulary_size, mask_token=found.mask_token
        )
        try:
            info = await device.start()
        except DeviceUnavailable as error:
            raise interface.NotServing(str(error)) from error
        texts = scoring.Texts(found.hidden_masked.path, found.validation)
        tried = scoring.Scoring(device, info, self._profile, texts)
        try:
            await self._try(tried)
        except interface.JudgingFailed as error:
            raise interface.NotServing(f"the self-test failed: {error}") from error
        # Other models or another text have other anchors, on the same device too.
        self._fingerprint = (
            f"{info.fingerprint}{_fingerprint(found.solutions)}"
            f"; hidden text {found.hidden_masked.sha256[:12]}"
            f"{hidden_windows.fingerprint(self._profile.window_limit)}"
        )
        if self._store is not None:
            self._calibration = self._store.load(self.name, self._profile.name, self._fingerprint)
        self._info, self._scoring, self._materials = info, tried, found

    async def _try(self, tried: scoring.Scoring) -> None:
        """The starter's model, untrained, on the whole way of a submission."""
        model = starter.starting_model(self._profile)
        async with contextlib.AsyncExitStack() as exit_stack:
            weights = await tried.train(model, _SELF_TEST_SCRIPT.encode(), {})
            if isinstance(weights, interface.Outcome):
                raise _failed("a script that saves an untrained model", weights)
            exported = await tried.export(model, weights, exit_stack)
            if isinstance(exported, interface.Outcome):
                raise _failed("the export of an untrained model", exported)
            outcome = await tried.judge(exported, window_limit=_SELF_TEST_WINDOWS)
        if outcome.raw_score is None:
            raise interface.JudgingFailed(f"an untrained model has no score: {outcome.summary}")

    async def close(self) -> None:
        """Nothing is held: the device is the server's. Idempotent."""
        self._scoring = None

    def describe(self) -> interface.EnvironmentDescription:
        """What a client is told."""
        anchors = self._anchors()
        description = "A masked language model built from few primitives, with its weights"
        if self._info is not None and anchors is None:
            description += f". {_NOT_NORMALISED}"
        return interface.EnvironmentDescription(
            name=self.name,
            description=description,
            profile=self._profile.name,
            device=self._info.name if self._info else "",
            raw_score_unit="ln(loss in nats - 1.5)",
            direction=interface.Direction.LOWER,
            anchors=anchors,
            inline_source_limit_bytes=profiles.INLINE_SOURCE_LIMIT_BYTES,
            source_limit_bytes=profiles.SOURCE_LIMIT_BYTES,
            limits=self._limits(),
            isolation=self._settings.sandbox.description,
        )

    def _anchors(self) -> interface.Anchors | None:
        if self._calibration is not None:
            return self._calibration.anchors
        return self._profile.published_anchors

    def _limits(self) -> list[tuple[str, str]]:
        profile = self._profile
        training, export = profile.training, profile.export
        limits = [
            ("weights file", f"{profile.weights_limit_bytes:,} bytes"),
            ("exported model", f"{profile.archive_limit_bytes:,} bytes"),
            ("memory of the model while it is judged", f"{profile.memory_limit_bytes >> 20} MiB"),
            ("time of a training script", f"{training.wall_limit_s:g} s"),
            ("cores of a training script", f"{training.place_count}, as far as there are"),
            ("memory of a training script", f"{training.memory_limit_bytes >> 20} MiB"),
            ("scratch of a training script", f"{training.scratch_limit_bytes >> 20} MiB"),
            ("time of the export", f"{export.wall_limit_s:g} s on {export.place_count} core"),
            ("memory of the export", f"{export.memory_limit_bytes >> 20} MiB"),
            ("time of judging", f"{profile.judging_limit_s:g} s"),
            ("least loss that is believed", f"{profile.floor_nats:g} nats a masked token"),
            *hidden_windows.limits(profile.window_limit, profile.window_length),
        ]
        if self._info is not None:
            limits.append(("torch", self._info.torch_version))
        return limits

    def validate(self, request: Message) -> None:
        """Raises InvalidSubmission."""
        submission.validate(_typed(request), self._profile)

    @property
    def stages(self) -> Sequence[interface.Stage]:
        """Training and export go on beside everything; then the device is needed."""
        return (
            interface.Stage(name="build", lane="build", run=self._build),
            interface.Stage(name="judge", lane="device", run=self._judge),
        )

    async def _build(self, request: Any, context: interface.StageContext) -> Any:
        typed, tried = _typed(request), self._started()
        details = self._details()
        model = await submitted_source.read_source(typed.model, context)
        if typed.WhichOneof("weights_source") == "training_script":
            script = await submitted_source.read_source(typed.training_script, context)
            weights = await tried.train(model, script, details, context.report)
            if isinstance(weights, interface.Outcome):
                return weights
        else:
            content = await self._read_weights(typed.weights, context)
            weights = scoring.Weights(content, Circumstances(evaluator_details=details))
        return await tried.export(model, weights, context.exit_stack)

    async def _read_weights(
        self, weights: result_pb2.ArtifactReference, context: interface.StageContext
    ) -> bytes:
        solutions = self._found().solutions
        if solutions is not None and weights.sha256 == solutions.reference.weights_sha256:
            # The canary's, which nobody had to upload.
            return await asyncio.to_thread(solutions.reference.weights.read_bytes)
        return await submitted_source.read_artifact(weights, context)

    async def _judge(self, built: Any, context: interface.StageContext) -> interface.Outcome:
        if isinstance(built, interface.Outcome):
            return built
        return await self._started().judge(built, context.report)

    def _details(self) -> dict[str, Any]:
        assert self._info is not None
        return evaluator_details.of_scoring(
            self._profile.name, self._settings.sandbox.description, self._info, self._calibration
        )

    def starter(self) -> Sequence[interface.StarterFile]:
        """Instructions, the starting solution with its training script, public data and a checker. Reads."""
        if self._scoring is None:
            raise interface.NotServing("restricted_mlm is not started")
        boundary_token = self._found().boundary_token
        return starter.files(self.describe(), self._profile, self._public_dir, boundary_token)

    async def calibrate(self) -> interface.CalibrationTable:
        """Measure and store the anchors of this installation. Raises CalibrationRefused, JudgingFailed."""
        info, store = self._info, self._store
        if info is None or store is None:
            raise interface.NotServing("restricted_mlm is not started")
        solutions = self._found().solutions
        if solutions is None:
            raise NotImplementedError(
                f"the anchors of restricted_mlm in profile {self._profile.name} are the published ones"
            )
        starting = self._candidate("starting solution", solutions.starting)
        reference = self._candidate("reference solution", solutions.reference)
        found = await loss_anchors.measure(
            self.name, self._profile.name, self._fingerprint, info, starting, reference
        )
        path = store.save(found)
        self._calibration = found
        return loss_anchors.table(found, starting, reference, path)

    def _candidate(self, name: str, solution: materials.Solution) -> loss_anchors.Candidate:
        async def judge() -> interface.Outcome:
            tried = self._started()
            async with contextlib.AsyncExitStack() as exit_stack:
                return await tried.judge(await tried.export_solution(solution, exit_stack))

        return loss_anchors.Candidate(name, judge)

    def canary(self) -> Message | None:
        """The reference solution, where its score was measured before."""
        solutions = self._materials.solutions if self._materials is not None else None
        if self._scoring is None or self._calibration is None or solutions is None:
            return None
        reference = solutions.reference
        return restricted_mlm_pb2.ScoreRestrictedMlmRequest(
            model=result_pb2.SourceFile(inline=reference.model.read_text()),
            weights=result_pb2.ArtifactReference(
                sha256=reference.weights_sha256, size_bytes=reference.weights.stat().st_size
            ),
        )

    def _found(self) -> materials.Materials:
        if self._materials is None:
            raise interface.JudgingFailed("restricted_mlm is not started")
        return self._materials

    def _started(self) -> scoring.Scoring:
        if self._scoring is None:
            raise interface.JudgingFailed("restricted_mlm is not started")
        return self._scoring


def _fingerprint(solutions: materials.AnchorSolutions | None) -> str:
    if solutions is None:
        return ""
    starting, reference = solutions.starting.sha256, solutions.reference.sha256
    return f"; starting solution {starting[:12]}; reference solution {reference[:12]}"


def _failed(what: str, outcome: interface.Outcome) -> interface.JudgingFailed:
    printed = outcome.response.diagnostics  # type: ignore[attr-defined]
    return interface.JudgingFailed(f"{what}: {outcome.summary} {printed[-500:]}")


def _typed(request: Message) -> restricted_mlm_pb2.ScoreRestrictedMlmRequest:
    if not isinstance(request, restricted_mlm_pb2.ScoreRestrictedMlmRequest):
        raise TypeError(f"expected ScoreRestrictedMlmRequest, not {type(request).__name__}")
    return request
