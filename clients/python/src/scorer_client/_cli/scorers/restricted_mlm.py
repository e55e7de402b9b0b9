"""`scorer-client score restricted_mlm`: a model in Python, with its weights or a script that trains them."""

import argparse
from pathlib import Path

from scorer_client._cli import model_report, scoring
from scorer_client._cli.score import ScoreCommand
from scorer_client._cli.source_file import read_source_text
from scorer_client._model_results import RestrictedMlmResult
from scorer_client._sync import ScorerClient


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", type=Path, metavar="MODEL", help="Python with get_model(), as in the starter's model.py"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights", type=Path, metavar="FILE", help="the model's weights, as safetensors")
    source.add_argument(
        "--train", type=Path, metavar="FILE", help="Python that trains the model, within the budget"
    )


def _read(arguments: argparse.Namespace) -> scoring.Call[RestrictedMlmResult]:
    model = read_source_text(arguments.path)
    training_script = None if arguments.train is None else read_source_text(arguments.train)

    def call(client: ScorerClient, options: scoring.CallOptions) -> RestrictedMlmResult:
        return client.score_restricted_mlm(
            model,
            weights=arguments.weights,
            training_script=training_script,
            attempt_id=options.attempt_id,
            request_id=options.request_id,
            timeout=options.timeout,
            on_progress=options.on_progress,
            on_upload_progress=options.on_upload_progress,
        )

    return call


COMMAND = ScoreCommand(
    description="Scores a masked language model built from few operators, by its loss on hidden text.",
    add_arguments=_add_arguments,
    read=_read,
    report=model_report.restricted_mlm,
)
