"""`scorer-client score rust_codecontests`: programs from a folder, a JSON Lines file, or one file."""

import argparse
import sys
from pathlib import Path

from scorer_client._cli.exit_status import ExitStatus, exit_status_of
from scorer_client._cli.json_output import json_document, json_error
from scorer_client._cli.options import client_of, json_option, request_id, seconds
from scorer_client._cli.progress_bar import progress_for
from scorer_client._cli.rust_programs import read_programs
from scorer_client._cli.rust_report import report
from scorer_client._cli.score import ScoreCommand
from scorer_client._cli.server_errors import explain
from scorer_client._cli.terminal import say, wants_colour
from scorer_client._errors import ScorerError
from scorer_client._results import Verdict
from scorer_client._scoring import new_request_id


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        type=Path,
        metavar="PATH",
        help="a folder of <problem id>.rs; or a JSON Lines file, each line with problem_id and source; or "
        "one file, with --problem",
    )
    parser.add_argument("--problem", metavar="ID", help="PATH is the program for this problem")
    parser.add_argument("--attempt", metavar="ID", help="the attempt whose log takes the score")
    parser.add_argument(
        "--request-id",
        type=request_id,
        metavar="UUID",
        help="re-attach to an earlier call with the same programs",
    )
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="wait at most S seconds; the job goes on"
    )
    json_option(parser, "one JSON document")


def _run(arguments: argparse.Namespace) -> ExitStatus:
    programs = read_programs(arguments.path, arguments.problem)
    call_id = arguments.request_id or new_request_id()
    try:
        with (
            progress_for(sys.stderr) as progress,
            client_of(arguments, progress.show_retry) as client,
        ):
            result = client.score_rust_codecontests(
                programs,
                attempt_id=arguments.attempt,
                request_id=call_id,
                timeout=arguments.timeout,
                on_progress=progress.show,
            )
    except KeyboardInterrupt:
        say(
            f"left; a job that was accepted goes on.\n"
            f"  see it:    scorer-client watch {call_id}\n"
            f"  cancel it: scorer-client cancel {call_id}\n"
            f"  re-attach: the same command with --request-id {call_id}"
        )
        return ExitStatus.INTERRUPTED
    except ScorerError as error:
        if arguments.json:
            print(json_error(error))
        explain(error, arguments)
        return exit_status_of(error)
    if arguments.json:
        print(json_document(result))
    else:
        print(report(result, colour=wants_colour(sys.stdout)))
    return ExitStatus.OK if result.verdict in (Verdict.SCORED, Verdict.HIDDEN) else ExitStatus.NO_SCORE


COMMAND = ScoreCommand(
    description="Scores Rust programs, one a contest problem, by the share of problems that they solve.",
    add_arguments=_add_arguments,
    run=_run,
)
