"""Runs a submitted script, and tells its author how far it is and its evaluator what it took."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import scorer_launcher

from scorer_service.environments.interface import WorkerDied
from scorer_service.worker import script_run
from scorer_service.worker.device_access import DeviceAccess
from scorer_service.worker.script_run import ScriptBudget, ScriptResult


async def run(
    device: DeviceAccess,
    argv: Sequence[str],
    files: Mapping[str, bytes],
    budget: ScriptBudget,
    collect: Mapping[str, int],
    report: Callable[[int, int, str], None],
) -> ScriptResult:
    """As `script_run.run_script`; lines that tell progress are reported. Raises WorkerDied."""

    def on_line(line: str) -> None:
        progress = script_run.progress_of(line)
        if progress is not None:
            report(*progress)

    try:
        return await script_run.run_script(
            device, argv=argv, files=files, budget=budget, collect=collect, on_line=on_line
        )
    except scorer_launcher.SandboxError as error:
        raise WorkerDied(f"the sandbox of a {argv[0]} failed: {error}") from error


def facts(result: ScriptResult) -> Mapping[str, Any]:
    """For the evaluator."""
    return {
        "ending": result.ending,
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "peak_memory_bytes": result.peak_memory_bytes,
    }
