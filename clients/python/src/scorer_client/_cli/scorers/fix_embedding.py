"""`scorer-client score fix_embedding`: repaired weights, or a script that repairs them."""

import argparse
from pathlib import Path

from scorer_client._cli import model_report, scoring
from scorer_client._cli.score import ScoreCommand
from scorer_client._cli.source_file import read_source_text
from scorer_client._model_results import FixEmbeddingResult
from scorer_client._sync import ScorerClient


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "path",
        type=Path,
        nargs="?",
        metavar="WEIGHTS",
        help="safetensors with the names and shapes of the starter's damaged model",
    )
    source.add_argument(
        "--repair", type=Path, metavar="FILE", help="Python that writes such a file, within the budget"
    )


def _read(arguments: argparse.Namespace) -> scoring.Call[FixEmbeddingResult]:
    repair_script = None if arguments.repair is None else read_source_text(arguments.repair)

    def call(client: ScorerClient, options: scoring.CallOptions) -> FixEmbeddingResult:
        return client.score_fix_embedding(
            weights=arguments.path,
            repair_script=repair_script,
            attempt_id=options.attempt_id,
            request_id=options.request_id,
            timeout=options.timeout,
            on_progress=options.on_progress,
            on_upload_progress=options.on_upload_progress,
        )

    return call


COMMAND = ScoreCommand(
    description="Scores a language model whose embedding was repaired, by its loss on hidden text.",
    add_arguments=_add_arguments,
    read=_read,
    report=model_report.fix_embedding,
)
