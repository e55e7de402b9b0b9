"""`scorer-client watch` and `cancel`: jobs from outside."""

import argparse
import sys

from scorer_client._cli.exit_status import ExitStatus
from scorer_client._cli.json_output import json_document
from scorer_client._cli.options import client_of, json_option
from scorer_client._cli.progress_bar import progress_for
from scorer_client._cli.terminal import printable, say
from scorer_client._jobs import Job, JobState

_STATUS_AFTER_WATCH = {
    JobState.SUCCEEDED: ExitStatus.OK,
    JobState.CANCELLED: ExitStatus.NO_SCORE,
    JobState.FAILED: ExitStatus.SERVICE_FAILURE,
}
_JOB_HELP = "a job id, or the request id (a UUID) of the call that made it"


def add_watch_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds `watch`."""
    parser = commands.add_parser("watch", parents=[parent], help="follow a job until it ends")
    parser.add_argument("job", metavar="JOB", help=_JOB_HELP)
    json_option(parser, "each state as a line of JSON")
    parser.set_defaults(run=_watch)


def add_cancel_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds `cancel`."""
    parser = commands.add_parser("cancel", parents=[parent], help="cancel a job")
    parser.add_argument("job", metavar="JOB", help=_JOB_HELP)
    json_option(parser, "the job as one JSON document")
    parser.set_defaults(run=_cancel)


def _watch(arguments: argparse.Namespace) -> ExitStatus:
    last: Job | None = None
    try:
        with (
            progress_for(sys.stderr) as progress,
            client_of(arguments, progress.show_retry) as client,
        ):
            for last in client.watch(arguments.job):
                if arguments.json:
                    print(json_document(last), flush=True)
                else:
                    progress.show(last)
    except KeyboardInterrupt:
        say("left; the job goes on")
        return ExitStatus.INTERRUPTED
    if last is None:
        return ExitStatus.SERVICE_FAILURE
    if not arguments.json:
        print(_final_words(last))
    return _STATUS_AFTER_WATCH.get(last.state, ExitStatus.SERVICE_FAILURE)


def _cancel(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        job = client.cancel(arguments.job)
    if arguments.json:
        print(json_document(job))
    else:
        print(_final_words(job))
    if job.state is JobState.CANCELLED:
        return ExitStatus.OK
    say(f"{job.job_id} was not cancelled: it had {job.state.value} before")
    return ExitStatus.NO_SCORE


def _final_words(job: Job) -> str:
    failure = f": {job.failure}" if job.failure else ""
    return printable(f"{job.job_id} ({job.environment}): {job.state.value}{failure}")
