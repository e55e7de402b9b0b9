"""Phases, places and failures, with a device that is scripted; see device_double."""

import asyncio
import contextlib
import dataclasses
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scorer.v1 import result_pb2
from scorer.v1.triton_cumsum_pb2 import ScoreTritonCumsumRequest, ScoreTritonCumsumResponse
from scorer_launcher import Termination
from stage_context import Context

from scorer_service.environments.interface import (
    Anchors,
    CalibrationRefused,
    JudgingFailed,
    NotServing,
    Outcome,
    Verdict,
    WorkerDied,
)
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.environments.triton_cumsum import environment, profiles
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable
from tests.environments.triton_cumsum.device_double import INFO, STEADY, DeviceDouble

MEASUREMENT = profiles.PROFILES["embedded"].measurements["cpu"]
SOURCE = "def prefix_sum(x): ...\n"
WAY_OF_A_SCORED_ONE = [
    *("preparing", "start", "open_session", "load", "check_public", "hold", "freeze", "places back"),
    *("shared", "thaw", "release", "check_hidden", "hold", "freeze", "places back"),
    *("exclusive", "thaw", "release", "measure", "kill", "places back", "close_session"),
]


class Served:
    """A started environment on a double."""

    def __init__(self, device: DeviceDouble, folder: Path, profile: str = "embedded") -> None:
        self.device = device
        sandbox = SimpleNamespace(description="native, cgroup-v1")
        self.environment = environment.create(
            EnvironmentSettings(
                profile=profile,
                cache_dir=folder,
                sandbox=cast(Any, sandbox),
                device=device.access,
                calibration_dir=folder / "calibration",
            )
        )
        self.reports: list[tuple[int, int, str]] = []

    async def start(self) -> "Served":
        await self.environment.start()
        self.device.log.clear()
        self.device.starting.clear()
        self.device.arguments.clear()
        self.device.sources.clear()
        self.device.runs.clear()
        return self

    async def score(self, source: str = SOURCE) -> Outcome:
        value: Any = ScoreTritonCumsumRequest(solution=result_pb2.SourceFile(inline=source))
        self.environment.validate(value)
        async with contextlib.AsyncExitStack() as exit_stack:
            context = Context(exit_stack=exit_stack)
            self.reports = context.reports
            for stage in self.environment.stages:
                value = await stage.run(value, context)
                if isinstance(value, Outcome):
                    break
        assert isinstance(value, Outcome)
        return value


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    started = await Served(DeviceDouble(), tmp_path).start()
    yield started
    await started.environment.close()
    assert all(not run.alive for run in started.device.runs), "no run outlives its job"


async def test_a_submission_takes_its_way_and_only_the_timed_part_is_alone(served: Served) -> None:
    outcome = await served.score()
    assert served.device.log == WAY_OF_A_SCORED_ONE
    assert served.device.sources == [SOURCE.encode()]
    assert outcome.verdict is Verdict.SCORED
    assert outcome.raw_score == pytest.approx(math.log(1.00002))
    assert [report[0] for report in served.reports] == [0, 1, 2, 2, 3]
    arguments = dict(served.device.arguments)
    assert arguments["open_session"]["element_count"] == 65_536
    assert (
        arguments["measure"]["trial_count"] == profiles.PROFILES["embedded"].measurements["cpu"].trial_count
    )
    assert arguments["measure"]["avoid_cores"] == [0]
    assert "check" not in arguments["measure"], "what is scored is checked"
    assert len({arguments[name]["session"] for name in ("open_session", "load", "measure")}) == 1


async def test_the_evaluator_sees_samples_device_and_calibration(served: Served) -> None:
    details = (await served.score()).evaluator_details
    assert details["samples_ns"] == [STEADY]
    assert details["device"]["fingerprint"] == INFO.fingerprint
    assert details["copy_bytes_per_s"] == 2e10
    assert details["floor_ns"] == pytest.approx(8 * 65_500 / 2e10 * 1e9)
    assert details["calibration"] is None
    assert details["isolation"] == "native, cgroup-v1"
    json.dumps(details, allow_nan=False)


@pytest.mark.parametrize("phase", ["load", "check_public"])
async def test_after_a_public_fault_nothing_more_is_tried(served: Served, phase: str) -> None:
    served.device.answers[phase] = {"status": "failed", "message": "SyntaxError"}
    outcome = await served.score()
    assert outcome.verdict in (Verdict.BUILD_ERROR, Verdict.INCORRECT)
    assert cast(ScoreTritonCumsumResponse, outcome.response).diagnostics == "SyntaxError"
    assert "check_hidden" not in served.device.log
    assert served.device.log[-3:] == ["kill", "places back", "close_session"] or served.device.log[-4:] == [
        *("kill", "freeze", "places back", "close_session")
    ]


@pytest.mark.parametrize("phase", ["load", "check_public", "check_hidden", "measure"])
async def test_an_ending_in_any_phase_is_a_verdict(served: Served, phase: str) -> None:
    served.device.answers[phase] = {"status": "gone", "message": "closed"}
    served.device.ending = Termination.SIGNALED
    assert (await served.score()).verdict is Verdict.LIMIT_OR_CRASH


@pytest.mark.parametrize("phase", ["load", "check_public", "check_hidden", "measure"])
async def test_a_time_limit_in_any_phase_is_a_verdict(served: Served, phase: str) -> None:
    served.device.answers[phase] = {"status": "time_limit", "message": "..."}
    outcome = await served.score()
    assert outcome.verdict is Verdict.LIMIT_OR_CRASH
    assert "longer than" in outcome.evaluator_details["ending"]


async def test_a_program_over_its_memory_is_named_so_though_the_worker_saw_silence(served: Served) -> None:
    served.device.answers["load"] = {"status": "time_limit"}
    served.device.ending = Termination.MEMORY_LIMIT
    assert "memory limit" in (await served.score()).summary


PHASES = ["open_session", "load", "check_public", "check_hidden", "measure"]


@pytest.mark.parametrize("phase", PHASES)
async def test_a_worker_that_dies_is_no_verdict_and_worth_another_try(served: Served, phase: str) -> None:
    served.device.answers[phase] = WorkerLost("gone")
    with pytest.raises(WorkerDied, match=phase):
        await served.score()


async def test_a_session_lost_with_an_earlier_worker_is_worth_another_try(served: Served) -> None:
    def forgotten(arguments: Any) -> Exception:
        served.device.restarts += 1
        return OperationFailed("there is no session")

    served.device.answers["check_hidden"] = forgotten
    with pytest.raises(WorkerDied):
        await served.score()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("failure", [OperationFailed("a bug"), WorkerUnavailable("no torch")])
async def test_a_failure_of_the_worker_is_no_verdict(served: Served, phase: str, failure: Exception) -> None:
    served.device.answers[phase] = failure
    with pytest.raises(JudgingFailed) as raised:
        await served.score()
    assert raised.type is JudgingFailed, "trying again would not help"


@pytest.mark.parametrize("answer", [{}, {"status": "maybe"}, {"status": "ok", "samples_ns": []}])
async def test_an_answer_that_makes_no_sense_is_no_verdict(served: Served, answer: Any) -> None:
    served.device.answers["measure"] = {"element_count": 65_500, **answer}
    with pytest.raises(JudgingFailed):
        await served.score()


async def test_a_sandbox_that_fails_is_no_verdict(served: Served) -> None:
    served.device.answers["check_public"] = {"status": "gone"}
    served.device.ending = Termination.EXITED
    served.device.sandbox_error = "its zygote died"
    with pytest.raises(WorkerDied, match="its zygote died"):
        await served.score()


async def test_a_job_cancelled_while_its_run_is_started_leaves_no_run(served: Served) -> None:
    served.device.may_start.clear()
    scoring = asyncio.create_task(served.score())
    await served.device.starting.wait()
    scoring.cancel()
    await asyncio.sleep(0)
    served.device.may_start.set()
    with pytest.raises(asyncio.CancelledError):
        await scoring
    assert [run.killed for run in served.device.runs] == [True]
    assert served.device.log[:4] == ["preparing", "start", "kill", "places back"], "it got no core of others"


async def test_unsteady_rounds_are_repeated_and_count_together(served: Served) -> None:
    rounds = iter([[1_000_000 * (1 + k % 4) for k in range(41)], STEADY, STEADY])
    served.device.answers["measure"] = lambda arguments: {
        "status": "ok",
        "samples_ns": next(rounds),
        "element_count": 65_500,
    }
    outcome = await served.score()
    assert outcome.verdict is Verdict.SCORED
    assert served.device.log.count("measure") == len(outcome.evaluator_details["samples_ns"]) > 1
    assert served.device.log.count("exclusive") == 1, "nobody comes between the rounds"


async def test_too_fast_is_implausible(served: Served) -> None:
    # 8 * 65500 bytes at 20 GB/s: 26.2 us.
    served.device.answers["measure"] = {
        "status": "ok",
        "samples_ns": [*STEADY, 26_100],
        "element_count": 65_500,
    }
    assert (await served.score()).verdict is Verdict.IMPLAUSIBLE


async def test_without_a_calibration_scores_are_raw_and_say_so(served: Served) -> None:
    description = served.environment.describe()
    assert description.anchors is None
    assert "scorer calibrate triton_cumsum" in description.description
    assert "scorer calibrate triton_cumsum" in (await served.score()).summary
    assert served.environment.canary() is None


def scripted_times(device: DeviceDouble, starting_ns: int, reference_ns: int) -> None:
    """Let the solution that runs last decide how long a call takes."""

    def measured(arguments: Any) -> Any:
        source = device.sources[-1]
        ns = starting_ns if b"starting solution" in source else reference_ns
        if b"Does nothing" in source:
            ns = 70_000
        samples = [ns + k for k in range(arguments["trial_count"])]
        return {"status": "ok", "samples_ns": samples, "element_count": 65_500}

    device.answers["measure"] = measured


async def test_a_calibration_is_measured_stored_and_used_at_once(served: Served, tmp_path: Path) -> None:
    scripted_times(served.device, 1_000_000, 250_000)
    table = await served.environment.calibrate()
    anchors = served.environment.describe().anchors
    assert anchors is not None
    assert anchors.starting_raw == pytest.approx(0.0, abs=1e-3)
    assert anchors.reference_raw == pytest.approx(math.log(0.25), abs=1e-3)
    assert dict(table.rows)["protocol overhead"].startswith("70.02 us")
    assert table.path.parent == tmp_path / "calibration"
    unchecked = [
        arguments.get("check", True) for name, arguments in served.device.arguments if name == "measure"
    ]
    assert unchecked == [False, False, True, True], "only what does nothing is measured unchecked"
    assert "raw only" not in (await served.score()).summary
    assert "raw only" not in served.environment.describe().description
    canary = served.environment.canary()
    assert isinstance(canary, ScoreTritonCumsumRequest)
    assert (
        canary.solution.inline.encode()
        == (Path(environment.__file__).parent / "reference" / "torch_scan.py").read_bytes()
    )
    # The next server, on the same device.
    again = await Served(DeviceDouble(), tmp_path).start()
    assert again.environment.describe().anchors == anchors


async def test_another_device_does_not_use_it(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_times(served.device, 1_000_000, 250_000)
    await served.environment.calibrate()

    async def start(self: DeviceDouble) -> Any:
        return dataclasses.replace(INFO, fingerprint="another")

    monkeypatch.setattr(DeviceDouble, "start", start)
    other = await Served(DeviceDouble(), tmp_path).start()
    assert other.environment.describe().anchors is None


async def test_a_reference_that_is_not_faster_is_refused_with_both_numbers(
    served: Served, tmp_path: Path
) -> None:
    scripted_times(served.device, 300_000, 301_000)
    with pytest.raises(CalibrationRefused, match=r"0\.3011 ms.*0\.3001 ms"):
        await served.environment.calibrate()
    assert served.environment.describe().anchors is None
    assert not list((tmp_path / "calibration").glob("*")), "nothing was stored"


async def test_a_solution_without_a_score_refuses_the_calibration(served: Served) -> None:
    scripted_times(served.device, 1_000_000, 10_000)
    with pytest.raises(CalibrationRefused, match=r"reference solution has no score.*implausible"):
        await served.environment.calibrate()


async def test_a_failed_self_test_keeps_it_from_serving(tmp_path: Path) -> None:
    device = DeviceDouble()
    device.answers["check_public"] = {"status": "wrong", "message": "element 3"}
    with pytest.raises(NotServing, match="self-test failed: the reference solution is incorrect"):
        await Served(device, tmp_path).start()
    assert all(not run.alive for run in device.runs)
    device = DeviceDouble()
    device.answers["load"] = WorkerLost("gone")
    with pytest.raises(NotServing, match="self-test failed: the worker died"):
        await Served(device, tmp_path).start()


def test_a_profile_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotServing, match="'papper'; choose one of embedded, paper"):
        Served(DeviceDouble(), tmp_path, profile="papper")


async def test_without_a_device_it_does_not_serve(tmp_path: Path) -> None:
    settings = EnvironmentSettings(
        profile="embedded",
        cache_dir=tmp_path,
        sandbox=cast(Any, SimpleNamespace(description="native")),
    )
    with pytest.raises(NotServing, match="no device"):
        await environment.create(settings).start()


def test_published_anchors_are_for_the_device_they_were_measured_on() -> None:
    paper, embedded = profiles.PROFILES["paper"], profiles.PROFILES["embedded"]
    assert paper.anchors_without_calibration("cuda", "NVIDIA H100 80GB HBM3") == Anchors(1.5535, 0.4700)
    assert paper.anchors_without_calibration("cuda", "NVIDIA A100") is None
    assert paper.anchors_without_calibration("cpu", "cpu") is None
    assert embedded.anchors_without_calibration("cuda", "NVIDIA H100 80GB HBM3") is None
    assert paper.measurements["cuda"].element_count == 10**8
