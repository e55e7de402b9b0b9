"""Tells a person what went wrong with the service, and the way out."""

import argparse

from scorer_client._cli.options import server_of
from scorer_client._cli.terminal import say
from scorer_client._errors import AccessDenied, DeadlinePassed, Overloaded, ScorerError, Unreachable


def explain(error: ScorerError, arguments: argparse.Namespace) -> None:
    """Writes it to standard error."""
    server = server_of(arguments)
    if isinstance(error, Unreachable) and not error.reason:
        say(
            f"no server at {server}: start one with `scorer serve`, or set --server or SCORER_SERVER "
            f"({error.message})"
        )
    else:
        say(str(error))
    if isinstance(error, AccessDenied):
        say("give the evaluator key, which `attempt create` showed, by --key or SCORER_EVALUATOR_KEY")
    elif isinstance(error, Overloaded) and error.reason != "ARTIFACT_QUOTA":
        say("the server takes no more work for now: try again later")
    elif isinstance(error, Unreachable | DeadlinePassed) and error.request_id:
        again = f"the same command with --request-id {error.request_id}"
        say(f"if the job was accepted, it goes on: {again} re-attaches")
