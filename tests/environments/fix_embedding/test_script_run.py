"""A submitted script: what it prints, what it leaves, and that it stands still while somebody measures."""

import asyncio
import dataclasses
from typing import Any

import pytest
from scorer_launcher import Termination

from scorer_service.worker import script_run
from scorer_service.worker.script_run import ScriptBudget, ScriptResult
from tests.environments.fix_embedding.conftest import Rig

BUDGET = ScriptBudget(
    wall_limit_s=60.0, place_count=2, memory_limit_bytes=1 << 30, scratch_limit_bytes=64 << 20
)


def run(rig: Rig, text: str, lines: list[str] | None = None, **changes: Any) -> ScriptResult:
    return rig.run(running(rig, text, lines if lines is not None else [], **changes))


async def running(rig: Rig, text: str, lines: list[str], **changes: Any) -> ScriptResult:
    arguments: dict[str, Any] = {
        "argv": ("script", "/work/train.py"),
        "files": {"train.py": text.encode()},
        "budget": BUDGET,
        "collect": {"out": 100},
        "on_line": lines.append,
    }
    return await script_run.run_script(rig.device, **(arguments | changes))


@pytest.mark.parametrize(
    ("line", "progress"),
    [
        ("120/600", (120, 600, "steps")),
        ("  120 / 600 windows, loss 4.2", (120, 600, "windows")),
        ("600/600: done", (600, 600, "done")),
        ("0/0", (0, 0, "steps")),
        ("601/600 steps", None),
        ("-1/600", None),
        ("1.5/2", None),
        ("loss 1/2", None),
        ("1/2" + "0" * 40, None),
        ("", None),
    ],
)
def test_lines_that_say_how_far_it_is(line: str, progress: tuple[int, int, str] | None) -> None:
    assert script_run.progress_of(line) == progress


def test_a_script_runs_as_main_in_its_folder_with_a_thread_for_each_core(rig: Rig) -> None:
    result = run(
        rig,
        "import os, sys, torch\n"
        "print(__name__, __file__, os.getcwd(), sys.argv, sys.path[-1])\n"
        "print(torch.get_num_threads() == len(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'])\n"
        "print('to stderr', file=sys.stderr)\n"
        "import atexit; atexit.register(print, 'at the end')\n"
        "import threading; threading.Thread(target=print, args=('from a thread',)).start()\n"
        "open('out', 'w').write('left')",
    )
    assert result.succeeded, result
    cores = min(2, rig.backend.slot_count)
    assert result.output_tail.splitlines() == [
        "__main__ /work/train.py /work ['/work/train.py'] /work",
        f"True {cores}",
        "to stderr",
        "from a thread",
        "at the end",
    ]
    assert result.files == {"out": b"left"}


@pytest.mark.parametrize(
    ("text", "code", "printed"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('a reason')", 1, "a reason\n"),
        ("raise SystemExit", 0, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
    ],
)
def test_the_exit_code_is_the_scripts(rig: Rig, text: str, code: int, printed: str) -> None:
    result = run(rig, text)
    assert (result.termination, result.exit_code) == (Termination.EXITED, code)
    assert result.output_tail.endswith(printed)


def test_of_a_flood_the_end_is_kept_and_some_lines_are_seen(rig: Rig) -> None:
    lines: list[str] = []
    result = run(rig, "for n in range(200_000):\n    print(n, 'x' * 20)", lines)
    assert result.succeeded
    assert len(result.output_tail.encode()) <= script_run.TAIL_LIMIT_BYTES
    assert result.output_tail.endswith(f"199999 {'x' * 20}\n")
    assert 0 < len(lines) < 20_000


def test_an_endless_line_takes_no_memory(rig: Rig) -> None:
    lines: list[str] = []
    result = run(rig, "import os\nfor _ in range(100):\n    os.write(1, b'\\xff' * 20_000)\nprint()", lines)
    assert result.succeeded
    assert len(result.output_tail.encode()) <= script_run.TAIL_LIMIT_BYTES
    assert all(len(line) <= 400 for line in lines)


def test_files_that_are_too_large_or_no_files_are_refused(rig: Rig) -> None:
    large = run(rig, "open('out', 'w').write('x' * 101)")
    link = run(rig, "import os; os.symlink('train.py', 'out')")
    assert (large.files, link.files) == ({}, {})
    assert set(large.refused_files) == set(link.refused_files) == {"out"}


def test_it_stands_still_while_somebody_measures(rig: Rig) -> None:
    """And that time does not count."""
    measured_s = 1.5

    async def measure_meanwhile() -> ScriptResult:
        lines: list[str] = []
        began = asyncio.Event()
        script = asyncio.create_task(
            running(
                rig,
                "import time\n"
                # Before it says so: it may be frozen as soon as it has.
                "before, longest = time.monotonic(), 0\n"
                "print('began')\n"
                "while longest < 1.4:\n"
                "    now = time.monotonic()\n"
                "    longest, before = max(longest, now - before), now\n"
                "    time.sleep(0.001)\n"
                "print('stood still for', longest)",
                lines,
                on_line=lambda line: began.set(),
                # Whoever measures waits for other servers of this machine.
                budget=dataclasses.replace(BUDGET, wall_limit_s=170.0),
            )
        )
        await began.wait()
        async with rig.device.gate.exclusive():
            # What is waited for is that nothing happens.
            await asyncio.sleep(measured_s)
        return await script

    result = rig.run(measure_meanwhile())
    assert result.succeeded, result
    assert float(result.output_tail.split()[-1]) >= measured_s - 0.1
