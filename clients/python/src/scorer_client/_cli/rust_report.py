"""The result of rust_codecontests for a person: a table of verdicts, then what is told of each failure."""

from collections.abc import Iterator

from scorer_client._cli.terminal import coloured, indented, printable, table
from scorer_client._cli.verdict_words import ending_lines, verdict_words
from scorer_client._results import ProblemResult, ProblemVerdict, RustCodecontestsResult


def report(result: RustCodecontestsResult, *, colour: bool) -> str:
    """All of it, as text."""
    return "\n".join(_lines(result, colour=colour))


def _lines(result: RustCodecontestsResult, *, colour: bool) -> Iterator[str]:
    if result.problems:
        # Coloured after the table is laid out: escapes have no width.
        header, *rows = table(
            ("problem", "verdict", "first failed public test"), [_row(problem) for problem in result.problems]
        ).split("\n")
        yield header
        for problem, row in zip(result.problems, rows, strict=True):
            solved = problem.verdict is ProblemVerdict.ACCEPTED
            yield coloured(row, "green" if solved else "red", wanted=colour)
        yield ""
    for problem in result.problems:
        yield from _failure_lines(problem, colour=colour)
    yield from ending_lines(result, colour=colour)


def _row(problem: ProblemResult) -> tuple[str, str, str]:
    failure = problem.public_failure
    return (
        problem.problem_id,
        verdict_words(problem.verdict.value),
        f"{failure.test_number}: {failure.ending}" if failure else "",
    )


def _failure_lines(problem: ProblemResult, *, colour: bool) -> Iterator[str]:
    name = printable(problem.problem_id)
    if problem.compiler_output:
        yield coloured(f"{name}: the compiler says", "bold", wanted=colour)
        yield indented(problem.compiler_output)
        yield ""
    failure = problem.public_failure
    if failure is not None:
        title = f"{name}: {verdict_words(problem.verdict.value)} on public test {failure.test_number}"
        yield coloured(f"{title} ({printable(failure.ending)})", "bold", wanted=colour)
        for label, content in (
            ("input", failure.input),
            ("expected", failure.expected),
            ("output", failure.output),
            ("stderr", failure.stderr),
        ):
            if content or label in ("expected", "output"):
                yield f"  {label}:"
                yield indented(content) if content else "    (nothing)"
        yield ""
