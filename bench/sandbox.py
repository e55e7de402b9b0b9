"""The sandbox against a bare process: what isolation costs a run."""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import scorer_launcher
from measurement import Measurement, percentile

from scorer_service.sandbox import toolchain

RUNS = 1000
SPINNING_RUNS = 200
LIMITS = scorer_launcher.Limits(cpu_limit_s=2, wall_limit_s=5, memory_limit_bytes=256 << 20)

EXITS_AT_ONCE = "fn main() {}"
SPINS = """
fn main() {
    let mut x = 1u64;
    for _ in 0..45_000_000u64 { x = std::hint::black_box(x.wrapping_mul(3)); }
    std::process::exit((x == 0) as i32);
}
"""


def measure() -> Iterator[Measurement]:
    """Latency of one run, and throughput over the cores."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        trivial = _compile(Path(folder), "trivial", EXITS_AT_ONCE)
        bare = [_spawn(trivial) for _ in range(RUNS)]
        boxed = list(_boxed_runs(trivial))
        for percent, goal in ((50, 2.5), (99, 5.0)):
            bare_ms, boxed_ms = percentile(bare, percent) * 1e3, percentile(boxed, percent) * 1e3
            yield Measurement(
                f"sandboxed run / posix_spawn of a program that exits, p{percent}",
                boxed_ms / bare_ms,
                goal,
                detail=f"{boxed_ms:.2f} ms / {bare_ms:.2f} ms, {RUNS} runs each",
            )
        spinning = _compile(Path(folder), "spinning", SPINS)
        one = _throughput(spinning, 1)
        all_cores = _throughput(spinning, cores)
        yield Measurement(
            f"throughput with {cores} workers / ({cores} x one worker)",
            all_cores / (cores * one),
            0.85,
            higher_is_better=True,
            detail=f"{all_cores:.0f}/s and {one:.0f}/s, {SPINNING_RUNS} runs each",
        )


def _compile(folder: Path, name: str, source: str) -> Path:
    """With the flags that submissions are compiled with, outside a sandbox: the source is ours."""
    path = folder / f"{name}.rs"
    path.write_text(source)
    program = folder / name
    rustc = toolchain.load(toolchain.builtin("rust")).compile_mounts["/toolchain/bin/rustc"]
    command: list[str | Path] = [
        rustc,
        "--edition",
        "2021",
        "-O",
        "-C",
        "target-feature=+crt-static",
        "-o",
        program,
        path,
    ]
    subprocess.run(command, check=True)
    return program


def _spawn(program: Path) -> float:
    began = time.perf_counter()
    os.waitpid(os.posix_spawn(program, [str(program)], {}), 0)
    return time.perf_counter() - began


def _boxed_runs(program: Path) -> Iterator[float]:
    with _sandbox(program, scorer_launcher.Slots(1)) as sandbox:
        for _ in range(RUNS):
            began = time.perf_counter()
            sandbox.run(["/program"], limits=LIMITS)
            yield time.perf_counter() - began


def _throughput(program: Path, workers: int) -> float:
    """Runs a second, of a program that computes for about 20 ms, as a contest's test does."""
    with _sandbox(program, scorer_launcher.Slots(workers)) as sandbox:
        each = SPINNING_RUNS // workers

        def work() -> None:
            for _ in range(each):
                result = sandbox.run(["/program"], limits=LIMITS)
                assert result.exit_code == 0, result.termination

        threads = [threading.Thread(target=work) for _ in range(workers)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return each * workers / (time.perf_counter() - began)


def _sandbox(program: Path, slots: scorer_launcher.Slots) -> scorer_launcher.Sandbox:
    return scorer_launcher.Sandbox(
        mounts=[scorer_launcher.Mount(str(program), "/program")], slots=slots, environment={}
    )
