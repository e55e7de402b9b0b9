"""Measures what the trial protocol adds to a function's own time, and how well medians repeat. Not a test.

    python -m tests.worker.measure_protocol TORCH_PYTHON [overhead] [repeatability]

Every figure is of programs bound to one core, beside a worker on the others, without a sandbox.
"""

import asyncio
import json
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from scorer_service.worker.client import Worker
from tests.worker.plain_programs import WarmProcess, open_program

SELF_TIMED = """
import json, os, time, torch
{function}
inner, times = prefix_sum, []

def prefix_sum(x):
    began = time.perf_counter_ns()
    result = inner(x)
    times.append(time.perf_counter_ns() - began)
    if os.path.exists("write"):
        os.remove("write")
        with open("times.new", "w") as file:
            json.dump(times, file)
        os.rename("times.new", "times")
    return result
"""

FUNCTIONS = {
    "nothing": "def prefix_sum(x):\n    return x\n",
    "starting": """
def prefix_sum(x):
    positive = (x > 0).to(torch.int64)
    before = torch.cumsum(positive, 0) - positive
    return torch.cumsum(torch.where(before % 2 == 1, x.to(torch.int64), 0), 0).to(torch.int32)
""",
    "good": """
def prefix_sum(x):
    odd = torch.cumsum((x > 0).view(torch.int8), 0, dtype=torch.int8).bitwise_and_(1)
    kept = torch.empty_like(x)
    if x.numel():
        kept[:1] = 0
        torch.mul(x[1:], odd[:-1], out=kept[1:])
    return torch.cumsum(kept, 0, dtype=torch.int32, out=kept)
""",
    "10 ms": """
def prefix_sum(x):
    until = time.perf_counter_ns() + 10_000_000
    while time.perf_counter_ns() < until:
        pass
    return x
""",
}

CORES = sorted(os.sched_getaffinity(0))


async def measured(
    worker: Worker, warm: WarmProcess, name: str, size: int, trials: int, window: int = 1
) -> tuple[list[int], list[int]]:
    """Samples of the worker, and the function's own times in its process; nanoseconds."""
    with tempfile.TemporaryDirectory() as folder:
        source = SELF_TIMED.format(function=FUNCTIONS[name])
        program = await open_program(worker, warm, Path(folder), source, element_count=size, cores=CORES[-1:])
        assert (await program.ask("load"))["status"] == "ok"
        arguments: dict[str, Any] = {"check": name in ("starting", "good"), "avoid_cores": CORES[-1:]}
        answer = await program.measure(trials, window, **arguments)
        assert answer["status"] == "ok", answer
        (Path(folder) / "write").touch()
        await program.measure(1, 1, check=False)
        own = json.loads((Path(folder) / "times").read_text())
        program.kill()
        await program.ask("close_session")
        # Without the first ones, and without those of the windows in which the file was asked for.
        return answer["samples_ns"], own[3 * window : -window]


async def overhead(worker: Worker, warm: WarmProcess) -> None:
    """Median of the samples less the median of the function's own times, at each size."""
    print(f"{'function':>10} {'n':>10} {'own us':>10} {'sample us':>10} {'added us':>10} {'added %':>8}")
    for name, sizes in (
        ("nothing", (1_000, 10_000, 65_536, 100_000, 262_144, 1_000_000, 10_000_000)),
        ("starting", (1_000, 65_536, 262_144, 1_000_000)),
        ("good", (1_000, 65_536, 262_144, 1_000_000)),
        ("10 ms", (1_000, 65_536, 262_144, 1_000_000)),
    ):
        for size in sizes:
            samples, own = await measured(worker, warm, name, size, 41 if size < 10**7 else 11)
            own_us, sample_us = statistics.median(own) / 1e3, statistics.median(samples) / 1e3
            added_us = sample_us - own_us
            share = 100 * added_us / own_us if own_us > 20 else math.nan
            print(f"{name:>10} {size:>10} {own_us:>10.1f} {sample_us:>10.1f} {added_us:>10.1f} {share:>8.1f}")


async def repeatability(worker: Worker, warm: WarmProcess) -> None:
    """Coefficient of variation of the medians of ten programs."""
    print(
        f"{'function':>10} {'n':>10} {'trials':>7} {'window':>7} {'median us':>10} {'CV %':>6} {'medians us'}"
    )
    for size, trials, window in ((16_384, 41, 1), (32_768, 41, 1), (65_536, 41, 1), (131_072, 41, 1)):
        for name in ("starting", "good"):
            medians = []
            for _ in range(10):
                samples, _ = await measured(worker, warm, name, size, trials, window)
                medians.append(statistics.median(samples) / 1e3)
            mean = statistics.mean(medians)
            variation = 100 * statistics.stdev(medians) / mean
            shown = " ".join(f"{median:.0f}" for median in medians)
            print(f"{name:>10} {size:>10} {trials:>7} {window:>7} {mean:>10.1f} {variation:>6.2f} {shown}")


async def main() -> None:
    """Run what is named on the command line, or all."""
    python, chosen = Path(sys.argv[1]), sys.argv[2:]
    worker = Worker(python, "cpu")
    warm = WarmProcess(python)
    await worker.start()
    for part in (overhead, repeatability):
        if not chosen or part.__name__ in chosen:
            await part(worker, warm)
    await worker.close()
    warm.close()


if __name__ == "__main__":
    asyncio.run(main())
