"""`scorer-client score triton_cumsum`: one Python file with a function `prefix_sum`."""

import argparse
from pathlib import Path

from scorer_client._cli import scoring, triton_report
from scorer_client._cli.score import ScoreCommand
from scorer_client._cli.source_file import read_source_text
from scorer_client._results import TritonCumsumResult
from scorer_client._sync import ScorerClient


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", type=Path, metavar="FILE", help="Python with a function prefix_sum(x), as in solution.py"
    )


def _read(arguments: argparse.Namespace) -> scoring.Call[TritonCumsumResult]:
    source = read_source_text(arguments.path)

    def call(client: ScorerClient, options: scoring.CallOptions) -> TritonCumsumResult:
        return client.score_triton_cumsum(
            source,
            attempt_id=options.attempt_id,
            request_id=options.request_id,
            timeout=options.timeout,
            on_progress=options.on_progress,
        )

    return call


COMMAND = ScoreCommand(
    description="Scores a kernel for prefix sums by its time on the server's device.",
    add_arguments=_add_arguments,
    read=_read,
    report=triton_report.report,
)
