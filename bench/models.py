"""Judging models as data: speed by graph, time to a refusal, and memory of the worker."""

import asyncio
import contextlib
import dataclasses
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measurement import Measurement
from running_server import running_server
from scorer_client import ScorerClient, Verdict

import scorer_service
from scorer_service.environments.interface import Verdict as JudgedVerdict
from scorer_service.environments.restricted_mlm import profiles, scoring
from scorer_service.environments.restricted_mlm.judgement import Circumstances
from scorer_service.language import corpus, shipped
from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess

PROFILE = profiles.EMBEDDED
REFERENCE_MODEL = shipped.RESTRICTED_MLM / "reference_model.py"
REFERENCE_WEIGHTS = shipped.MODELS / "restricted_mlm_reference.safetensors"
STARTING_MODEL = shipped.RESTRICTED_MLM / "starting_model.py"
STARTING_WEIGHTS = shipped.MODELS / "restricted_mlm_starting.safetensors"
REFUSALS = 7
ALLOWED, FORBIDDEN = "torch.relu(self.gate(neighbours))", "torch.sigmoid(self.gate(neighbours))"
SELF_TEST_WINDOWS = 16
"""As many as a server judges when it starts."""
WINDOWS = 1024
WORKERS = 3
LOGIT_BYTES = 4


def measure() -> Iterator[Measurement]:
    """Everything about models. Nothing where there is no Python with torch."""
    python = python_toolchain.default_python()
    if python == Path(sys.executable):
        return
    speed, weight_bytes = _speed(python)
    yield speed
    yield _refusal()
    yield asyncio.run(_memory(python, weight_bytes))


def _speed(python: Path) -> tuple[Measurement, int]:
    """The ratio of the reference solution, and the bytes of its weights in the worker."""
    with tempfile.TemporaryDirectory() as folder:
        command: list[str | Path] = [python, "-I", Path(__file__).parent / "judging_speed.py"]
        command += [
            Path(scorer_service.__file__).parent.parent,
            python_toolchain.runner_folder().parent,
            Path(folder) / profiles.ARCHIVE_FILE,
            REFERENCE_MODEL,
            REFERENCE_WEIGHTS,
            _text("validation"),
            str(PROFILE.mask_token),
            json.dumps(dataclasses.asdict(PROFILE.interface("cpu"))),
        ]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    answer: dict[str, Any] = json.loads(printed)
    by_graph, by_module = answer["seconds"]["graph"], answer["seconds"]["module"]
    ratios = [module / graph for graph, module in zip(by_graph, by_module, strict=True)]
    per_second = {
        name: answer["tokens"] / statistics.median(turns) for name, turns in answer["seconds"].items()
    }
    measurement = Measurement(
        "judging tokens a second, by graph / by the module itself",
        statistics.median(ratios),
        0.95,
        higher_is_better=True,
        detail=f"{per_second['graph']:,.0f}/s and {per_second['module']:,.0f}/s on one thread, {len(ratios)}"
        f" turns each; logits differ by {answer['largest_difference']:.1g}",
    )
    return measurement, int(answer["weight_bytes"])


def _refusal() -> Measurement:
    """From the call to the answer, for the reference solution with one operator changed."""
    allowed = REFERENCE_MODEL.read_text()
    forbidden = allowed.replace(ALLOWED, FORBIDDEN)
    assert forbidden != allowed, f"{REFERENCE_MODEL} has no {ALLOWED} any more"
    samples = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder), "restricted_mlm") as server,
        ScorerClient(server.address) as client,
    ):
        weights = client.upload(REFERENCE_WEIGHTS)
        for _ in range(REFUSALS):
            began = time.perf_counter()
            result = client.score_restricted_mlm(forbidden, weights=weights)
            samples.append(time.perf_counter() - began)
            assert result.verdict is Verdict.RULE_BROKEN, result.summary
            assert result.refused_operators, result.summary
    return Measurement(
        "from the call to the refusal of an operator, warm runner",
        statistics.median(samples),
        3.0,
        unit="s",
        detail=f"{REFUSALS} calls, the slowest {max(samples):.2f} s; the weights were uploaded before",
    )


async def _memory(python: Path, weight_bytes: int) -> Measurement:
    """How far the reference solution raises the peak of the worker's memory.

    Over what a worker has that judged nothing yet, not over what it has just before: memory that was freed
    and kept for later would count as there before. What the kernel maps of libraries is not counted. As in a
    server, the starting solution is judged first on a few windows. One draw of masks stands for all, which
    come one after the other. What the C library keeps differs between workers, so several are asked.
    """
    grown = sorted([await _peak_growth_bytes(python) for _ in range(WORKERS)])
    rows = PROFILE.batch_rows("cpu")
    batch_bytes = rows * PROFILE.window_length * PROFILE.vocabulary_size * LOGIT_BYTES
    return Measurement(
        "memory that judging takes / (weights + 3 batches of logits)",
        statistics.median(grown) / (weight_bytes + 3 * batch_bytes),
        1.0,
        detail=f"{', '.join(f'{one / 1e6:.0f}' for one in grown)} MB in {WORKERS} workers;"
        f" {weight_bytes / 1e6:.1f} MB and 3 x {batch_bytes / 1e6:.1f} MB",
    )


async def _peak_growth_bytes(python: Path) -> int:
    profile = dataclasses.replace(PROFILE, draw_count=1)
    texts = scoring.Texts(hidden=_text("hidden"), public=_text("validation"))
    device = DeviceAccess(NativeBackend(), python, "cpu")
    try:
        judging = scoring.Scoring(device, await device.start(), profile, texts)
        async with contextlib.AsyncExitStack() as exit_stack:
            starting = await _export(judging, STARTING_MODEL, STARTING_WEIGHTS, exit_stack)
            reference = await _export(judging, REFERENCE_MODEL, REFERENCE_WEIGHTS, exit_stack)
            pid = device.worker.pid
            assert pid is not None
            fresh = _memory_bytes(pid, "RssAnon")
            await judging.judge(starting, window_limit=SELF_TEST_WINDOWS)
            _begin_new_peak(pid)
            outcome = await judging.judge(reference, window_limit=WINDOWS)
            assert outcome.verdict is JudgedVerdict.SCORED, outcome.summary
            return _memory_bytes(pid, "VmHWM") - _memory_bytes(pid, "RssFile") - fresh
    finally:
        await device.close()


async def _export(
    judging: scoring.Scoring, model: Path, weights: Path, exit_stack: contextlib.AsyncExitStack
) -> scoring.ExportedModel:
    source, content = await asyncio.to_thread(lambda: (model.read_bytes(), weights.read_bytes()))
    exported = await judging.export(source, scoring.Weights(content, Circumstances()), exit_stack)
    assert isinstance(exported, scoring.ExportedModel), exported
    return exported


def _text(split: str) -> Path:
    return corpus.load_manifest().splits[split].file


def _begin_new_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # proc(5)


def _memory_bytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {name} of {pid}")
