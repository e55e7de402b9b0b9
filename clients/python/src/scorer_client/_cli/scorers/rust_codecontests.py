"""`scorer-client score rust_codecontests`: programs from a folder, a JSON Lines file, or one file."""

import argparse
from pathlib import Path

from scorer_client._cli import rust_report, scoring
from scorer_client._cli.rust_programs import read_programs
from scorer_client._cli.score import ScoreCommand
from scorer_client._results import RustCodecontestsResult
from scorer_client._sync import ScorerClient


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        type=Path,
        metavar="PATH",
        help="a folder of <problem id>.rs; or a JSON Lines file, each line with problem_id and source; or "
        "one file, with --problem",
    )
    parser.add_argument("--problem", metavar="ID", help="PATH is the program for this problem")


def _read(arguments: argparse.Namespace) -> scoring.Call[RustCodecontestsResult]:
    programs = read_programs(arguments.path, arguments.problem)

    def call(client: ScorerClient, options: scoring.CallOptions) -> RustCodecontestsResult:
        return client.score_rust_codecontests(
            programs,
            attempt_id=options.attempt_id,
            request_id=options.request_id,
            timeout=options.timeout,
            on_progress=options.on_progress,
        )

    return call


COMMAND = ScoreCommand(
    description="Scores Rust programs, one a contest problem, by the share of problems that they solve.",
    add_arguments=_add_arguments,
    read=_read,
    report=rust_report.report,
)
