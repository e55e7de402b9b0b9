"""The way of a submission from its source to an outcome, or to samples: the same for calibrations."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import scorer_launcher

from scorer_service.environments.interface import JudgingFailed, Outcome
from scorer_service.environments.triton_cumsum import judgement, profiles, timing
from scorer_service.environments.triton_cumsum.judgement import Circumstances, Measured, Phase
from scorer_service.environments.triton_cumsum.session import TRIALS, Session, open_session
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

PHASE_COUNT = 4
"""Import, public inputs, hidden inputs, timed calls."""
Report = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Built:
    """A submission that loads and is right on the public inputs; frozen."""

    session: Session
    circumstances: Circumstances


def _unheard(done: int, total: int, unit: str) -> None:
    """For who follows no progress."""


class Scoring:
    """Takes submissions through their phases on one device."""

    def __init__(self, device: DeviceAccess, info: DeviceInfo, measurement: profiles.Measurement) -> None:
        self._device = device
        self._info = info
        self.measurement = measurement
        self.copy_bytes_per_s = 0.0
        """The fastest copy that was seen; the higher, the lower the floor."""

    def with_trials(self, trial_count: int) -> Scoring:
        """The same with another number of trials in a round."""
        other = Scoring(self._device, self._info, replace(self.measurement, trial_count=trial_count))
        other.copy_bytes_per_s = self.copy_bytes_per_s
        return other

    async def measure_copy_bandwidth(self) -> float:
        """Copy as much as a call has to move, with the device alone. Raises JudgingFailed."""
        arguments = {"element_count": self.measurement.element_count}
        async with self._device.gate.exclusive():
            try:
                answer = await self._device.worker.call(f"{TRIALS}:copy_bandwidth", arguments)
            except (OperationFailed, WorkerLost, WorkerUnavailable) as error:
                raise JudgingFailed(f"copy_bandwidth: {error}") from error
        bytes_per_s = float(answer["bytes_per_s"])
        if not (math.isfinite(bytes_per_s) and bytes_per_s > 0):
            raise JudgingFailed(f"copy_bandwidth answered {bytes_per_s} bytes a second")
        self.copy_bytes_per_s = max(self.copy_bytes_per_s, bytes_per_s)
        return bytes_per_s

    async def build(
        self,
        source: bytes,
        exit_stack: contextlib.AsyncExitStack,
        evaluator_details: Mapping[str, Any],
        report: Report = _unheard,
    ) -> Built | Outcome:
        """Load it and try it on public inputs, beside others. Raises JudgingFailed, WorkerDied."""
        circumstances = Circumstances(device=self._info.name, evaluator_details=evaluator_details)
        async with self._device.gate.preparing() as work:
            session = await self._open(source, work.places, exit_stack)
            async with session.frozen_after():
                await work.attach(session)
                try:
                    return await self._try_publicly(session, circumstances, report)
                finally:
                    await work.detach()

    async def _try_publicly(
        self, session: Session, circumstances: Circumstances, report: Report
    ) -> Built | Outcome:
        limits = profiles.PHASE_LIMITS
        answer = await session.ask(Phase.LOAD, limits.load_s)
        outcome = await _outcome(session, Phase.LOAD, answer, limits.load_s, circumstances)
        if outcome is not None:
            return outcome
        report(1, PHASE_COUNT, "phases")
        details = {**circumstances.evaluator_details, "load_s": answer.get("load_s")}
        circumstances = replace(circumstances, evaluator_details=details)
        answer = await session.ask(Phase.PUBLIC, limits.public_s)
        first_call_s = answer.get("first_call_s")
        if first_call_s is not None:
            circumstances = replace(circumstances, compile_s=float(first_call_s))
        outcome = await _outcome(session, Phase.PUBLIC, answer, limits.public_s, circumstances)
        report(2, PHASE_COUNT, "phases")
        return outcome or Built(session, circumstances)

    async def measure(self, built: Built, note: str = "", report: Report = _unheard) -> Outcome:
        """Try it on hidden inputs, then time it with the device alone. Raises JudgingFailed, WorkerDied."""
        report(2, PHASE_COUNT, "phases")
        session, circumstances, limits = built.session, built.circumstances, profiles.PHASE_LIMITS
        async with self._device.gate.shared() as places, session.running(places):
            answer = await session.ask(Phase.HIDDEN, limits.hidden_s)
            outcome = await _outcome(session, Phase.HIDDEN, answer, limits.hidden_s, circumstances)
        if outcome is not None:
            return outcome
        report(3, PHASE_COUNT, "phases")
        rounds: list[Sequence[int]] = []
        device_states: list[Any] = []
        async with self._device.gate.exclusive() as places, session.running(places):
            while True:
                answer = await self._ask_for_round(session, places)
                outcome = await _outcome(session, Phase.MEASURE, answer, limits.measure_s, circumstances)
                if outcome is not None:
                    return outcome
                rounds.append(samples_of(answer))
                device_states.append(answer.get("device_state"))
                measured = self._measured(rounds, int(answer["element_count"]))
                if not judgement.needs_another_round(measured, self.measurement):
                    break
            await session.kill()
        details = {**circumstances.evaluator_details, "device_states": device_states}
        return judgement.timed(
            measured, self.measurement, replace(circumstances, evaluator_details=details), note
        )

    async def overhead_ns(self, source: bytes) -> Sequence[int]:
        """What handing over an input and an output takes: a solution that does nothing, measured unchecked.

        Raises JudgingFailed, WorkerDied.
        """
        limits = profiles.PHASE_LIMITS
        async with contextlib.AsyncExitStack() as exit_stack, self._device.gate.exclusive() as places:
            session = await self._open(source, places, exit_stack)
            async with session.frozen_after():
                for answer in (
                    await session.ask(Phase.LOAD, limits.load_s),
                    # The first round warms up.
                    await self._ask_for_round(session, places, check=False),
                    await self._ask_for_round(session, places, check=False),
                ):
                    if answer["status"] != "ok":
                        raise JudgingFailed(f"the solution that does nothing was not measured: {answer}")
                await session.kill()
        return samples_of(answer)

    async def _open(
        self, source: bytes, places: scorer_launcher.Places, exit_stack: contextlib.AsyncExitStack
    ) -> Session:
        return await open_session(self._device, source, self._info.kind, self.measurement, places, exit_stack)

    async def _ask_for_round(
        self, session: Session, places: scorer_launcher.Places, **more: Any
    ) -> Mapping[str, Any]:
        return await session.ask(
            Phase.MEASURE,
            profiles.PHASE_LIMITS.measure_s,
            trial_count=self.measurement.trial_count,
            calls_per_window=self.measurement.calls_per_window,
            avoid_cores=list(places.cores),
            **more,
        )

    def _measured(self, rounds: Sequence[Sequence[int]], element_count: int) -> Measured:
        return Measured(rounds, element_count, timing.floor_ns(element_count, self.copy_bytes_per_s))


def samples_of(answer: Mapping[str, Any]) -> Sequence[int]:
    """The samples of a round. Raises JudgingFailed where there are none."""
    samples = [int(sample) for sample in answer["samples_ns"]]
    if not samples:
        raise JudgingFailed("a round was measured without a sample")
    return samples


async def _outcome(
    session: Session,
    phase: Phase,
    answer: Mapping[str, Any],
    limit_s: float,
    circumstances: Circumstances,
) -> Outcome | None:
    """The outcome where this phase was the last one, with the program killed; None where it goes on."""
    match answer.get("status"):
        case "ok":
            return None
        case "failed" | "wrong":
            await session.kill()
            return judgement.refused(phase, answer, circumstances)
        case "gone":
            return judgement.ended(phase, await session.end(), circumstances)
        case "time_limit":
            result = await session.kill()
            if judgement.was_running(result):
                return judgement.overtime(phase, limit_s, circumstances)
            return judgement.ended(phase, result, circumstances)
        case status:
            raise JudgingFailed(f"{phase.value} answered with status {status!r}")
