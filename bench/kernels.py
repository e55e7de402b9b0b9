"""Timing kernels: what the protocol costs, how well a median repeats, and whether the device is ever idle."""

import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from measurement import Measurement
from running_server import running_server
from scorer_client import ScorerClient

import scorer_service.environments.triton_cumsum
from scorer_service.environments.triton_cumsum import profiles, scoring, starter
from scorer_service.environments.triton_cumsum.judgement import Phase
from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.device_info import DeviceInfo

REFERENCE = Path(scorer_service.environments.triton_cumsum.__path__[0]) / "reference"
SIZES = (1_000, 10_000, 65_536, 262_144, 1_000_000)
SCORINGS = 10
QUEUED = 8
ALONE = 3
LOOK_INTERVAL_S = 0.01

# The right answer in about ten milliseconds, timed by itself: what its own process says is what it prints.
TEN_MILLISECONDS = b"""
import time
import torch

OWN_NS = []

def prefix_sum(x):
    began = time.perf_counter_ns()
    positive = x > 0
    odd = (torch.cumsum(positive, 0, dtype=torch.int32) - positive.to(torch.int32)) & 1
    out = torch.cumsum(odd * x, 0, dtype=torch.int32)
    while time.perf_counter_ns() - began < 10_000_000:
        pass
    OWN_NS.append(time.perf_counter_ns() - began)
    if len(OWN_NS) == 8:  # now and then, since printing is on the worker's clock and not on this one
        print(*OWN_NS, flush=True)
        OWN_NS.clear()
    return out
"""


def measure() -> Iterator[Measurement]:
    """Everything about kernels. Nothing where there is no Python with torch."""
    python = python_toolchain.default_python()
    if python == Path(sys.executable):
        return
    yield from asyncio.run(_on_one_device(python))
    yield _device_lane()


async def _on_one_device(python: Path) -> list[Measurement]:
    async with _scoring(python) as measured:
        nothing = (REFERENCE / "nothing.py").read_bytes()
        overheads_us = {}
        for size in SIZES:
            sized = scoring.Scoring(
                measured.device, measured.info, replace(measured.measurement, element_count=size)
            )
            overheads_us[size] = statistics.median(await sized.overhead_ns(nothing)) / 1e3
        own_ns, sample_ns = await _own_and_sample(measured)
        medians = [await _median_ns(measured, starter.starting_solution()) for _ in range(SCORINGS)]
        first_s = [await _to_first_warm_up_s(measured) for _ in range(SCORINGS)]
    cold_s = _cold_import_s(python)
    return [
        Measurement(
            "what the protocol adds to a call of 10 ms",
            sample_ns / own_ns - 1,
            0.02,
            detail="; ".join(f"{size:,} elements: {us:.0f} us" for size, us in overheads_us.items()),
        ),
        Measurement(
            "medians of ten scorings, coefficient of variation",
            statistics.stdev(medians) / statistics.mean(medians),
            0.03,
            detail=f"starting solution, {statistics.mean(medians) / 1e6:.2f} ms",
        ),
        Measurement(
            "from the call to the first warm-up, warm runner",
            statistics.median(first_s),
            0.3,
            unit="s",
            detail=f"a cold import of torch and triton takes {cold_s:.1f} s",
        ),
    ]


class _Measured(scoring.Scoring):
    """Scoring whose device and info can be used for other sizes."""

    @property
    def device(self) -> DeviceAccess:
        """Where it measures."""
        return self._device

    @property
    def info(self) -> DeviceInfo:
        """What it measures on."""
        return self._info


@contextlib.asynccontextmanager
async def _scoring(python: Path) -> AsyncIterator[_Measured]:
    device = DeviceAccess(NativeBackend(), python, "cpu")
    try:
        info = await device.start()
        yield _Measured(device, info, profiles.PROFILES["embedded"].measurements[info.kind])
    finally:
        await device.close()


async def _own_and_sample(measured: _Measured) -> tuple[float, float]:
    """Medians: what the function measured in its process, and what the worker measured."""
    async with contextlib.AsyncExitStack() as exit_stack:
        built = await measured.build(TEN_MILLISECONDS, exit_stack, {})
        assert isinstance(built, scoring.Built), built
        async with measured.device.gate.exclusive() as places, built.session.running(places):
            answer = await built.session.ask(
                Phase.MEASURE,
                profiles.PHASE_LIMITS.measure_s,
                trial_count=measured.measurement.trial_count,
                calls_per_window=1,
                avoid_cores=list(places.cores),
            )
            result = await built.session.kill()
    samples = scoring.samples_of(answer)
    own = [int(line) for line in result.stdout.split()][-len(samples) :]
    return statistics.median(own), statistics.median(samples)


async def _median_ns(measured: _Measured, source: bytes) -> float:
    async with contextlib.AsyncExitStack() as exit_stack:
        built = await measured.build(source, exit_stack, {})
        assert isinstance(built, scoring.Built), built
        async with measured.device.gate.shared() as places, built.session.running(places):
            await built.session.ask(Phase.HIDDEN, profiles.PHASE_LIMITS.hidden_s)
        async with measured.device.gate.exclusive() as places, built.session.running(places):
            answer = await built.session.ask(
                Phase.MEASURE,
                profiles.PHASE_LIMITS.measure_s,
                trial_count=measured.measurement.trial_count,
                calls_per_window=measured.measurement.calls_per_window,
                avoid_cores=list(places.cores),
            )
    return statistics.median(scoring.samples_of(answer))


async def _to_first_warm_up_s(measured: _Measured) -> float:
    """Until the submission is imported and its first call is next."""
    reached: list[float] = []

    def report(done: int, total: int, unit: str) -> None:
        if not reached:
            reached.append(time.perf_counter())

    began = time.perf_counter()
    async with contextlib.AsyncExitStack() as exit_stack:
        await measured.build(starter.starting_solution(), exit_stack, {}, report)
    return reached[0] - began


def _cold_import_s(python: Path) -> float:
    began = time.perf_counter()
    subprocess.run([python, "-c", "import torch, triton"], check=True)
    return time.perf_counter() - began


def _device_lane() -> Measurement:
    """How much of the time somebody was warmed up or measured, with submissions waiting all along.

    Counted are the stages that end after the first one has, over the time from then on. Since no two of them
    overlap, it cannot be more than all of it: they begin after the last look at which the first one was still
    going on.
    """
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), "triton_cumsum") as server:
        source = starter.starting_solution().decode()

        def score(_: int) -> float:
            with ScorerClient(server.address) as client:
                client.score_triton_cumsum(source)
            return time.perf_counter()

        for number in range(ALONE):
            score(number)
        alone = _measure_stages(server.metrics)
        with ThreadPoolExecutor(QUEUED + 1) as threads:
            pending = [threads.submit(score, number) for number in range(QUEUED + 1)]
            first, began = _next_stage_ended(server.metrics, alone, pending)
            ended = max(submission.result() for submission in pending)
        last = _measure_stages(server.metrics)
    count = last.count - first.count
    return Measurement(
        f"device lane warming up or measuring, {QUEUED} submissions queued",
        (last.seconds - first.seconds) / (ended - began),
        0.9,
        higher_is_better=True,
        detail=f"{(ended - began) / count:.2f} s a submission, {os.cpu_count()} cores; the device's part"
        f" takes {alone.seconds / alone.count:.2f} s where nobody waits",
    )


@dataclass(frozen=True)
class _Stages:
    """Those that have ended since the server started."""

    seconds: float
    count: float


def _next_stage_ended(
    metrics: str, before: _Stages, pending: Sequence[Future[float]]
) -> tuple[_Stages, float]:
    """The stages once there is one more, and the last time at which there was not."""
    earlier = time.perf_counter()
    while True:
        looked = time.perf_counter()
        found = _measure_stages(metrics)
        if found.count > before.count:
            return found, earlier
        earlier = looked
        for submission in pending:
            if submission.done():
                submission.result()  # raises what went wrong, for which the loop would wait for ever
        time.sleep(LOOK_INTERVAL_S)


def _measure_stages(metrics: str) -> _Stages:
    with urllib.request.urlopen(f"http://{metrics}/metrics") as response:
        lines: Sequence[str] = response.read().decode().splitlines()
    labels = '{environment="triton_cumsum",stage="measure"}'
    found = {
        name: float(line.split()[-1])
        for name in ("sum", "count")
        for line in lines
        if line.startswith(f"scorer_stage_seconds_{name}{labels}")
    }
    return _Stages(found["sum"], found["count"])
