"""What a request may hold: checked before it is accepted."""

import difflib
from collections.abc import Iterator, Mapping

from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.interface import FieldViolation, InvalidSubmission
from scorer_service.environments.rust_codecontests import problem
from scorer_service.environments.submitted_source import SourceRules

INLINE_SOURCE_LIMIT_BYTES = 256 << 10
"""Some hundred small sources still fit a message, which is 4 MiB at most."""
SOURCE_LIMIT_BYTES = 1 << 20
"""Far above any program that a person writes for a contest; a table of answers does not get far in it."""
_RULES = SourceRules("program", "Rust", INLINE_SOURCE_LIMIT_BYTES, SOURCE_LIMIT_BYTES)


def validate(
    request: rust_codecontests_pb2.ScoreRustCodecontestsRequest, problems: Mapping[str, problem.Problem]
) -> None:
    """Raises InvalidSubmission with everything that is wrong."""
    violations = list(_violations(request, problems))
    if violations:
        raise InvalidSubmission(violations)


def _violations(
    request: rust_codecontests_pb2.ScoreRustCodecontestsRequest, problems: Mapping[str, problem.Problem]
) -> Iterator[FieldViolation]:
    if not request.programs:
        yield FieldViolation("programs", "is empty; send at least one program")
    seen: dict[str, int] = {}
    for index, program in enumerate(request.programs):
        path = f"programs[{index}]"
        problem_id = program.problem_id
        if problem_id not in problems:
            yield FieldViolation(f"{path}.problem_id", _unknown(problem_id, problems))
        elif problem_id in seen:
            yield FieldViolation(
                f"{path}.problem_id",
                f"{problem_id!r} is the problem of programs[{seen[problem_id]}] as well; send one for each",
            )
        seen.setdefault(problem_id, index)
        fault = _RULES.fault(program.source)
        if fault:
            yield FieldViolation(f"{path}.source", fault)


def _unknown(problem_id: str, problems: Mapping[str, problem.Problem]) -> str:
    shown = problem_id if len(problem_id) <= 80 else f"{problem_id[:77]}..."
    close = " or ".join(map(repr, difflib.get_close_matches(problem_id, problems, n=3)))
    meant = f" Did you mean {close}?" if close else ""
    way_out = "`scorer-client starter rust_codecontests FOLDER` fetches all"
    return f"there is no problem {shown!r} in this set.{meant} {way_out}"
