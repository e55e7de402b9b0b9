"""Runs a submitted script: how far it is, what it took, and why it has left nothing to judge."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import scorer_launcher

from scorer_service.environments.interface import Verdict, WorkerDied
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


def fault(
    result: ScriptResult, what: str, weights_file: str, judges_after_budget: bool
) -> tuple[Verdict, str] | None:
    """Why there are no weights of `what` (as in "repair script") to judge; None where there are."""
    out_of_time = result.termination is scorer_launcher.Termination.WALL_TIME_LIMIT
    if not result.succeeded and not (out_of_time and judges_after_budget):
        return verdict_of_end(result), f"The {what} {result.ending}."
    if weights_file in result.refused_files:
        reason = result.refused_files[weights_file]
        return Verdict.RULE_BROKEN, f"{weights_file} of the {what} is refused: {reason}."
    if weights_file in result.files:
        return None
    if out_of_time:
        return Verdict.LIMIT_OR_CRASH, f"The {what} {result.ending}, and had saved no {weights_file}."
    return Verdict.BUILD_ERROR, f"The {what} left no file {weights_file}."


def note(result: ScriptResult, what: str) -> str:
    """A sentence for the summary of a score; empty where it came to its own end."""
    return "" if result.succeeded else f"The {what} {result.ending}; its last saved file was judged."


def verdict_of_end(result: ScriptResult) -> Verdict:
    """Of one that failed."""
    exited = result.termination is scorer_launcher.Termination.EXITED
    return Verdict.BUILD_ERROR if exited else Verdict.LIMIT_OR_CRASH
