"""Tells a person what went wrong with the service, and the way out."""

import argparse
from datetime import timedelta

import grpc

from scorer_client._cli.options import credentials_of, server_of
from scorer_client._cli.terminal import say
from scorer_client._errors import (
    AccessDenied,
    BudgetExhausted,
    DeadlinePassed,
    Overloaded,
    RateLimited,
    ScorerError,
    Unreachable,
)


def explain(error: ScorerError, arguments: argparse.Namespace) -> None:
    """Writes it to standard error."""
    server = server_of(arguments)
    if isinstance(error, Unreachable) and not error.reason:
        say(f"no server at {server}: {_way_to_it(error, arguments)} ({error.message})")
    else:
        say(str(error))
    if error.code is grpc.StatusCode.UNAUTHENTICATED:
        say("give an access token by --token-file, SCORER_TOKEN or --token")
    elif isinstance(error, AccessDenied) and error.reason != "WRONG_ROLE":
        say("give the evaluator key, which `attempt create` showed, by --key or SCORER_EVALUATOR_KEY")
    elif isinstance(error, BudgetExhausted):
        say("`attempt show` shows the budget; an evaluator begins another attempt by `attempt create`")
    elif isinstance(error, RateLimited) and error.retry_after is not None:
        say(f"the next scoring may come in {timedelta(seconds=round(error.retry_after.total_seconds()))}")
    elif isinstance(error, Overloaded) and error.reason != "ARTIFACT_QUOTA":
        say("the server takes no more work for now: try again later")
    elif isinstance(error, Unreachable | DeadlinePassed) and error.request_id:
        again = f"the same command with --request-id {error.request_id}"
        say(f"if the job was accepted, it goes on: {again} re-attaches")


# Words of the client's message, and what to do about it.
_TLS_WAYS_OUT = {
    "CERTIFICATE_VERIFY_FAILED": "give the authority that signed its certificate by --ca or SCORER_CA",
    "Hostname Verification": "its certificate is for another name; give that name by --server",
    "WRONG_VERSION_NUMBER": "it does not speak TLS; leave out --ca, --tls, SCORER_CA and SCORER_TLS",
}


def _way_to_it(error: Unreachable, arguments: argparse.Namespace) -> str:
    for words, way_out in _TLS_WAYS_OUT.items():
        if words in error.message:
            return way_out
    if "Socket closed" in error.message:
        # It hung up at once: so does one that speaks TLS to who does not, or who shows no certificate.
        if credentials_of(arguments) is None:
            return "if it speaks TLS, give --ca or --tls"
        return "if it asks for a certificate, give one that it trusts by --certificate and --certificate-key"
    return "start one with `scorer serve`, or set --server or SCORER_SERVER"
