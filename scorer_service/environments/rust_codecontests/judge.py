"""Judging a submission: its programs side by side, so that one compiles while others run."""

import asyncio
from collections.abc import Callable
from typing import Any

from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments import submitted_source
from scorer_service.environments.interface import JudgingFailed, Outcome, StageContext, Verdict
from scorer_service.environments.rust_codecontests import (
    exclusion,
    problem,
    problem_set,
    program_judge,
)


class SubmissionJudge:
    """Judges whole submissions against one problem set. Used from one event loop."""

    def __init__(
        self,
        programs: program_judge.ProgramJudge,
        problems: problem_set.ProblemSet,
        compile_profile: str,
        slot_count: int,
        environment_details: dict[str, Any],
    ) -> None:
        self._programs = programs
        self._problems = problems
        self._compile_profile = compile_profile
        # One more program than places: while it is compiled or its tests are read, every place has work.
        self._at_once = slot_count + 1
        self._environment_details = environment_details
        self._exclusion = exclusion.Exclusion()

    async def judge(
        self, request: rust_codecontests_pb2.ScoreRustCodecontestsRequest, context: StageContext
    ) -> Outcome:
        """Judge every program. Raises JudgingFailed, WorkerDied; cancelling kills what runs, and waits."""
        places = asyncio.Semaphore(self._at_once)
        total = len(request.programs)
        done = 0
        context.report(0, total, "problems")

        async def judge_one(
            program: rust_codecontests_pb2.RustProgram,
        ) -> program_judge.ProgramOutcome:
            nonlocal done
            async with places, self._exclusion.beside():
                outcome = await self._judge_program(program, context)
            done += 1
            context.report(done, total, "problems")
            return outcome

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(judge_one(program)) for program in request.programs]
            outcomes = [task.result() for task in tasks]
            await self._show_public_failures(request, context, outcomes)
        except* JudgingFailed as failures:
            first = failures.exceptions[0]
            raise first from first.__cause__  # which says what kind of failure it is
        return self._outcome(outcomes)

    async def _show_public_failures(
        self,
        request: rust_codecontests_pb2.ScoreRustCodecontestsRequest,
        context: StageContext,
        outcomes: list[program_judge.ProgramOutcome],
    ) -> None:
        """Fill in what the agent is shown of public tests that failed, from runs beside nothing hidden."""
        places = asyncio.Semaphore(self._at_once)

        async def show(
            program: rust_codecontests_pb2.RustProgram, outcome: program_judge.ProgramOutcome
        ) -> None:
            async with places:
                arguments = await self._arguments(program, context)
                failure = await self._programs.show_public_failure(*arguments, outcome.failed_public_test)
            outcome.result.public_failure.CopyFrom(failure)

        failed = [pair for pair in zip(request.programs, outcomes, strict=True) if pair[1].failed_public_test]
        if failed:
            async with self._exclusion.alone(), asyncio.TaskGroup() as group:
                for program, outcome in failed:
                    group.create_task(show(program, outcome))

    async def _judge_program(
        self, program: rust_codecontests_pb2.RustProgram, context: StageContext
    ) -> program_judge.ProgramOutcome:
        return await self._programs.judge(*await self._arguments(program, context))

    async def _arguments(
        self, program: rust_codecontests_pb2.RustProgram, context: StageContext
    ) -> tuple[bytes, str, problem.Problem, Callable[[], problem.ProblemContent]]:
        problem_id = program.problem_id
        judged = self._problems.problems.get(problem_id)
        if judged is None:
            raise JudgingFailed(f"problem {problem_id!r} is not in this set; was the set changed meanwhile?")
        source = await submitted_source.read_source(program.source, context)
        return source, self._compile_profile, judged, lambda: self._problems.read(problem_id)

    def _outcome(self, outcomes: list[program_judge.ProgramOutcome]) -> Outcome:
        solved = sum(outcome.solved for outcome in outcomes)
        built = sum(outcome.built for outcome in outcomes)
        problem_count = len(self._problems)
        response = rust_codecontests_pb2.ScoreRustCodecontestsResponse(
            problems=[outcome.result for outcome in outcomes],
            problem_count=problem_count,
            solved_count=solved,
        )
        details = {**self._environment_details, "problems": [outcome.details for outcome in outcomes]}
        if not built:
            summary = f"None of the {len(outcomes)} programs compiles."
            return Outcome(Verdict.BUILD_ERROR, None, summary, response, details)
        broken = len(outcomes) - built
        also = f"; {broken} of {len(outcomes)} programs do not compile" if broken else ""
        summary = f"Solved {solved} of {problem_count} problems{also}."
        return Outcome(Verdict.SCORED, solved / problem_count, summary, response, details)
