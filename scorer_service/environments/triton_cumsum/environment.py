"""The environment as the service sees it."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from scorer.v1 import result_pb2, triton_cumsum_pb2

from scorer_service.calibration.store import Calibration, CalibrationStore
from scorer_service.environments import evaluator_details, interface, submitted_source
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.environments.triton_cumsum import calibration, profiles, scoring, starter, submission
from scorer_service.worker.device_access import DeviceUnavailable
from scorer_service.worker.device_info import DeviceInfo

_REFERENCE_DIR = Path(__file__).parent / "reference"
_REFERENCE_BY_KIND = {"cpu": "torch_scan.py", "cuda": "triton_scan.py"}
_CALIBRATE_COMMAND = "scorer calibrate triton_cumsum"


def create(settings: EnvironmentSettings) -> "TritonCumsum":
    """The environment, not started yet. Raises NotServing for a profile that does not exist."""
    return TritonCumsum(settings)


class TritonCumsum(interface.Environment):
    """Times kernels for a prefix sum on a device."""

    name = "triton_cumsum"
    request_type = triton_cumsum_pb2.ScoreTritonCumsumRequest
    response_type = triton_cumsum_pb2.ScoreTritonCumsumResponse

    def __init__(self, settings: EnvironmentSettings) -> None:
        if settings.profile not in profiles.PROFILES:
            known = ", ".join(profiles.PROFILES)
            raise interface.NotServing(f"there is no profile {settings.profile!r}; choose one of {known}")
        self._settings = settings
        self._profile = profiles.PROFILES[settings.profile]
        self._store = CalibrationStore(settings.calibration_dir) if settings.calibration_dir else None
        self._info: DeviceInfo | None = None
        self._scoring: scoring.Scoring | None = None
        self._calibration: Calibration | None = None

    async def start(self) -> None:
        """Start the device, and try the reference solution on it. Raises NotServing."""
        device = self._settings.device
        if device is None:
            raise interface.NotServing("this server has no device to measure on")
        try:
            info = await device.start()
        except DeviceUnavailable as error:
            raise interface.NotServing(str(error)) from error
        if self._store is not None:
            self._calibration = self._store.load(self.name, self._profile.name, info.fingerprint)
        tried = scoring.Scoring(device, info, self._profile.measurements[info.kind])
        if self._calibration is not None:
            tried.copy_bytes_per_s = self._calibration.quantities.get("copy_bytes_per_s", 0.0)
        try:
            await tried.measure_copy_bandwidth()
            async with contextlib.AsyncExitStack() as exit_stack:
                built = await tried.build(_reference(info.kind), exit_stack, {})
        except interface.JudgingFailed as error:
            raise interface.NotServing(f"the self-test failed: {error}") from error
        if isinstance(built, interface.Outcome):
            raise interface.NotServing(
                f"the self-test failed: the reference solution is {built.verdict.value}: {built.summary}"
            )
        self._info, self._scoring = info, tried

    async def close(self) -> None:
        """Nothing is held: the device is the server's. Idempotent."""
        self._scoring = None

    def describe(self) -> interface.EnvironmentDescription:
        """What a client is told."""
        anchors = self._anchors()
        description = "A kernel for a gated prefix sum, timed on the device"
        if self._info is not None and anchors is None:
            description += f". {_not_normalised()}"
        return interface.EnvironmentDescription(
            name=self.name,
            description=description,
            profile=self._profile.name,
            device=self._info.name if self._info else "",
            raw_score_unit="ln(milliseconds)",
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
        if self._info is None:
            return None
        return self._profile.anchors_without_calibration(self._info.kind, self._info.name)

    def _limits(self) -> list[tuple[str, str]]:
        phases = profiles.PHASE_LIMITS
        limits = [
            ("import", f"{phases.load_s:g} s"),
            ("public inputs, with compilation", f"{phases.public_s:g} s"),
            ("hidden inputs", f"{phases.hidden_s:g} s"),
            ("timed calls", f"{phases.measure_s:g} s a round"),
            ("processes and threads", str(profiles.PROCESS_LIMIT)),
            ("scratch", f"{profiles.SCRATCH_LIMIT_BYTES >> 20} MiB"),
            ("output", f"{profiles.OUTPUT_LIMIT_BYTES >> 20} MiB"),
        ]
        if self._info is not None:
            measurement = self._profile.measurements[self._info.kind]
            limits = [
                ("elements", f"about {measurement.element_count:,}"),
                ("trials", f"{measurement.trial_count}, up to {measurement.round_limit} times"),
                ("memory", f"{profiles.memory_limit_bytes(self._info.kind) >> 30} GiB"),
                *limits,
                ("torch", self._info.torch_version),
                ("triton", self._info.triton_version),
            ]
        return limits

    def validate(self, request: Message) -> None:
        """Raises InvalidSubmission."""
        submission.validate(_typed(request))

    @property
    def stages(self) -> Sequence[interface.Stage]:
        """Building may overlap with everything but the timed calls of others; then the device is needed."""
        return (
            interface.Stage(name="build", lane="build", run=self._build),
            interface.Stage(name="measure", lane="device", run=self._measure),
        )

    async def _build(self, request: Any, context: interface.StageContext) -> Any:
        source = await submitted_source.read_source(_typed(request).solution, context)
        context.report(0, scoring.PHASE_COUNT, "phases")
        return await self._started().build(source, context.exit_stack, self._details(), context.report)

    async def _measure(self, built: Any, context: interface.StageContext) -> interface.Outcome:
        note = "" if self._anchors() is not None else _not_normalised()
        return await self._started().measure(built, note, context.report)

    def _details(self) -> dict[str, Any]:
        assert self._info is not None
        details = evaluator_details.of_scoring(
            self._profile.name, self._settings.sandbox.description, self._info, self._calibration
        )
        return {**details, "copy_bytes_per_s": self._started().copy_bytes_per_s}

    def starter(self) -> Sequence[interface.StarterFile]:
        """Instructions, the starting solution and a local checker."""
        if self._info is None:
            raise interface.NotServing("triton_cumsum is not started")
        measurement = self._profile.measurements[self._info.kind]
        return starter.files(self.describe(), self._info.kind, measurement)

    async def calibrate(self) -> interface.CalibrationTable:
        """Measure and store the anchors of the device in hand. Raises CalibrationRefused, JudgingFailed."""
        info, store = self._info, self._store
        if info is None or store is None:
            raise interface.NotServing("triton_cumsum is not started")
        found = await calibration.measure(
            self._started(), info, self._profile.name, starter.starting_solution(), _reference(info.kind)
        )
        path = store.save(found)
        self._calibration = found
        return calibration.table(found, path)

    def canary(self) -> Message | None:
        """The reference solution for the device in hand, where its score was measured before."""
        if self._info is None or self._calibration is None:
            return None
        return triton_cumsum_pb2.ScoreTritonCumsumRequest(
            solution=result_pb2.SourceFile(inline=_reference(self._info.kind).decode())
        )

    def _started(self) -> scoring.Scoring:
        if self._scoring is None:
            raise interface.JudgingFailed("triton_cumsum is not started")
        return self._scoring


def _not_normalised() -> str:
    return f"Scores are raw only: this device is not calibrated (run `{_CALIBRATE_COMMAND}`)."


def _reference(kind: str) -> bytes:
    return (_REFERENCE_DIR / _REFERENCE_BY_KIND[kind]).read_bytes()


def _typed(request: Message) -> triton_cumsum_pb2.ScoreTritonCumsumRequest:
    if not isinstance(request, triton_cumsum_pb2.ScoreTritonCumsumRequest):
        raise TypeError(f"expected ScoreTritonCumsumRequest, not {type(request).__name__}")
    return request
