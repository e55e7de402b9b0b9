"""Results of scorings."""

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta

from scorer.v1 import result_pb2, rust_codecontests_pb2, triton_cumsum_pb2

from scorer_client._reading import duration_of, enum_member, time_of


class Verdict(enum.Enum):
    """The outcome of a scoring as a whole."""

    SCORED = "scored"
    """Measured; there is a score."""
    BUILD_ERROR = "build_error"
    """No part of the submission compiled, loaded or exported."""
    INCORRECT = "incorrect"
    """An output was not right."""
    RULE_BROKEN = "rule_broken"
    """A rule of the environment was broken."""
    LIMIT_OR_CRASH = "limit_or_crash"
    """The submission crashed, or passed a limit of time, memory, output or processes."""
    UNSTABLE = "unstable"
    """Measured, but too unsteady to be ranked."""
    IMPLAUSIBLE = "implausible"
    """Better than what is physically or statistically possible."""
    HIDDEN = "hidden"
    """The attempt's policy hides results."""
    UNKNOWN = "unknown"
    """A verdict that this version of the client does not know."""


class ProblemVerdict(enum.Enum):
    """What became of a program."""

    ACCEPTED = "accepted"
    """Right on every test, within all limits."""
    COMPILE_ERROR = "compile_error"
    """rustc refused it, made no program, or passed a limit."""
    WRONG_ANSWER = "wrong_answer"
    """It ended well, with an output that is not right."""
    CPU_TIME_LIMIT = "cpu_time_limit"
    """It used more CPU time than the problem's limit."""
    WALL_TIME_LIMIT = "wall_time_limit"
    """It took longer than the wall limit without using its CPU time."""
    MEMORY_LIMIT = "memory_limit"
    """It used more memory than the problem's limit."""
    OUTPUT_LIMIT = "output_limit"
    """It wrote more than the output limit."""
    PROCESS_LIMIT = "process_limit"
    """It started more processes or threads than allowed."""
    RUNTIME_ERROR = "runtime_error"
    """It ended by a signal or with an exit code other than 0."""
    UNKNOWN = "unknown"
    """A verdict that this version of the client does not know."""


@dataclass(frozen=True)
class Score:
    """A measured number."""

    raw: float
    """In the unit of the environment, see `Environment.raw_score_unit`."""
    normalized: float | None
    """0 is the starting solution, 1 the reference solution; None where the server has no anchors."""


@dataclass(frozen=True)
class PublicTestFailure:
    """A public test that failed. Each of its texts is cut after 4 KiB."""

    test_number: int
    """Counted from 1, in the order of the statement."""
    input: bytes
    """What the program read."""
    expected: bytes
    """The expected output."""
    output: bytes
    """What the program wrote."""
    stderr: bytes
    """What the program wrote to standard error."""
    ending: str
    """Exit code or signal, in words."""


@dataclass(frozen=True)
class ProblemResult:
    """What became of one program."""

    problem_id: str
    """As in the request."""
    verdict: ProblemVerdict
    """The first cause of failure in the order of the tests, or accepted."""
    compiler_output: str
    """The compiler's messages after a compile error; empty otherwise."""
    public_failure: PublicTestFailure | None
    """The first public test that failed, where one did."""


@dataclass(frozen=True)
class RustCodecontestsResult:
    """The result of one scoring of rust_codecontests. Raw score: problems solved / problems of the set."""

    job_id: str
    """The job that made it."""
    request_id: str
    """With it the same call returns this result again."""
    verdict: Verdict
    """The outcome. SCORED also where nothing was solved."""
    score: Score | None
    """None unless the verdict is SCORED: there is no default number."""
    summary: str
    """One sentence for a person."""
    accepted_at: datetime
    """When the job was accepted, UTC."""
    finished_at: datetime
    """When it was judged, UTC."""
    queued: timedelta
    """Time in the queue."""
    profile: str
    """The profile under which it was judged, `embedded` or `paper`."""
    problems: tuple[ProblemResult, ...]
    """One for each program, in the order of the request; empty where results are hidden."""
    problem_count: int
    """How many problems the set has (the divisor of the raw score)."""
    solved_count: int
    """How many were solved; 0 where results are hidden."""


@dataclass(frozen=True)
class KernelTiming:
    """The distribution of a kernel's time over its trials, by the server's clock."""

    median_ms: float
    """Median, in milliseconds; the raw score is its natural logarithm."""
    lower_ms: float
    """Lower end of the 95 % confidence interval of the median, in milliseconds."""
    upper_ms: float
    """Upper end of it, in milliseconds."""
    trial_count: int
    """How many calls were timed."""
    element_count: int
    """How many elements each of them had."""


@dataclass(frozen=True)
class TritonCumsumResult:
    """The result of one scoring of triton_cumsum. Raw score: ln(milliseconds), lower is better."""

    job_id: str
    """The job that made it."""
    request_id: str
    """With it the same call returns this result again."""
    verdict: Verdict
    """The outcome."""
    score: Score | None
    """None unless the verdict is SCORED: there is no default number."""
    summary: str
    """One sentence for a person."""
    accepted_at: datetime
    """When the job was accepted, UTC."""
    finished_at: datetime
    """When it was judged, UTC."""
    queued: timedelta
    """Time in the queue."""
    profile: str
    """The profile under which it was judged, `embedded` or `paper`."""
    timing: KernelTiming | None
    """None unless the verdict is SCORED or UNSTABLE."""
    diagnostics: str
    """What is wrong, as far as no hidden data is involved; empty for nothing."""
    compile_time: timedelta | None
    """Time of the first call, with compilation and autotuning, which is not part of the score; None where it
    came to none."""
    device: str
    """`cpu` (Triton's interpreter) or the name of the GPU; empty where results are hidden."""


def read_verdict(number: int) -> Verdict:
    """The verdict of that number in the contract."""
    return enum_member(Verdict, result_pb2.Verdict.DESCRIPTOR, "VERDICT_", number)


def read_score(score: result_pb2.Score) -> Score:
    """The score of a message that has one."""
    return Score(score.raw, score.normalized if score.HasField("normalized") else None)


def read_rust_codecontests_result(
    response: rust_codecontests_pb2.ScoreRustCodecontestsResponse, request_id: str
) -> RustCodecontestsResult:
    """The response to ScoreRustCodecontests."""
    result = response.result
    return RustCodecontestsResult(
        job_id=result.job_id,
        request_id=request_id,
        verdict=read_verdict(result.verdict),
        score=read_score(result.score) if result.HasField("score") else None,
        summary=result.summary,
        accepted_at=time_of(result.accepted_at),
        finished_at=time_of(result.finished_at),
        queued=duration_of(result.queued),
        profile=result.profile,
        problems=tuple(_read_problem(problem) for problem in response.problems),
        problem_count=response.problem_count,
        solved_count=response.solved_count,
    )


def _read_problem(problem: rust_codecontests_pb2.ProblemResult) -> ProblemResult:
    failure = problem.public_failure
    return ProblemResult(
        problem_id=problem.problem_id,
        verdict=enum_member(
            ProblemVerdict,
            rust_codecontests_pb2.ProblemVerdict.DESCRIPTOR,
            "PROBLEM_VERDICT_",
            problem.verdict,
        ),
        compiler_output=problem.compiler_output,
        public_failure=PublicTestFailure(
            test_number=failure.test_number,
            input=failure.input,
            expected=failure.expected,
            output=failure.output,
            stderr=failure.stderr,
            ending=failure.ending,
        )
        if problem.HasField("public_failure")
        else None,
    )


def read_triton_cumsum_result(
    response: triton_cumsum_pb2.ScoreTritonCumsumResponse, request_id: str
) -> TritonCumsumResult:
    """The response to ScoreTritonCumsum."""
    result = response.result
    timing = response.timing
    return TritonCumsumResult(
        job_id=result.job_id,
        request_id=request_id,
        verdict=read_verdict(result.verdict),
        score=read_score(result.score) if result.HasField("score") else None,
        summary=result.summary,
        accepted_at=time_of(result.accepted_at),
        finished_at=time_of(result.finished_at),
        queued=duration_of(result.queued),
        profile=result.profile,
        timing=KernelTiming(
            timing.median_ms, timing.lower_ms, timing.upper_ms, timing.trial_count, timing.element_count
        )
        if response.HasField("timing")
        else None,
        diagnostics=response.diagnostics,
        compile_time=duration_of(response.compile_time) if response.HasField("compile_time") else None,
        device=response.device,
    )
