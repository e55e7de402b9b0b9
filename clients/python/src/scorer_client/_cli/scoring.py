"""What `scorer-client score` is for every environment: its options, the call, the output, the exit status."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from scorer_client._artifacts import UploadProgress
from scorer_client._cli.exit_status import ExitStatus, exit_status_of
from scorer_client._cli.json_output import json_document, json_error
from scorer_client._cli.options import client_of, json_option, request_id, seconds
from scorer_client._cli.progress_bar import progress_for
from scorer_client._cli.server_errors import explain
from scorer_client._cli.terminal import say, wants_colour
from scorer_client._cli.verdict_words import AnyResult
from scorer_client._errors import ScorerError
from scorer_client._jobs import Job
from scorer_client._results import Verdict
from scorer_client._scoring import new_request_id
from scorer_client._sync import ScorerClient

ResultT = TypeVar("ResultT", bound=AnyResult)
_ReportedT = TypeVar("_ReportedT", bound=AnyResult, contravariant=True)


@dataclass(frozen=True)
class CallOptions:
    """What a score method of the client takes beside the submission."""

    request_id: str | None = None
    attempt_id: str | None = None
    timeout: float | None = None
    on_progress: Callable[[Job], object] | None = None
    on_upload_progress: Callable[[UploadProgress], object] | None = None


Call = Callable[[ScorerClient, CallOptions], ResultT]
"""Scores one submission, which was read already."""


class Report(Protocol[_ReportedT]):
    """Tells a result to a person."""

    def __call__(self, result: _ReportedT, /, *, colour: bool) -> str:
        """In words; `colour` says whether with colours."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that every environment has."""
    parser.add_argument("--attempt", metavar="ID", help="the attempt whose log takes the score")
    parser.add_argument(
        "--request-id",
        type=request_id,
        metavar="UUID",
        help="re-attach to an earlier call with the same submission",
    )
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="wait at most S seconds; the job goes on"
    )
    json_option(parser, "one JSON document")


def score(arguments: argparse.Namespace, call: Call[ResultT], report: Report[ResultT]) -> ExitStatus:
    """Makes the call, and prints its result."""
    call_id = arguments.request_id or new_request_id()
    accepted = False

    def show(job: Job) -> None:
        nonlocal accepted
        accepted = True
        progress.show(job)

    try:
        with (
            progress_for(sys.stderr) as progress,
            client_of(arguments, progress.show_retry) as client,
        ):
            options = CallOptions(call_id, arguments.attempt, arguments.timeout, show, progress.show_upload)
            result = call(client, options)
    except KeyboardInterrupt:
        if not accepted:
            say(f"left; go on by the same command with --request-id {call_id}")
            return ExitStatus.INTERRUPTED
        say(
            f"left; the job that was accepted goes on.\n"
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
    print(json_document(result) if arguments.json else report(result, colour=wants_colour(sys.stdout)))
    return ExitStatus.OK if result.verdict in (Verdict.SCORED, Verdict.HIDDEN) else ExitStatus.NO_SCORE
