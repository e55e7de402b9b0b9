"""From how a run ended to the verdict on a program, and to words."""

import signal

import scorer_launcher
from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.rust_codecontests import problem

ProblemVerdict = rust_codecontests_pb2.ProblemVerdict

_OF_LIMIT = {
    scorer_launcher.Termination.OUTPUT_LIMIT: rust_codecontests_pb2.PROBLEM_VERDICT_OUTPUT_LIMIT,
    scorer_launcher.Termination.MEMORY_LIMIT: rust_codecontests_pb2.PROBLEM_VERDICT_MEMORY_LIMIT,
    scorer_launcher.Termination.CPU_TIME_LIMIT: rust_codecontests_pb2.PROBLEM_VERDICT_CPU_TIME_LIMIT,
    scorer_launcher.Termination.WALL_TIME_LIMIT: rust_codecontests_pb2.PROBLEM_VERDICT_WALL_TIME_LIMIT,
    scorer_launcher.Termination.PROCESS_LIMIT: rust_codecontests_pb2.PROBLEM_VERDICT_PROCESS_LIMIT,
}


def of_test(result: scorer_launcher.RunResult, accepted: bool) -> "ProblemVerdict.ValueType":
    """The verdict of one test."""
    if result.termination in _OF_LIMIT:
        return _OF_LIMIT[result.termination]
    if result.termination is not scorer_launcher.Termination.EXITED or result.exit_code != 0:
        return rust_codecontests_pb2.PROBLEM_VERDICT_RUNTIME_ERROR
    if accepted:
        return rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED
    return rust_codecontests_pb2.PROBLEM_VERDICT_WRONG_ANSWER


def in_words(result: scorer_launcher.RunResult, judged: problem.Problem) -> str:
    """How a run ended, with the limit where one was passed."""
    ending = result.termination
    if ending is scorer_launcher.Termination.CPU_TIME_LIMIT:
        return f"stopped at the limit of {judged.time_limit_s:g} s of CPU time"
    if ending is scorer_launcher.Termination.WALL_TIME_LIMIT:
        return f"stopped after {judged.wall_limit_s:g} s, of which it computed {result.cpu_s:.2f} s"
    if ending is scorer_launcher.Termination.MEMORY_LIMIT:
        return f"stopped at the limit of {judged.memory_limit_bytes / (1 << 20):g} MiB of memory"
    if ending is scorer_launcher.Termination.OUTPUT_LIMIT:
        return f"stopped at the limit of {judged.output_limit_bytes} bytes of output"
    if ending is scorer_launcher.Termination.PROCESS_LIMIT:
        return "stopped at the limit of processes and threads"
    if ending is scorer_launcher.Termination.SIGNALED:
        number = result.signal or 0
        known = {member.value: member.name for member in signal.Signals}
        return f"signal {number} ({known.get(number, 'unknown')})"
    return f"exit code {result.exit_code}"


def short_name(verdict: "ProblemVerdict.ValueType") -> str:
    """As in "wrong_answer"."""
    return ProblemVerdict.Name(verdict).removeprefix("PROBLEM_VERDICT_").lower()
