"""What an agent starts from: instructions, statements, public tests, stubs and a local checker."""

import json
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scorer_service.environments.interface import EnvironmentDescription, StarterFile
from scorer_service.environments.rust_codecontests import problem, problem_set
from scorer_service.sandbox import toolchain

_FILES = Path(__file__).parent / "starter_files"
# The linker's path is that of the sandbox.
_SANDBOX_FLAGS = ("linker=/usr/bin/cc",)


def files(
    problems: problem_set.ProblemSet,
    compiling: toolchain.CompileProfile,
    description: EnvironmentDescription,
) -> list[StarterFile]:
    """All files. Reads every problem; blocks."""
    listing: list[dict[str, Any]] = []
    rows: list[str] = []
    made: list[StarterFile] = []
    for listed in problems.problems.values():
        content = problems.read(listed.problem_id)
        made += _of_problem(listed, content)
        listing.append(_entry(listed))
        rows.append(_table_row(listed, content))
    flags = _flags(compiling)
    index = json.dumps({"rustc_flags": flags, "problems": listing}, indent=1) + "\n"
    instructions = string.Template((_FILES / "INSTRUCTIONS.md").read_text()).substitute(
        problem_count=len(listing),
        compile_command=" ".join(["rustc", *flags, "solution.rs"]),
        compile_limits=(
            f"{compiling.cpu_limit_s:g} s of CPU time, {compiling.wall_limit_s:g} s in all and"
            f" {compiling.memory_limit_bytes >> 20} MiB of memory"
        ),
        wall_rule="It may take twice its CPU time and a second in all.",
        example_id=listing[0]["id"],
        inline_limit=f"{description.inline_source_limit_bytes >> 10} KiB",
        source_limit=f"{description.source_limit_bytes >> 10} KiB",
        problem_table="\n".join(
            ["| id | name | rating | CPU time | memory |", "|---|---|---|---|---|", *rows]
        ),
    )
    return [
        StarterFile("INSTRUCTIONS.md", instructions.encode()),
        StarterFile("check.py", (_FILES / "check.py").read_bytes(), executable=True),
        StarterFile("problems.json", index.encode()),
        *made,
    ]


def _of_problem(listed: problem.Problem, content: problem.ProblemContent) -> Iterator[StarterFile]:
    folder = f"problems/{listed.problem_id}"
    yield StarterFile(f"{folder}/statement.md", _statement(listed, content).encode())
    for number, test in enumerate(content.public_tests, 1):
        yield StarterFile(f"{folder}/{number}.in", test.stdin)
        yield StarterFile(f"{folder}/{number}.out", test.expected)
    if content.validator_source:
        yield StarterFile(f"{folder}/validator.rs", content.validator_source.encode())
    yield StarterFile(f"solutions/{listed.problem_id}.rs", (_FILES / "solution.rs").read_bytes())


def _statement(listed: problem.Problem, content: problem.ProblemContent) -> str:
    facts = [
        f"CPU time limit: {listed.time_limit_s:g} s a test",
        f"Memory limit: {listed.memory_limit_bytes / (1 << 20):g} MiB",
        f"Input: {f'the file `{listed.input_file}`' if listed.input_file else 'standard input'}",
        f"Output: {f'the file `{listed.output_file}`' if listed.output_file else 'standard output'}",
        f"Checker: {_checker_in_words(listed.checker)}",
    ]
    title = "" if content.statement.lstrip().startswith("# ") else f"# {listed.name}\n\n"
    return f"{title}{content.statement.rstrip()}\n\n---\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def _checker_in_words(checker: problem.CheckerSpec) -> str:
    if checker.kind == "special":
        return "several answers are right; `validator.rs` decides"
    if checker.kind == "exact":
        return "the output must be the expected one, but for white space at its end"
    if checker.kind == "floats":
        return f"numbers may differ by {checker.absolute:g} absolute or {checker.relative:g} relative"
    words = "token by token"
    if checker.kind == "unordered_lines":
        words = "the lines in any order, each token by token"
    return f"{words}; decimals may differ by 1e-5, absolute or relative" if checker.decimals else words


def _entry(listed: problem.Problem) -> dict[str, Any]:
    checker: dict[str, Any] = {"kind": listed.checker.kind}
    if listed.checker.kind == "floats":
        checker |= {"absolute": listed.checker.absolute, "relative": listed.checker.relative}
    elif listed.checker.kind in ("tokens", "unordered_lines"):
        checker |= {"decimals": listed.checker.decimals}
    return {
        "id": listed.problem_id,
        "name": listed.name,
        "time_limit_s": listed.time_limit_s,
        "wall_limit_s": listed.wall_limit_s,
        "memory_limit_bytes": listed.memory_limit_bytes,
        "input_file": listed.input_file,
        "output_file": listed.output_file,
        "public_tests": listed.public_count,
        "checker": checker,
    }


def _table_row(listed: problem.Problem, content: problem.ProblemContent) -> str:
    cells = [
        f"`{listed.problem_id}`",
        listed.name.replace("|", "\\|"),
        str(content.facts.get("cf_rating") or ""),
        f"{listed.time_limit_s:g} s",
        f"{listed.memory_limit_bytes / (1 << 20):g} MiB",
    ]
    return f"| {' | '.join(cells)} |"


def _flags(compiling: toolchain.CompileProfile) -> Sequence[str]:
    """The compiler's flags without its files and what only a sandbox has."""
    flags: list[str] = []
    arguments = iter(compiling.argv[1:])
    for argument in arguments:
        if argument in ("-o", "-C"):
            value = next(arguments)
            if argument == "-o" or value in _SANDBOX_FLAGS:
                continue
            flags += [argument, value]
        elif not argument.endswith(".rs"):
            flags.append(argument)
    return flags
