"""The environment as the service sees it."""

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from scorer.v1 import fix_embedding_pb2, result_pb2

from scorer_service.calibration.store import Calibration, CalibrationStore
from scorer_service.environments import (
    evaluator_details,
    hidden_windows,
    interface,
    loss_anchors,
    public_folder,
    submitted_source,
)
from scorer_service.environments.fix_embedding import (
    profiles,
    public_data,
    scoring,
    starter,
    submission,
)
from scorer_service.environments.fix_embedding.judgement import Circumstances, refused
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.evaluation.tensors_file import WeightsRefused
from scorer_service.file_digest import file_sha256
from scorer_service.language import materials, permutation
from scorer_service.worker.device_access import DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo

_CALIBRATE_COMMAND = "scorer calibrate fix_embedding"
_SELF_TEST_TOKENS = 2048
_SELF_TEST_SCRIPT = f"""
import safetensors, torch
with safetensors.safe_open("{profiles.DATA_DIR}/{public_data.DAMAGED_FILE}", framework="pt") as file:
    assert len(file.keys()) > 0
print("1/1 files")
"""


def create(settings: EnvironmentSettings) -> "FixEmbedding":
    """The environment, not started yet. Raises NotServing for settings that it cannot serve."""
    return FixEmbedding(settings)


class FixEmbedding(interface.Environment):
    """Judges repaired weights of a language model by their loss on hidden text."""

    name = "fix_embedding"
    request_type = fix_embedding_pb2.ScoreFixEmbeddingRequest
    response_type = fix_embedding_pb2.ScoreFixEmbeddingResponse

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
        """Damage the model, start the device, try script and weights on it. Raises NotServing."""
        device = self._settings.device
        if device is None:
            raise interface.NotServing("this server has no device to judge on")
        try:
            found = await asyncio.to_thread(
                materials.load, self._profile.name, self._settings.data_dir, materials.FIX_EMBEDDING_FILES
            )
        except materials.MaterialsUnavailable as error:
            raise interface.NotServing(str(error)) from error
        self._profile = dataclasses.replace(self._profile, shape=found.shape)
        try:
            # A trial (`scorer doctor`) has no secret, and no damage to keep.
            secret = self._settings.secret or os.urandom(permutation.MINIMUM_SEED_BYTES)
            contents = public_data.contents(found, secret)
            await asyncio.to_thread(public_folder.fill, self._public_dir, contents)
            damaged = await asyncio.to_thread(file_sha256, self._public_dir / public_data.DAMAGED_FILE)
        except (OSError, ValueError) as error:
            raise interface.NotServing(f"the damaged model cannot be made: {error}") from error
        try:
            info = await device.start()
        except DeviceUnavailable as error:
            raise interface.NotServing(str(error)) from error
        tried = scoring.Scoring(device, info, self._profile, found.hidden_causal.path)
        try:
            await self._try(tried, found.original.path)
        except interface.JudgingFailed as error:
            raise interface.NotServing(f"the self-test failed: {error}") from error
        # Other models or another text have other anchors, on the same device too.
        self._fingerprint = (
            f"{info.fingerprint}; damaged model {damaged[:12]}; hidden text {found.hidden_causal.sha256[:12]}"
            f"{hidden_windows.fingerprint(self._profile.window_limit)}"
        )
        if self._store is not None:
            self._calibration = self._store.load(self.name, self._profile.name, self._fingerprint)
        self._info, self._scoring, self._materials = info, tried, found

    async def _try(self, tried: scoring.Scoring, original: Path) -> None:
        result = await tried.run_script(_SELF_TEST_SCRIPT.encode(), {})
        if not result.succeeded:
            raise interface.JudgingFailed(
                f"a script that looks at the damaged model {result.ending}: {result.output_tail[-500:]}"
            )
        windows = max(hidden_windows.FEWEST, _SELF_TEST_TOKENS // self._profile.shape.context_length)
        for path in (self._public_dir / public_data.DAMAGED_FILE, original):
            async with contextlib.AsyncExitStack() as exit_stack:
                weights = await tried.weights_of(path, exit_stack)
                outcome = await tried.judge(weights, window_limit=windows)
            if outcome.raw_score is None:
                raise interface.JudgingFailed(f"{path.name} has no score: {outcome.summary}")

    async def close(self) -> None:
        """Nothing is held: the device is the server's. Idempotent."""
        self._scoring = None

    def describe(self) -> interface.EnvironmentDescription:
        """What a client is told."""
        anchors = self._anchors()
        description = "The weights of a language model whose token embedding was scrambled, repaired"
        if self._info is not None and anchors is None:
            description += f". {_not_normalised()}"
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
        repair = self._profile.repair
        limits = [
            ("parameters of the model", f"{self._profile.parameter_count:,}"),
            ("weights file", f"{self._profile.weights_limit_bytes:,} bytes"),
            ("time of a repair script", f"{repair.wall_limit_s:g} s"),
            ("cores of a repair script", f"{repair.place_count}, as far as there are"),
            ("memory of a repair script", f"{repair.memory_limit_bytes >> 20} MiB"),
            ("scratch of a repair script", f"{repair.scratch_limit_bytes >> 20} MiB"),
            ("least loss that is believed", f"{self._profile.floor_nats:g} nats a token"),
            *hidden_windows.limits(self._profile.window_limit, self._profile.shape.context_length),
        ]
        if self._info is not None:
            limits.append(("torch", self._info.torch_version))
        return limits

    def validate(self, request: Message) -> None:
        """Raises InvalidSubmission."""
        submission.validate(_typed(request), self._profile)

    @property
    def stages(self) -> Sequence[interface.Stage]:
        """Repairing goes on beside everything; then the device is needed."""
        return (
            interface.Stage(name="build", lane="build", run=self._build),
            interface.Stage(name="judge", lane="device", run=self._judge),
        )

    async def _build(self, request: Any, context: interface.StageContext) -> Any:
        typed, tried = _typed(request), self._started()
        details = self._details()
        if typed.WhichOneof("weights_source") == "repair_script":
            script = await submitted_source.read_source(typed.repair_script, context)
            return await tried.repair(script, context.exit_stack, details, context.report)
        circumstances = Circumstances(evaluator_details=details)
        original = self._found().original
        if typed.weights.sha256 == original.sha256:
            # The canary's, which nobody had to upload.
            weights = await tried.weights_of(original.path, context.exit_stack)
            return scoring.Weights(weights.descriptor, circumstances)
        try:
            descriptor = await submission.open_weights(typed.weights, context)
        except WeightsRefused as refusal:
            return refused(refusal, circumstances)
        return await tried.check(descriptor, context.exit_stack, circumstances)

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
        """Instructions, the damaged model, a naive repair script, public data and a local checker. Reads."""
        if self._scoring is None:
            raise interface.NotServing("fix_embedding is not started")
        boundary_token = self._found().boundary_token
        return starter.files(self.describe(), self._profile, self._public_dir, boundary_token)

    async def calibrate(self) -> interface.CalibrationTable:
        """Measure and store the anchors of this installation. Raises CalibrationRefused, JudgingFailed."""
        info, store = self._info, self._store
        if info is None or store is None:
            raise interface.NotServing("fix_embedding is not started")
        starting = self._candidate("damaged model", self._public_dir / public_data.DAMAGED_FILE)
        reference = self._candidate("undamaged model", self._found().original.path)
        found = await loss_anchors.measure(
            self.name, self._profile.name, self._fingerprint, info, starting, reference
        )
        path = store.save(found)
        self._calibration = found
        return loss_anchors.table(found, starting, reference, path)

    def _candidate(self, name: str, weights: Path) -> loss_anchors.Candidate:
        async def judge() -> interface.Outcome:
            tried = self._started()
            async with contextlib.AsyncExitStack() as exit_stack:
                return await tried.judge(await tried.weights_of(weights, exit_stack))

        return loss_anchors.Candidate(name, judge)

    def canary(self) -> Message | None:
        """The undamaged model, where its score was measured before."""
        if self._scoring is None or self._calibration is None:
            return None
        original = self._found().original
        size_bytes = original.path.stat().st_size
        return fix_embedding_pb2.ScoreFixEmbeddingRequest(
            weights=result_pb2.ArtifactReference(sha256=original.sha256, size_bytes=size_bytes)
        )

    def _found(self) -> materials.Materials:
        if self._materials is None:
            raise interface.JudgingFailed("fix_embedding is not started")
        return self._materials

    def _started(self) -> scoring.Scoring:
        if self._scoring is None:
            raise interface.JudgingFailed("fix_embedding is not started")
        return self._scoring


def _not_normalised() -> str:
    return f"Scores are raw only: this device is not calibrated (run `{_CALIBRATE_COMMAND}`)."


def _typed(request: Message) -> fix_embedding_pb2.ScoreFixEmbeddingRequest:
    if not isinstance(request, fix_embedding_pb2.ScoreFixEmbeddingRequest):
        raise TypeError(f"expected ScoreFixEmbeddingRequest, not {type(request).__name__}")
    return request
